/*
 * Vector and matrix functions in the arithmetic of CMSIS-DSP, for machines without its library. WRITTEN
 * HERE from the reference of CMSIS-DSP 1.14, section "Scaling and Overflow Behavior" of each function; no
 * line is Arm's. Each comment names the function whose formats and rounding it has, in the form for cores
 * without vector instructions.
 *
 * q31 is a word with 31 fraction bits, from -1 to 1 - 2^-31.
 */
#ifndef Q31_H
#define Q31_H

#include <stdint.h>

typedef int32_t q31_t;
typedef int64_t q63_t;

#define Q31_ONE INT32_MAX /* 1 - 2^-31 */

static inline q31_t q31_saturated(q63_t value)
{
    return value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : (q31_t)value;
}

/* arm_dot_prod_q31: products in 2.62, their lower 14 bits discarded, summed in 16.48. */
static inline q63_t q31_dot(const q31_t *a, const q31_t *b, uint32_t count)
{
    q63_t sum = 0;
    uint32_t left = count;
    for (; left >= 4; left -= 4, a += 4, b += 4) {
        sum += ((q63_t)a[0] * b[0]) >> 14;
        sum += ((q63_t)a[1] * b[1]) >> 14;
        sum += ((q63_t)a[2] * b[2]) >> 14;
        sum += ((q63_t)a[3] * b[3]) >> 14;
    }
    for (; left != 0; --left) {
        sum += ((q63_t)*a++ * *b++) >> 14;
    }
    return sum;
}

/* A row in arm_mat_vec_mult_q31: 2.62 products summed in 64 bits, one guard bit, which wrap. */
static inline q31_t q31_row_times(const q31_t *row, const q31_t *v, uint32_t columns)
{
    uint64_t sum = 0;
    for (uint32_t j = 0; j < columns; ++j) {
        sum += (uint64_t)((q63_t)row[j] * v[j]);
    }
    return (q31_t)(uint32_t)(uint64_t)((q63_t)sum >> 31);
}

/* arm_mat_vec_mult_q31: four rows at a time, sums shifted by 31 and cut to a word. */
static inline void q31_mat_vec_mult(const q31_t *m, const q31_t *v, q31_t *out, uint32_t rows,
                                    uint32_t columns)
{
    uint32_t i = 0;
    for (; i + 4 <= rows; i += 4, m += 4 * columns) {
        uint64_t sums[4] = {0, 0, 0, 0};
        for (uint32_t j = 0; j < columns; ++j) {
            const q63_t x = v[j];
            sums[0] += (uint64_t)(x * m[j]);
            sums[1] += (uint64_t)(x * m[columns + j]);
            sums[2] += (uint64_t)(x * m[2 * columns + j]);
            sums[3] += (uint64_t)(x * m[3 * columns + j]);
        }
        for (uint32_t k = 0; k < 4; ++k) {
            out[i + k] = (q31_t)(uint32_t)(uint64_t)((q63_t)sums[k] >> 31);
        }
    }
    for (; i < rows; ++i, m += columns) {
        out[i] = q31_row_times(m, v, columns);
    }
}

/* arm_mat_mult_q31 of a column and a row: sums of one product, shifted by 31, saturated. */
static inline void q31_outer(const q31_t *column, const q31_t *row, q31_t *out, uint32_t n)
{
    for (uint32_t i = 0; i < n; ++i) {
        for (uint32_t j = 0; j < n; ++j) {
            *out++ = q31_saturated(((q63_t)column[i] * row[j]) >> 31);
        }
    }
}

/* A number in arm_mat_scale_q31 and arm_scale_q31: the upper word of the product, shifted left by
 * shift + 1, saturated. The lower bits of the result are 0. */
static inline q31_t q31_scaled(q31_t value, q31_t fraction, uint32_t shift)
{
    const q31_t product = (q31_t)(((q63_t)value * fraction) >> 32);
    const q31_t most = INT32_MAX >> (shift + 1);
    if (product > most || product < -most - 1) {
        return product < 0 ? INT32_MIN : INT32_MAX;
    }
    return (q31_t)((uint32_t)product << (shift + 1));
}

static inline void q31_scale(const q31_t *a, q31_t fraction, uint32_t shift, q31_t *out,
                             uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i) {
        out[i] = q31_scaled(a[i], fraction, shift);
    }
}

/* arm_add_q31, arm_mat_add_q31: saturated. */
static inline void q31_add(const q31_t *a, const q31_t *b, q31_t *out, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i) {
        out[i] = q31_saturated((q63_t)a[i] + b[i]);
    }
}

/* arm_sub_q31, arm_mat_sub_q31: saturated. */
static inline void q31_sub(const q31_t *a, const q31_t *b, q31_t *out, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i) {
        out[i] = q31_saturated((q63_t)a[i] - b[i]);
    }
}

/* arm_shift_q31 to the left: saturated. */
static inline void q31_shift(const q31_t *a, uint32_t left, q31_t *out, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i) {
        out[i] = q31_saturated((q63_t)((uint64_t)(q63_t)a[i] << left));
    }
}

#endif
