/* Functions of a learner of the paper code beyond learner.h: the values that all arms share, and the
 * score of one arm. */
#ifndef PAPER_LEARNER_H
#define PAPER_LEARNER_H

#include "learner.h"
#include "paper_fixed.h"

void learner_prepare(void);
fx_t learner_score(uint32_t arm);

#endif
