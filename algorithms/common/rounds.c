/*
 * Many rounds on a machine, as host_steps.c plays them: the program has contexts and rewards of all
 * arms, and stores the played arms. LEARNER_ROUNDS: number of rounds.
 */
#include "learner.h"

/* volatile: the loader provides the values, so the compiler must not assume them. */
volatile fx_t rounds_contexts[LEARNER_ROUNDS][LEARNER_D];
volatile fx_t rounds_rewards[LEARNER_ROUNDS][LEARNER_ARMS];
volatile uint32_t rounds_arms[LEARNER_ROUNDS];

int main(int hart)
{
    learner_reset();
    for (uint32_t round = 0; round < LEARNER_ROUNDS; ++round) {
        for (uint32_t i = 0; i < LEARNER_D; ++i) {
            learner_context[i] = rounds_contexts[round][i];
        }
        const uint32_t arm = learner_decide(hart);
        rounds_arms[round] = arm;
        learner_update(arm, rounds_rewards[round][arm]);
    }
    return 0;
}
