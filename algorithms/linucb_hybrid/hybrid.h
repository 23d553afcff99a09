/*
 * Sizes, shapes, input and selection of the hybrid learners.
 *
 * Both store, for all arms, A0 or its inverse (k x k) and b0 (k), and for each arm A or its inverse
 * (d x d), B (d x k) and b (d), with k = d f. The score of an arm is the same in both.
 */
#ifndef HYBRID_H
#define HYBRID_H

#include "paper_learner.h"
#include "paper_matrix.h"

#ifndef LEARNER_F
#error "hybrid.h: define LEARNER_F: features of an arm"
#endif

enum { one = 1, d = LEARNER_D, f = LEARNER_F, k = LEARNER_D * LEARNER_F };

DEFINE_MATRIX(one, one)
DEFINE_MATRIX(one, d)
DEFINE_MATRIX(d, one)
DEFINE_MATRIX(f, one)
DEFINE_MATRIX(f, d)
DEFINE_MATRIX(one, k)
DEFINE_MATRIX(k, one)
DEFINE_MATRIX(d, d)
DEFINE_MATRIX(d, k)
DEFINE_MATRIX(k, d)
DEFINE_MATRIX(k, k)

DEFINE_ADD(d, one)
DEFINE_ADD(d, k)
DEFINE_ADD(k, one)
DEFINE_SUBTRACT(d, one)
DEFINE_SUBTRACT(k, one)
DEFINE_SCALE(d, one)
DEFINE_SCALE(k, one)
DEFINE_TRANSPOSE(d, one)
DEFINE_TRANSPOSE(k, one)
DEFINE_TRANSPOSE(d, k)
DEFINE_RESHAPE(f, d, k)
DEFINE_MULTIPLY(one, d, one)
DEFINE_MULTIPLY(one, k, one)
DEFINE_MULTIPLY(f, one, d)
DEFINE_MULTIPLY(d, d, one)
DEFINE_MULTIPLY(d, k, one)
DEFINE_MULTIPLY(k, d, one)
DEFINE_MULTIPLY(k, k, one)
DEFINE_MULTIPLY(d, one, k)
DEFINE_INVERSE(d)

static inline MATRIX(d, one) context(void)
{
    MATRIX(d, one) x;
    FOR(i, d) x.at[i][0] = learner_context[i];
    return x;
}

/* z = features (x) context, feature by feature: k multiplications. */
static inline MATRIX(k, one) interaction(uint32_t arm, MATRIX(d, one) x)
{
    MATRIX(f, one) features;
    FOR(i, f) features.at[i][0] = learner_features[arm][i];
    return reshape_f_d(multiply_f_one_d(features, transpose_d_one(x)));
}

/*
 * The score of one arm, given A^-1, B, b, A0^-1 and beta. Products are evaluated from right to
 * left and none is used twice: 3 k^2 + 4 d k + 5 d^2 + 4 k + 3 d multiplications and additions
 * with z, 1 multiplication, 1 square root. The factor 2 is an addition.
 */
static inline fx_t hybrid_score(uint32_t arm, const MATRIX(d, d) * inverse,
                                const MATRIX(d, k) * b_shared, const MATRIX(d, one) * b,
                                const MATRIX(k, k) * shared_inverse, const MATRIX(k, one) * beta)
{
    const MATRIX(d, one) x = context();
    const MATRIX(k, one) z = interaction(arm, x);
    const MATRIX(one, d) x_row = transpose_d_one(x);
    const MATRIX(one, k) z_row = transpose_k_one(z);
    const MATRIX(k, d) b_columns = transpose_d_k(*b_shared);

    const MATRIX(d, one) theta =
        multiply_d_d_one(*inverse, subtract_d_one(*b, multiply_d_k_one(*b_shared, *beta)));

    const fx_t s1 = multiply_one_k_one(z_row, multiply_k_k_one(*shared_inverse, z)).at[0][0];
    const fx_t s2 =
        multiply_one_k_one(
            z_row, multiply_k_k_one(*shared_inverse,
                                    multiply_k_d_one(b_columns, multiply_d_d_one(*inverse, x))))
            .at[0][0];
    const fx_t s3 = multiply_one_d_one(x_row, multiply_d_d_one(*inverse, x)).at[0][0];
    const fx_t s4 =
        multiply_one_d_one(
            x_row,
            multiply_d_d_one(
                *inverse,
                multiply_d_k_one(
                    *b_shared,
                    multiply_k_k_one(*shared_inverse,
                                     multiply_k_d_one(b_columns,
                                                      multiply_d_d_one(*inverse, x))))))
            .at[0][0];
    const fx_t s = paper_add(paper_add(paper_subtract(s1, paper_add(s2, s2)), s3), s4);

    const fx_t width = paper_multiply(learner_alpha, paper_square_root(s));
    const fx_t shared = multiply_one_k_one(z_row, *beta).at[0][0];
    const fx_t own = multiply_one_d_one(x_row, theta).at[0][0];
    return paper_add(paper_add(shared, own), width);
}

static inline void set_identity_d(MATRIX(d, d) * a)
{
    *a = (MATRIX(d, d)){0};
    FOR(i, d) a->at[i][i] = FX_ONE;
}

static inline void set_identity_k(MATRIX(k, k) * a)
{
    *a = (MATRIX(k, k)){0};
    FOR(i, k) a->at[i][i] = FX_ONE;
}

#endif
