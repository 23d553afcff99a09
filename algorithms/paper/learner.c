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

static uint32_t highest_score(void)
{
    uint32_t best = 0;
    for (uint32_t arm = 1; arm < LEARNER_ARMS; ++arm) {
        if (learner_scores[arm] > learner_scores[best]) {
            best = arm;
        }
    }
    return best;
}

GNOMON_REGION uint32_t learner_select(int hart)
{
    if (hart == 0) {
        learner_prepare();
    }
    learner_wait_for_all(hart);
    const uint32_t first = (uint32_t)hart * LEARNER_ARMS / LEARNER_HARTS;
    const uint32_t end = ((uint32_t)hart + 1) * LEARNER_ARMS / LEARNER_HARTS;
    for (uint32_t arm = first; arm < end; ++arm) {
        learner_scores[arm] = learner_score(arm);
    }
    learner_wait_for_all(hart);
    return highest_score();
}
