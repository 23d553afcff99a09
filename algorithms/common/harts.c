/* Barrier of harts that share the arms of a learner. */
#include "learner.h"

#if LEARNER_HARTS > 1
static volatile uint32_t times_arrived[LEARNER_HARTS];

__attribute__((noinline)) void learner_wait_for_all(int hart)
{
    /* Only its hart writes a count, so no atomic access is needed. */
    const uint32_t now = times_arrived[hart] + 1;
    times_arrived[hart] = now;
    for (int other = 0; other < LEARNER_HARTS; ++other) {
        while ((int32_t)(times_arrived[other] - now) < 0) {
        }
    }
    __asm__ volatile("" ::: "memory"); /* the compiler must not reuse earlier values */
}
#else
void learner_wait_for_all(int hart)
{
    (void)hart;
}
#endif
