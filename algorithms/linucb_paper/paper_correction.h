/*
 * Schedule of the periodic correction. LEARNER_CORRECTION_PERIOD: updates from one correction to
 * the next, 5,000 in the paper; not defined or 0: the learner has no correction.
 *
 * The count is the last word of learner_model, so that setting the model chooses the update
 * that corrects.
 */
#ifndef PAPER_CORRECTION_H
#define PAPER_CORRECTION_H

#include "paper_fixed.h"

#ifndef LEARNER_CORRECTION_PERIOD
#define LEARNER_CORRECTION_PERIOD 0
#endif
#if LEARNER_CORRECTION_PERIOD < 0 || LEARNER_CORRECTION_PERIOD > 0x7FFFFFFF
#error "paper_correction.h: LEARNER_CORRECTION_PERIOD must be from 0 to 2^31 - 1"
#endif

static inline int correction_is_due(fx_t *updates_left)
{
    *updates_left -= 1;
    if (*updates_left > 0) {
        return 0;
    }
    *updates_left = LEARNER_CORRECTION_PERIOD;
    return 1;
}

#endif
