/* Disjoint LinUCB, standard: A is stored, and inverted for every arm in every selection. */
#include "disjoint.h"

struct arm {
    MATRIX(d, d) a;
    MATRIX(d, one) b;
};

static struct {
    struct arm arms[LEARNER_ARMS];
} learner_model;

DEFINE_ADD(d, d)
DEFINE_ADD(d, one)
DEFINE_SCALE(d, one)
DEFINE_TRANSPOSE(d, one)
DEFINE_MULTIPLY(d, d, one)
DEFINE_MULTIPLY(d, one, d)
DEFINE_MULTIPLY(one, d, one)
DEFINE_INVERSE(d)

void learner_reset(void)
{
    FOR(i, LEARNER_ARMS)
    {
        set_identity(&learner_model.arms[i].a);
        learner_model.arms[i].b = (MATRIX(d, one)){0};
    }
}

void learner_prepare(void) {}

/* LU(d) + 2 d^2 + 2 d multiplications and additions, 1 multiplication, 1 square root. */
fx_t learner_score(uint32_t chosen)
{
    const struct arm *arm = &learner_model.arms[chosen];
    const MATRIX(d, one) x = context();
    const MATRIX(d, d) inverse = inverse_d_d(arm->a);
    const MATRIX(d, one) theta = multiply_d_d_one(inverse, arm->b);
    const MATRIX(one, one) s =
        multiply_one_d_one(transpose_d_one(x), multiply_d_d_one(inverse, x));
    const MATRIX(one, one) reward = multiply_one_d_one(transpose_d_one(theta), x);
    const fx_t width = paper_square_root(s.at[0][0]);
    return paper_add(reward.at[0][0], paper_multiply(learner_alpha, width));
}

/* A += x x^T, b += r x: d^2 + d multiplications, d^2 of them with an addition to zero. */
GNOMON_REGION void learner_update(uint32_t chosen, fx_t reward)
{
    struct arm *arm = &learner_model.arms[chosen];
    const MATRIX(d, one) x = context();
    arm->a = add_d_d(arm->a, multiply_d_one_d(x, transpose_d_one(x)));
    arm->b = add_d_one(arm->b, scale_d_one(x, reward));
}

const uint32_t learner_model_words = sizeof learner_model / sizeof(fx_t);

fx_t *learner_model_place(void)
{
    return (fx_t *)&learner_model;
}
