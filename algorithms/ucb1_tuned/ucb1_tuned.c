/*
 * UCB1-tuned: with t rewards in all and n of the arm, l = ln t / n, v the variance of its rewards,
 *     mean + alpha sqrt(l min(1/4, v + sqrt(2 l))),
 * for rewards from 0 to 1, whose variance is at most 1/4. Arms without a reward come first. Contexts are
 * ignored. With LEARNER_CUSUM an arm that has changed starts again.
 */
#include "fx_divide.h"
#include "fx_log.h"
#include "fx_sqrt.h"
#include "learner.h"
#ifdef LEARNER_CUSUM
#include "cusum.h"
#endif

#if FX_FRACTION_BITS != 15
#error "ucb1_tuned.c: FX_FRACTION_BITS must be 15: bounds are roots of numbers in Q25"
#endif

enum { ARMS = LEARNER_ARMS, LOG_OF_ONE = 340696 /* 15 ln 2, Q15: t is 2^15 t in Q15 */ };

struct arm {
    uint32_t count;
    uint32_t total[2], squares[2]; /* of the rewards, 64 bits, low word first; Q15 */
#ifdef LEARNER_CUSUM
    struct cusum test;
#endif
};

static struct {
    struct arm arms[ARMS];
#ifdef LEARNER_CUSUM
    uint32_t random;
#endif
} learner_model;

#include "model.h" /* of learner_model */

void learner_reset(void)
{
    clear_model();
#ifdef LEARNER_CUSUM
    learner_model.random = LEARNER_SEED;
#endif
}

static int64_t sum_of(const uint32_t *words)
{
    return (int64_t)((uint64_t)words[1] << 32 | words[0]);
}

static void add_to(uint32_t *words, int64_t more)
{
    const uint64_t sum = ((uint64_t)words[1] << 32 | words[0]) + (uint64_t)more;
    words[0] = (uint32_t)sum;
    words[1] = (uint32_t)(sum >> 32);
}

static uint32_t rewards_of_all(void)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < ARMS; ++i) {
        const uint32_t count = learner_model.arms[i].count;
        sum = sum + count < sum ? UINT32_MAX : sum + count;
    }
    return sum;
}

/* The upper bound of an arm; twice the logarithm in Q25, below 2^31. */
static fx_t bound_of(const struct arm *arm, int32_t twice_log)
{
    uint32_t failed = 0; /* a mean of squares stops at the largest number */
    const fx_t count = (fx_t)arm->count;
    const fx_t mean = fx_divide_wide(sum_of(arm->total), count, &failed);
    const fx_t of_squares = fx_divide_wide(sum_of(arm->squares), count, &failed);
    const int64_t variance = of_squares - (((int64_t)mean * mean) >> 15);
    const fx_t ratio = fx_divide_wide(twice_log, count, &failed);             /* 2 l, Q25 */
    const int64_t spread = (variance < 0 ? 0 : variance << 5) + fx_sqrt(ratio); /* Q20 */
    const uint32_t least = spread > 1 << 18 ? 1u << 18 : (uint32_t)spread;    /* 1/4 */
    const fx_t product = (fx_t)(((uint64_t)(uint32_t)ratio * least) >> 21);   /* l times, Q25 */
    const int64_t width = ((int64_t)learner_alpha * (fx_sqrt(product) >> 5)) >> 15;
    const int64_t bound = mean + width;
    return bound > INT32_MAX ? INT32_MAX : bound < INT32_MIN ? INT32_MIN : (fx_t)bound;
}

GNOMON_REGION uint32_t learner_select(int hart)
{
    (void)hart;
    (void)*(volatile fx_t *)learner_context; /* the caller writes it, so it must exist */
    const uint32_t rewards = rewards_of_all();
    const int32_t twice_log = rewards == 0 ? 0 : (fx_log_of(rewards) + LOG_OF_ONE) << 11;
    for (uint32_t i = 0; i < ARMS; ++i) {
        const struct arm *const arm = &learner_model.arms[i];
        learner_scores[i] = arm->count == 0 ? INT32_MAX : bound_of(arm, twice_log);
    }
#ifdef LEARNER_CUSUM
    return explored_arm(&learner_model.random, learner_best_arm());
#else
    return learner_best_arm();
#endif
}

/* Counts stop at INT32_MAX, and the sums with them. */
GNOMON_REGION void learner_update(uint32_t chosen, fx_t reward)
{
    struct arm *const arm = &learner_model.arms[chosen];
    if (arm->count == INT32_MAX) {
        return;
    }
    ++arm->count;
    add_to(arm->total, reward);
    add_to(arm->squares, ((int64_t)reward * reward) >> 15);
#ifdef LEARNER_CUSUM
    if (has_changed(&arm->test, arm->count, sum_of(arm->total), reward)) {
        *arm = (struct arm){0};
    }
#endif
}
