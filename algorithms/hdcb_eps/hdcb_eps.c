/*
 * HD-CB with epsilon-greedy exploration; with LEARNER_PERIOD, each arm's hypervector is replaced
 * by its signs after that many of its plays. OUR READING: the body of the paper was not available.
 * learner_scores are the dot products; their cosines are compared.
 */
#include "accumulator.h"
#include "explorer.h"

#ifndef LEARNER_PERIOD /* 0: never binarized */
#define LEARNER_PERIOD 0
#endif
#ifndef LEARNER_WEIGHTS /* weight of the highest reward; that of the lowest is its negative */
#define LEARNER_WEIGHTS 8
#endif
_Static_assert(LEARNER_WEIGHTS >= 1 && LEARNER_WEIGHTS <= 127, "LEARNER_WEIGHTS: 1 to 127");

static struct {
    struct codebook book;
    uint32_t random;
    uint32_t plays[LEARNER_ARMS]; /* modulo LEARNER_PERIOD */
    struct accumulator arms[LEARNER_ARMS];
} learner_model;

#include "model.h" /* of learner_model */

void learner_reset(void)
{
    clear_model();
    learner_model.random = LEARNER_SEED;
    fill_codebook(&learner_model.book, &learner_model.random);
}

GNOMON_REGION uint32_t learner_select(int hart)
{
    (void)hart;
    const uint32_t *const x = encoded_context(&learner_model.book);
    struct similarity highest = {0, 1};
    uint32_t nearest = 0;
    for (uint32_t arm = 0; arm < LEARNER_ARMS; ++arm) {
        const struct accumulator *const of = &learner_model.arms[arm];
        const uint64_t squares = squares_of(of);
        const struct similarity found = {accumulated_dot(of, x), squares ? squares : 1};
        learner_scores[arm] = found.dot;
        if (arm == 0 || nearer(found, highest)) {
            highest = found;
            nearest = arm;
        }
    }
    return explored_arm(&learner_model.random, nearest);
}

GNOMON_REGION void learner_update(uint32_t chosen, fx_t reward)
{
    struct accumulator *const of = &learner_model.arms[chosen];
    accumulate(of, encoded_context(&learner_model.book), weight_of(reward, LEARNER_WEIGHTS));
#if LEARNER_PERIOD
    if (++learner_model.plays[chosen] == LEARNER_PERIOD) {
        learner_model.plays[chosen] = 0;
        binarize(of);
    }
#endif
}
