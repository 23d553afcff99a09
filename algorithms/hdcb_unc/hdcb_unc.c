/*
 * HD-CB with exploration by uncertainty. OUR READING: the body of the paper was not available.
 * With A the hypervector of rewards of an arm, B that of the contexts it was played in, rho a
 * rotation and cosines in Q15, LEARNER_UNC selects the score
 *   1: cos(A, X) + alpha (1 - cos(B, X))
 *   2: cos(C, X) + alpha (1 - cos(C, rho(X))), one hypervector C = A + rho(B)
 *   3: cos(A, X) + u, u = 1 - max(0, cos(B, X)), and updates are scaled by u.
 */
#include "accumulator.h"
#include "encoder.h"

#ifndef LEARNER_WEIGHTS
#define LEARNER_WEIGHTS 8
#endif
_Static_assert(LEARNER_WEIGHTS >= 1 && LEARNER_WEIGHTS <= 127, "LEARNER_WEIGHTS: 1 to 127");
_Static_assert(LEARNER_UNC >= 1 && LEARNER_UNC <= 3, "LEARNER_UNC: 1, 2 or 3");

enum { ONE = 1 << 15 };

static struct {
    struct codebook book;
    struct {
        struct accumulator rewards; /* A, or C */
#if LEARNER_UNC != 2
        struct accumulator contexts; /* B */
#endif
    } arms[LEARNER_ARMS];
} learner_model;

#include "model.h" /* of learner_model */

void learner_reset(void)
{
    clear_model();
    uint32_t random = LEARNER_SEED;
    fill_codebook(&learner_model.book, &random);
}

static int32_t cosine_with(const struct accumulator *of, const uint32_t *x)
{
    return cosine(accumulated_dot(of, x), squares_of(of));
}

/* The hypervector of the context as it is stored in that of the contexts. */
static const uint32_t *context_key(const uint32_t *x)
{
#if LEARNER_UNC == 2
    static uint32_t rotated[HV_WORDS];
    hv_rotate(x, rotated);
    return rotated;
#else
    return x;
#endif
}

static struct accumulator *contexts_of(uint32_t arm)
{
#if LEARNER_UNC == 2
    return &learner_model.arms[arm].rewards;
#else
    return &learner_model.arms[arm].contexts;
#endif
}

/* Without alpha, in Q15: 0 to 1 in the third variant, else to 2. */
static int32_t uncertainty(uint32_t arm, const uint32_t *key)
{
    const int32_t known = cosine_with(contexts_of(arm), key);
    return ONE - (LEARNER_UNC == 3 && known < 0 ? 0 : known);
}

GNOMON_REGION uint32_t learner_select(int hart)
{
    (void)hart;
    const uint32_t *const x = encoded_context(&learner_model.book);
    const uint32_t *const key = context_key(x);
    const fx_t given = *(volatile fx_t *)&learner_alpha; /* the caller writes it, so it must exist */
    const fx_t alpha = LEARNER_UNC == 3 ? ONE : given;
    for (uint32_t arm = 0; arm < LEARNER_ARMS; ++arm) {
        const int64_t bonus = ((int64_t)alpha * uncertainty(arm, key)) >> 15;
        const int64_t score = cosine_with(&learner_model.arms[arm].rewards, x) + bonus;
        learner_scores[arm] = score > INT32_MAX ? INT32_MAX : score < INT32_MIN ? INT32_MIN : (fx_t)score;
    }
    return learner_best_arm();
}

GNOMON_REGION void learner_update(uint32_t chosen, fx_t reward)
{
    const uint32_t *const x = encoded_context(&learner_model.book);
    const uint32_t *const key = context_key(x);
    int32_t step = weight_of(reward, LEARNER_WEIGHTS);
#if LEARNER_UNC == 3
    step = (step * uncertainty(chosen, key) + ONE / 2) >> 15;
#endif
    accumulate(&learner_model.arms[chosen].rewards, x, step);
    accumulate(contexts_of(chosen), key, LEARNER_UNC == 2 ? LEARNER_WEIGHTS : 1);
}
