/* Many steps on this computer, bit for bit those of a machine. */
#include "learner.h"

/*
 * contexts: steps x LEARNER_D. rewards: steps x LEARNER_ARMS, what each arm would give. arms:
 * steps, the arms chosen.
 */
void host_steps(uint32_t steps, const fx_t *contexts, const fx_t *rewards, uint32_t *arms)
{
    for (uint32_t step = 0; step < steps; ++step) {
        for (uint32_t i = 0; i < LEARNER_D; ++i) {
            learner_context[i] = contexts[(uint64_t)step * LEARNER_D + i];
        }
        const uint32_t arm = learner_decide(0);
        learner_update(arm, rewards[(uint64_t)step * LEARNER_ARMS + arm]);
        arms[step] = arm;
    }
}

/*
 * The same, but what is learned is the arm in `played`, whatever is chosen: two learners that learn
 * the same can be compared choice by choice.
 */
void host_follow(uint32_t steps, const fx_t *contexts, const fx_t *rewards, const uint32_t *played,
                 uint32_t *arms)
{
    for (uint32_t step = 0; step < steps; ++step) {
        for (uint32_t i = 0; i < LEARNER_D; ++i) {
            learner_context[i] = contexts[(uint64_t)step * LEARNER_D + i];
        }
        arms[step] = learner_decide(0);
        learner_update(played[step], rewards[(uint64_t)step * LEARNER_ARMS + played[step]]);
    }
}
