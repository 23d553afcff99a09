/*
 * Encoder of contexts, and the map of rewards to weights, of all hyperdimensional learners.
 *
 * OUR READING: the body of the papers was not available. A feature is one of LEARNER_LEVELS levels; its
 * level vector times its identity vector is bound by XOR, the features are bundled by bit-sliced
 * counters, and the majority is taken; ties have the components of a fixed random vector. Level q
 * is level 0 with its first span D q / (L - 1) components flipped. Components are independent
 * samples, so which of them are flipped, the first or random ones, changes no distribution.
 */
#ifndef ENCODER_H
#define ENCODER_H

#include "hypervector.h"
#include "learner.h"

#if FX_FRACTION_BITS != 15
#error "encoder.h: FX_FRACTION_BITS must be 15: ranges and weights are in these steps"
#endif
#ifndef LEARNER_LEVELS /* L */
#define LEARNER_LEVELS 16
#endif
#ifndef LEARNER_SPAN /* % of the components that differ between the first and the last level */
#define LEARNER_SPAN 100
#endif
#ifndef LEARNER_LOW /* the first level begins here, Q15 */
#define LEARNER_LOW (-3 * 32768)
#endif
#ifndef LEARNER_HIGH /* the last one ends here */
#define LEARNER_HIGH (3 * 32768)
#endif
#ifndef LEARNER_REWARD_LOW /* reward of the weight -LEARNER_WEIGHTS, Q15 */
#define LEARNER_REWARD_LOW 0
#endif
#ifndef LEARNER_REWARD_HIGH /* reward of the weight LEARNER_WEIGHTS */
#define LEARNER_REWARD_HIGH 32768
#endif
#ifndef LEARNER_SEED
#define LEARNER_SEED 1u
#endif
#define RANGE_OF(low, high) ((long long)(high) - (low))
_Static_assert(LEARNER_LEVELS >= 2 && LEARNER_LEVELS <= 256, "LEARNER_LEVELS: 2 to 256");
_Static_assert(LEARNER_SPAN >= 1 && LEARNER_SPAN <= 100, "LEARNER_SPAN: 1 to 100 %");
_Static_assert(RANGE_OF(LEARNER_LOW, LEARNER_HIGH) > 0 &&
                   RANGE_OF(LEARNER_LOW, LEARNER_HIGH) * LEARNER_LEVELS < 1ll << 32,
               "LEARNER_LOW, LEARNER_HIGH: ascending, the range times LEARNER_LEVELS in 32 bits");

/* The vectors that never change. */
struct codebook {
    uint32_t tie[HV_WORDS];
    uint32_t levels[LEARNER_LEVELS][HV_WORDS];
    uint32_t identities[LEARNER_D][HV_WORDS];
};

/* Draws the vectors; `random` then is the state after these draws. */
void fill_codebook(struct codebook *book, uint32_t *random);

/* The hypervector of learner_context; until its levels change, the same one without work. */
const uint32_t *encoded_context(const struct codebook *book);

/* Of a reward: a whole number from -weights to weights, the nearest on the line through both ends. */
static inline int32_t weight_of(fx_t reward, uint32_t weights)
{
    _Static_assert(RANGE_OF(LEARNER_REWARD_LOW, LEARNER_REWARD_HIGH) > 0 &&
                       RANGE_OF(LEARNER_REWARD_LOW, LEARNER_REWARD_HIGH) < 1 << 22,
                   "LEARNER_REWARD_LOW, LEARNER_REWARD_HIGH: ascending, less than 128 apart");
    const uint32_t range = (uint32_t)RANGE_OF(LEARNER_REWARD_LOW, LEARNER_REWARD_HIGH);
    const fx_t inside = reward < LEARNER_REWARD_LOW    ? LEARNER_REWARD_LOW
                        : reward > LEARNER_REWARD_HIGH ? LEARNER_REWARD_HIGH
                                                       : reward;
    const uint32_t offset = (uint32_t)inside - (uint32_t)LEARNER_REWARD_LOW;
    return (int32_t)((4 * weights * offset + range) / (2 * range)) - (int32_t)weights;
}

#endif
