/*
 * Test for a change of the mean reward of an arm, in both directions, as in CUSUM-UCB (Liu, Lee and Shroff, 2018);
 * learner.py states what of it was compared with which text.
 * The first LEARNER_CUSUM rewards of an arm give its mean u. From then on the sums
 *     rise = max(0, rise + r - u - drift),   fall = max(0, fall + u - r - drift)
 * are followed; where one reaches the threshold, the arm has changed. A share of the decisions takes
 * any arm (LEARNER_EPSILON of epsilon.h), so that a change of an arm that is not played is noticed.
 */
#ifndef CUSUM_H
#define CUSUM_H

#ifndef LEARNER_EPSILON /* 0.05 */
#define LEARNER_EPSILON 3277
#endif
#include "epsilon.h"
#include "fx_divide.h"

#ifndef LEARNER_DRIFT /* smallest change of a mean that counts, Q15; 0.1 */
#define LEARNER_DRIFT 3277
#endif
#ifndef LEARNER_THRESHOLD /* Q15; ln 1000 */
#define LEARNER_THRESHOLD 226353
#endif
_Static_assert(LEARNER_CUSUM >= 1, "LEARNER_CUSUM: rewards of the mean, from 1");
_Static_assert(LEARNER_DRIFT >= 0 && LEARNER_DRIFT < 1 << 30, "LEARNER_DRIFT: 0 to 2^30 - 1");
_Static_assert(LEARNER_THRESHOLD >= 1 && LEARNER_THRESHOLD < 1 << 30, "LEARNER_THRESHOLD: 1 to 2^30 - 1");

struct cusum {
    fx_t mean; /* u */
    int32_t rise, fall;
};

static inline int32_t followed(int32_t sum, int64_t above)
{
    const int64_t next = sum + above - LEARNER_DRIFT; /* the sum is below the threshold */
    return next < 0 ? 0 : next > LEARNER_THRESHOLD ? LEARNER_THRESHOLD : (int32_t)next;
}

/* Whether the arm has changed, after a reward of it, its `count`th, with the sum of all of them. */
static inline int has_changed(struct cusum *test, uint32_t count, int64_t total, fx_t reward)
{
    if (count < LEARNER_CUSUM) {
        return 0;
    }
    if (count == LEARNER_CUSUM) {
        uint32_t failed = 0; /* stays 0: no mean exceeds the largest reward */
        test->mean = fx_divide_wide(total, LEARNER_CUSUM, &failed);
        return 0;
    }
    const int64_t above = (int64_t)reward - test->mean;
    test->rise = followed(test->rise, above);
    test->fall = followed(test->fall, -above);
    return test->rise == LEARNER_THRESHOLD || test->fall == LEARNER_THRESHOLD;
}

#endif
