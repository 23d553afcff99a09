/*
 * UCB1: the mean reward of an arm and alpha sqrt(2 ln t / n), t rewards in all, n of the arm. Arms
 * without a reward come first. Contexts are ignored.
 */
#include "fx_divide.h"
#include "fx_log.h"
#include "fx_sqrt.h"
#include "learner.h"

#if FX_FRACTION_BITS != 15
#error "ucb1.c: FX_FRACTION_BITS must be 15: bounds are roots of numbers in Q25"
#endif

enum { ARMS = LEARNER_ARMS, LOG_OF_ONE = 340696 /* 15 ln 2, Q15: t is 2^15 t in Q15 */ };

static struct {
    uint32_t rewards; /* of all arms */
    struct {
        uint32_t count;
        uint32_t total[2]; /* of the rewards, 64 bits, low word first */
    } arms[ARMS];
} learner_model;

#include "model.h" /* of learner_model */

void learner_reset(void)
{
    clear_model();
}

static uint32_t failed; /* stays 0: no mean exceeds the largest reward, no log 32 ln 2 */

/* 2 ln t in Q25, below 2^31. */
static int32_t twice_log(void)
{
    return (fx_log_of(learner_model.rewards) + LOG_OF_ONE) << 11;
}

GNOMON_REGION uint32_t learner_select(int hart)
{
    (void)hart;
    (void)*(volatile fx_t *)learner_context; /* the caller writes it, so it must exist */
    const int32_t log = learner_model.rewards == 0 ? 0 : twice_log();
    for (uint32_t i = 0; i < ARMS; ++i) {
        const fx_t count = (fx_t)learner_model.arms[i].count;
        if (count == 0) {
            learner_scores[i] = INT32_MAX;
            continue;
        }
        const uint32_t *const total = learner_model.arms[i].total;
        const fx_t mean =
            fx_divide_wide((int64_t)((uint64_t)total[1] << 32 | total[0]), count, &failed);
        const fx_t root = fx_sqrt(fx_divide_wide(log, count, &failed)) >> 5;
        const int64_t width = ((int64_t)learner_alpha * root) >> 15;
        const int64_t bound = mean + width;
        learner_scores[i] = bound > INT32_MAX   ? INT32_MAX
                            : bound < INT32_MIN ? INT32_MIN
                                                : (fx_t)bound;
    }
    return learner_best_arm();
}

/* Counts stop at INT32_MAX, and the sums with them. */
GNOMON_REGION void learner_update(uint32_t chosen, fx_t reward)
{
    if (learner_model.rewards == INT32_MAX) {
        return;
    }
    uint32_t *const total = learner_model.arms[chosen].total;
    const uint64_t sum = ((uint64_t)total[1] << 32 | total[0]) + (uint64_t)(int64_t)reward;
    total[0] = (uint32_t)sum;
    total[1] = (uint32_t)(sum >> 32);
    learner_model.arms[chosen].count += 1;
    learner_model.rewards += 1;
}
