/*
 * HD-CB with probabilistic updates: after n plays of an arm, each component of its hypervector moves by
 * the sign of the weight times that of the context with probability N0 / (N0 + n), and stays within
 * -3 and 3. OUR READING: the body of the paper was not available. learner_scores are the dot
 * products; their cosines are compared.
 */
#include "explorer.h"
#include "planes.h"

#ifndef LEARNER_N0 /* plays after which half of the components move */
#define LEARNER_N0 10
#endif
#ifndef LEARNER_MASK_BITS /* probabilities are rounded up to multiples of 2^-bits */
#define LEARNER_MASK_BITS 8
#endif
_Static_assert(LEARNER_MASK_BITS >= 1 && LEARNER_MASK_BITS <= 15, "LEARNER_MASK_BITS: 1 to 15");
_Static_assert(LEARNER_N0 >= 1 && LEARNER_N0 <= 65535, "LEARNER_N0: 1 to 65535");

static struct {
    struct codebook book;
    uint32_t random;
    uint32_t plays[LEARNER_ARMS];
    struct clipped arms[LEARNER_ARMS];
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
        const struct clipped *const of = &learner_model.arms[arm];
        const struct similarity found = {clipped_dot(of, x), of->squares ? of->squares : 1};
        learner_scores[arm] = found.dot;
        if (arm == 0 || nearer(found, highest)) {
            highest = found;
            nearest = arm;
        }
    }
    return explored_arm(&learner_model.random, nearest);
}

/* The probability in steps of 2^-LEARNER_MASK_BITS, rounded up, so never 0; plays stop at 2^30. */
static uint32_t share_of(uint32_t plays)
{
    const uint32_t whole = LEARNER_N0 + plays;
    return (((uint32_t)LEARNER_N0 << LEARNER_MASK_BITS) + whole - 1) / whole;
}

GNOMON_REGION void learner_update(uint32_t chosen, fx_t reward)
{
    const uint32_t *const x = encoded_context(&learner_model.book);
    const int32_t weight = weight_of(reward, 1);
    learner_model.plays[chosen] += learner_model.plays[chosen] < 0x40000000u;
    if (weight == 0) {
        return;
    }
    const uint32_t share = share_of(learner_model.plays[chosen]);
    const uint32_t turned = weight < 0 ? 0xffffffffu : 0;
    for (uint32_t word = 0; word < HV_WORDS; ++word) {
        uint32_t mask = hv_bernoulli(&learner_model.random, share, LEARNER_MASK_BITS);
        if (word == HV_WORDS - 1) {
            mask &= HV_LAST_MASK;
        }
        if (mask != 0) {
            const uint32_t down = x[word] ^ turned;
            clipped_add(&learner_model.arms[chosen], word, mask & ~down, mask & down);
        }
    }
}
