/*
 * One step on a machine: the requested parts, on the input contained in the program.
 * The loader may write another model, context and reward into the program; learner_reset is
 * then skipped. The exit code is the chosen arm.
 */
#include "learner.h"

/* Work that harts share: 0 none, the learner runs on one; 1 selection and update; 2 the selection. */
#ifndef LEARNER_SHARES_ARMS
#define LEARNER_SHARES_ARMS 0
#endif
#if LEARNER_HARTS != 1 && !LEARNER_SHARES_ARMS
#error "step.c: this learner runs on one hart"
#endif

enum { RESET = 1, SELECT = 2, UPDATE = 4 };

/* volatile: the loader provides the values, so the compiler must not assume them. */
volatile uint32_t step_parts = RESET | SELECT | UPDATE;
volatile uint32_t step_arm = UINT32_MAX; /* to update; UINT32_MAX: the one that was selected */
volatile fx_t step_reward;

int main(int hart)
{
    const uint32_t parts = step_parts;
    uint32_t arm = 0;
    if ((!LEARNER_SHARES_ARMS || hart == 0) && (parts & RESET)) {
        learner_reset();
    }
    if (LEARNER_SHARES_ARMS) {
        learner_wait_for_all(hart);
    }
    if (parts & SELECT) {
        arm = learner_decide(hart);
    }
#if LEARNER_SHARES_ARMS == 2
    if (hart == 0 && (parts & UPDATE)) {
        learner_update(step_arm == UINT32_MAX ? arm : step_arm, step_reward);
    }
#else
    if (parts & UPDATE) {
        if (LEARNER_SHARES_ARMS && hart != 0) {
            learner_help_update(hart);
        } else {
            learner_update(step_arm == UINT32_MAX ? arm : step_arm, step_reward);
        }
    }
#endif
    return (int)arm;
}
