/* Work of an explored step on the scalar core: one rank-one update, and later one solve. */
#ifndef EXPLORED_ARM_H
#define EXPLORED_ARM_H

#include "epsilon_greedy.h"
#include "fx_divide.h"
#include "fx_ldl.h"
#include "fx_sqrt.h"
#include "solve_positive/solve_positive.h"

/* A sum may double and gain a number of the format before it is tested. */
#define LARGEST ((fx_t)1 << 29)

fx_t root_of_count(uint32_t count, uint32_t scale)
{
    if (count == 0) {
        return 0;
    }
    /* fx_sqrt gives sqrt(value 2^F); value = n 2^up makes that sqrt(n) 2^((up + F) / 2). */
    const uint32_t zeros = fx_leading_zeros(count);
    int32_t up = (int32_t)zeros - 1;
    up -= (up + FX_FRACTION_BITS) & 1;
    const fx_t root = fx_sqrt((fx_t)(up < 0 ? count >> -up : count << up));
    const int32_t right = (up + FX_FRACTION_BITS) / 2 + (int32_t)scale - FX_FRACTION_BITS;
    return right >= 0 ? root >> (right > 31 ? 31 : right) : (fx_t)((uint32_t)root << -right);
}

void solve_arm(const struct arm *arm, fx_t *theta)
{
    static fx_t matrix[d * d], solution[d], work[d * d + 3 * d];
    const fx_t ridge = root_of_count(arm->count, arm->scale);
    const fx_t *at = arm->a;
    for (uint32_t i = 0; i < d; ++i) {
        for (uint32_t j = 0; j <= i; ++j) {
            matrix[i * d + j] = *at++;
        }
        fx_accumulate_wrap(&matrix[i * d + i], ridge);
    }
    if (fx_solve_positive_scalar_floor_checked(matrix, arm->b, solution, work, d) == FX_OK) {
        for (uint32_t i = 0; i < d; ++i) {
            theta[i] = solution[i];
        }
    }
}

/* a b 2^-right from 64 bits, 1 <= right < 64. Rounded to nearest: any other rounding accumulates over
 * the steps. Two shifts of words cost less than one of 64 bits by a variable number. */
static inline fx_t scaled_product(fx_t a, fx_t b, uint32_t right, uint64_t half)
{
    const uint64_t sum = (uint64_t)((int64_t)a * b) + half;
    const uint32_t high = (uint32_t)(sum >> 32), low = (uint32_t)sum;
    if (right < 32) {
        return (fx_t)(high << (32 - right) | low >> right);
    }
    return (fx_t)high >> (right - 32);
}

static inline uint32_t magnitude(fx_t value)
{
    return (uint32_t)(value ^ (value >> 31));
}

/* Before a sum could leave the range: the diagonal bounds all of A. */
static void halve_if_large(struct arm *arm)
{
    uint32_t seen = 0;
    for (uint32_t i = 0, at = 0; i < d; at += ++i + 1) {
        seen |= magnitude(arm->a[at]) | magnitude(arm->b[i]);
    }
    if (seen < (uint32_t)LARGEST) {
        return;
    }
    for (uint32_t i = 0; i < TRIANGLE; ++i) {
        arm->a[i] = fx_add_wrap(arm->a[i], 1) >> 1;
    }
    for (uint32_t i = 0; i < d; ++i) {
        arm->b[i] = fx_add_wrap(arm->b[i], 1) >> 1;
    }
    ++arm->scale;
}

void learn_arm(struct arm *arm, fx_t reward)
{
    const uint32_t right = FX_FRACTION_BITS + arm->scale;
    const uint64_t half = (uint64_t)1 << (right - 1);
    fx_t *at = arm->a;
    for (uint32_t i = 0; i < d; ++i) {
        const fx_t x = learner_context[i];
        for (uint32_t j = 0; j <= i; ++j) {
            fx_accumulate_wrap(at++, scaled_product(x, learner_context[j], right, half));
        }
        fx_accumulate_wrap(&arm->b[i], scaled_product(x, reward, right, half));
    }
    arm->count += arm->count != UINT32_MAX;
    arm->dirty = 1;
    halve_if_large(arm);
}

#endif
