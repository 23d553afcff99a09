/* Many steps on the host, bit for bit those of a machine. */
#include "learner.h"

/* Reports the step and the called function to another process, in case this one terminates here. */
typedef volatile struct {
    uint32_t step, updating;
} host_place_t;

static uint32_t decided(host_place_t *place, uint32_t step, const fx_t *contexts)
{
    place->step = step;
    place->updating = 0;
    for (uint32_t i = 0; i < LEARNER_D; ++i) {
        learner_context[i] = contexts[(uint64_t)step * LEARNER_D + i];
    }
    return learner_decide(0);
}

static void learned(host_place_t *place, uint32_t step, const fx_t *rewards, uint32_t arm)
{
    place->updating = 1;
    learner_update(arm, rewards[(uint64_t)step * LEARNER_ARMS + arm]);
}

/*
 * contexts: steps x LEARNER_D. rewards: steps x LEARNER_ARMS, the reward of each arm. arms:
 * steps, the arms chosen. Returns the steps done: fewer if the last arm written is invalid.
 */
uint32_t host_steps(host_place_t *place, uint32_t steps, const fx_t *contexts, const fx_t *rewards,
                    uint32_t *arms)
{
    for (uint32_t step = 0; step < steps; ++step) {
        const uint32_t arm = decided(place, step, contexts);
        arms[step] = arm;
        if (arm >= LEARNER_ARMS) {
            return step;
        }
        learned(place, step, rewards, arm);
    }
    return steps;
}

/*
 * The same, but learns the arm in `played`, not the chosen one: two learners that learn
 * the same rounds can be compared choice by choice.
 */
uint32_t host_follow(host_place_t *place, uint32_t steps, const fx_t *contexts, const fx_t *rewards,
                     const uint32_t *played, uint32_t *arms)
{
    for (uint32_t step = 0; step < steps; ++step) {
        arms[step] = decided(place, step, contexts);
        if (arms[step] >= LEARNER_ARMS) {
            return step;
        }
        learned(place, step, rewards, played[step]);
    }
    return steps;
}
