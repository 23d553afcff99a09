/* Sizes, shapes and input of the disjoint learners. */
#ifndef DISJOINT_H
#define DISJOINT_H

#include "paper_learner.h"
#include "paper_matrix.h"

enum { one = 1, d = LEARNER_D };

DEFINE_MATRIX(one, one)
DEFINE_MATRIX(one, d)
DEFINE_MATRIX(d, one)
DEFINE_MATRIX(d, d)

static inline MATRIX(d, one) context(void)
{
    MATRIX(d, one) x;
    FOR(i, d) x.at[i][0] = learner_context[i];
    return x;
}

static inline void set_identity(MATRIX(d, d) * a)
{
    *a = (MATRIX(d, d)){0};
    FOR(i, d) a->at[i][i] = FX_ONE;
}

#endif
