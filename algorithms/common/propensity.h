/*
 * Probabilities with which arms are taken, for logs that off-policy estimates can use.
 *
 * With LEARNER_PROPENSITY, learner_decide writes its arm's probability to learner_propensity. A learner
 * that samples its arms sets it; any other takes its arm with certainty or, with LEARNER_PERTURB, takes
 * a uniformly random arm in that share of the decisions.
 */
#ifndef PROPENSITY_H
#define PROPENSITY_H

#include <stdint.h>

#define PROPENSITY_ONE 0x80000000u /* 31 fractional bits */

extern uint32_t learner_propensity;

/* part / whole, rounded down; part <= whole. Divides words only. */
static inline uint32_t propensity_of(uint32_t part, uint32_t whole)
{
    uint32_t quotient = 0;
    uint64_t rest = part;
    for (int bit = 0; bit < 32; ++bit, rest <<= 1) {
        const uint32_t fits = rest >= whole;
        rest -= fits ? whole : 0;
        quotient = quotient << 1 | fits;
    }
    return quotient;
}

/* Of an arm if `share` of the decisions take any of `arms`, and the others the best one. */
static inline uint32_t propensity_of_mixture(uint32_t share, uint32_t arms, int best)
{
    return share / arms + (best ? PROPENSITY_ONE - share : 0);
}

#endif
