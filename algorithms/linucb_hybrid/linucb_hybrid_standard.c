/* Hybrid LinUCB, standard: A0 and each A are stored, and inverted in every selection. */
#include "hybrid.h"

struct arm {
    MATRIX(d, d) a;
    MATRIX(d, k) b_shared;
    MATRIX(d, one) b;
};

static struct {
    MATRIX(k, k) a0;
    MATRIX(k, one) b0;
    struct arm arms[LEARNER_ARMS];
} learner_model;

/* Data of one selection. */
static MATRIX(k, k) shared_inverse;
static MATRIX(k, one) beta;

DEFINE_ADD(d, d)
DEFINE_ADD(k, k)
DEFINE_SUBTRACT(k, k)
DEFINE_MULTIPLY(d, one, d)
DEFINE_MULTIPLY(d, d, k)
DEFINE_MULTIPLY(k, d, k)
DEFINE_MULTIPLY(k, one, k)
DEFINE_INVERSE(k)

void learner_reset(void)
{
    set_identity_k(&learner_model.a0);
    learner_model.b0 = (MATRIX(k, one)){0};
    FOR(i, LEARNER_ARMS)
    {
        set_identity_d(&learner_model.arms[i].a);
        learner_model.arms[i].b_shared = (MATRIX(d, k)){0};
        learner_model.arms[i].b = (MATRIX(d, one)){0};
    }
}

/* LU(k) + k^2 multiplications and additions. */
void learner_prepare(void)
{
    shared_inverse = inverse_k_k(learner_model.a0);
    beta = multiply_k_k_one(shared_inverse, learner_model.b0);
}

/* LU(d), and the operations that hybrid_score states. */
fx_t learner_score(uint32_t chosen)
{
    const struct arm *arm = &learner_model.arms[chosen];
    const MATRIX(d, d) inverse = inverse_d_d(arm->a);
    return hybrid_score(chosen, &inverse, &arm->b_shared, &arm->b, &shared_inverse, &beta);
}

/*
 * A0 += B^T (A^-1 B), b0 += B^T (A^-1 b); then A, B, b of the arm; then A0 and b0 once more with
 * the first terms subtracted again: 2 LU(d) + 2 d k^2 + 2 d^2 k + k^2 + 3 d k + 3 d^2 + 2 k + d.
 */
GNOMON_REGION void learner_update(uint32_t chosen, fx_t reward)
{
    struct arm *arm = &learner_model.arms[chosen];
    const MATRIX(d, one) x = context();
    {
        const MATRIX(d, d) inverse = inverse_d_d(arm->a);
        const MATRIX(k, d) b_columns = transpose_d_k(arm->b_shared);
        learner_model.a0 =
            add_k_k(learner_model.a0,
                    multiply_k_d_k(b_columns, multiply_d_d_k(inverse, arm->b_shared)));
        learner_model.b0 =
            add_k_one(learner_model.b0,
                      multiply_k_d_one(b_columns, multiply_d_d_one(inverse, arm->b)));
    }
    const MATRIX(k, one) z = interaction(chosen, x);
    const MATRIX(one, k) z_row = transpose_k_one(z);
    arm->a = add_d_d(arm->a, multiply_d_one_d(x, transpose_d_one(x)));
    arm->b_shared = add_d_k(arm->b_shared, multiply_d_one_k(x, z_row));
    arm->b = add_d_one(arm->b, scale_d_one(x, reward));
    {
        const MATRIX(d, d) inverse = inverse_d_d(arm->a);
        const MATRIX(k, d) b_columns = transpose_d_k(arm->b_shared);
        learner_model.a0 =
            subtract_k_k(add_k_k(learner_model.a0, multiply_k_one_k(z, z_row)),
                         multiply_k_d_k(b_columns, multiply_d_d_k(inverse, arm->b_shared)));
        learner_model.b0 =
            subtract_k_one(add_k_one(learner_model.b0, scale_k_one(z, reward)),
                           multiply_k_d_one(b_columns, multiply_d_d_one(inverse, arm->b)));
    }
}

const uint32_t learner_model_words = sizeof learner_model / sizeof(fx_t);

fx_t *learner_model_place(void)
{
    return (fx_t *)&learner_model;
}
