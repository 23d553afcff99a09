#include "learner.h"

fx_t learner_context[LEARNER_D];
#ifdef LEARNER_F
fx_t learner_features[LEARNER_ARMS][LEARNER_F];
#endif
fx_t learner_alpha;
fx_t learner_scores[LEARNER_ARMS];

#if LEARNER_HARTS > 1
static volatile uint32_t times_arrived[LEARNER_HARTS];

__attribute__((noinline)) void learner_wait_for_all(int hart)
{
    /* Only its own hart writes a count, so no atomic access is needed. */
    const uint32_t now = times_arrived[hart] + 1;
    times_arrived[hart] = now;
    for (int other = 0; other < LEARNER_HARTS; ++other) {
        while ((int32_t)(times_arrived[other] - now) < 0) {
        }
    }
    __asm__ volatile("" ::: "memory"); /* the compiler must not keep values from before */
}
#else
void learner_wait_for_all(int hart)
{
    (void)hart;
}
#endif

uint32_t learner_best_arm(void)
{
    uint32_t best = 0;
    fx_t highest = learner_scores[0];
    for (uint32_t arm = 1; arm < LEARNER_ARMS; ++arm) {
        const fx_t score = learner_scores[arm];
        if (score > highest) {
            highest = score;
            best = arm;
        }
    }
    return best;
}
