/*
 * Hybrid LinUCB, optimized (algorithm 2 of the paper): A0^-1 and each A^-1 are stored, and updated
 * by the Sherman-Morrison formula and Woodbury's identity. With LEARNER_CORRECTION_PERIOD also A0
 * and each A are stored, and the inverses are recomputed from them each period of updates (section
 * 3.3.3).
 */
#include "hybrid.h"
#include "paper_correction.h"

struct arm {
    MATRIX(d, d) inverse;
    MATRIX(d, k) b_shared;
    MATRIX(d, one) b;
#if LEARNER_CORRECTION_PERIOD
    MATRIX(d, d) a;
#endif
};

static struct {
    MATRIX(k, k) a0_inverse;
    MATRIX(k, one) b0;
    struct arm arms[LEARNER_ARMS];
#if LEARNER_CORRECTION_PERIOD
    MATRIX(k, k) a0;
    fx_t updates_left; /* updates until the next correction, including its own */
#endif
} learner_model;

/* Data of one selection. */
static MATRIX(k, one) beta;

DEFINE_ADD(d, d)
DEFINE_ADD(k, k)
DEFINE_SUBTRACT(d, d)
DEFINE_SUBTRACT(k, k)
DEFINE_DIVIDE(d, d)
DEFINE_DIVIDE(k, k)
DEFINE_MULTIPLY(d, one, d)
DEFINE_MULTIPLY(k, one, k)
DEFINE_MULTIPLY(one, d, d)
DEFINE_MULTIPLY(one, k, k)
DEFINE_MULTIPLY(d, k, k)
DEFINE_MULTIPLY(k, k, d)
DEFINE_MULTIPLY(d, k, d)
DEFINE_MULTIPLY(k, d, d)
DEFINE_MULTIPLY(k, d, k)

void learner_reset(void)
{
    set_identity_k(&learner_model.a0_inverse);
    learner_model.b0 = (MATRIX(k, one)){0};
    FOR(i, LEARNER_ARMS)
    {
        set_identity_d(&learner_model.arms[i].inverse);
        learner_model.arms[i].b_shared = (MATRIX(d, k)){0};
        learner_model.arms[i].b = (MATRIX(d, one)){0};
#if LEARNER_CORRECTION_PERIOD
        set_identity_d(&learner_model.arms[i].a);
#endif
    }
#if LEARNER_CORRECTION_PERIOD
    set_identity_k(&learner_model.a0);
    learner_model.updates_left = LEARNER_CORRECTION_PERIOD;
#endif
}

/* k^2 multiplications and additions. */
void learner_prepare(void)
{
    beta = multiply_k_k_one(learner_model.a0_inverse, learner_model.b0);
}

/* As many operations as hybrid_score states. */
fx_t learner_score(uint32_t chosen)
{
    const struct arm *arm = &learner_model.arms[chosen];
    return hybrid_score(chosen, &arm->inverse, &arm->b_shared, &arm->b, &learner_model.a0_inverse,
                        &beta);
}

/*
 * A0^-1 B^T (A + B A0^-1 B^T)^-1 B A0^-1, or with a minus in the middle; A is the inverse of A^-1.
 * A0^-1 B^T and B A0^-1 are computed once each: 2 LU(d) + 3 d k^2 + 2 d^2 k.
 */
static inline MATRIX(k, k) woodbury(const struct arm *arm, int minus)
{
    const MATRIX(d, d) a = inverse_d_d(arm->inverse);
    const MATRIX(k, d) b_columns = transpose_d_k(arm->b_shared);
    const MATRIX(k, d) left = multiply_k_k_d(learner_model.a0_inverse, b_columns);
    const MATRIX(d, k) right = multiply_d_k_k(arm->b_shared, learner_model.a0_inverse);
    const MATRIX(d, d) product = multiply_d_k_d(right, b_columns);
    const MATRIX(d, d) middle =
        inverse_d_d(minus ? subtract_d_d(a, product) : add_d_d(a, product));
    return multiply_k_d_k(multiply_k_d_d(left, middle), right);
}

/* A^-1 -= (A^-1 x) (x^T A^-1) / (1 + x^T A^-1 x): 3 d^2 + d, and d^2 divisions. */
static inline void sherman_morrison_d(MATRIX(d, d) * inverse, MATRIX(d, one) x)
{
    const MATRIX(d, one) left = multiply_d_d_one(*inverse, x);
    const MATRIX(one, d) right = multiply_one_d_d(transpose_d_one(x), *inverse);
    const fx_t denominator = paper_add(FX_ONE, multiply_one_d_one(right, x).at[0][0]);
    *inverse =
        subtract_d_d(*inverse, divide_d_d(multiply_d_one_d(left, right), denominator));
}

/* The same for A0^-1 and z: 3 k^2 + k, and k^2 divisions. */
static inline void sherman_morrison_k(MATRIX(k, k) * inverse, MATRIX(k, one) z)
{
    const MATRIX(k, one) left = multiply_k_k_one(*inverse, z);
    const MATRIX(one, k) right = multiply_one_k_k(transpose_k_one(z), *inverse);
    const fx_t denominator = paper_add(FX_ONE, multiply_one_k_one(right, z).at[0][0]);
    *inverse =
        subtract_k_k(*inverse, divide_k_k(multiply_k_one_k(left, right), denominator));
}

/* B^T (A^-1 b): d^2 + d k. */
static inline MATRIX(k, one) shared_share(const struct arm *arm)
{
    return multiply_k_d_one(transpose_d_k(arm->b_shared),
                            multiply_d_d_one(arm->inverse, arm->b));
}

#if LEARNER_CORRECTION_PERIOD
DEFINE_MULTIPLY(d, d, k)
DEFINE_INVERSE(k)

/* N LU(d) + LU(k). */
PAPER_KERNEL void correct(void)
{
    FOR(i, LEARNER_ARMS)
    {
        struct arm *arm = &learner_model.arms[i];
        arm->inverse = inverse_d_d(arm->a);
    }
    learner_model.a0_inverse = inverse_k_k(learner_model.a0);
}

/* B^T (A^-1 B), with the stored inverse: d^2 k + d k^2. */
static inline MATRIX(k, k) shared_square(const struct arm *arm)
{
    return multiply_k_d_k(transpose_d_k(arm->b_shared),
                          multiply_d_d_k(arm->inverse, arm->b_shared));
}

/*
 * The remaining updates of A and A0 by equations (5) and (6), as in the standard learner:
 * d^2 + k^2 + d^2 k + d k^2 multiplications. The correction, if due.
 */
static inline void learn_directly(struct arm *arm, MATRIX(d, one) x, MATRIX(k, one) z)
{
    arm->a = add_d_d(arm->a, multiply_d_one_d(x, transpose_d_one(x)));
    learner_model.a0 =
        subtract_k_k(add_k_k(learner_model.a0, multiply_k_one_k(z, transpose_k_one(z))),
                     shared_square(arm));
    if (correction_is_due(&learner_model.updates_left)) {
        correct();
    }
}
#endif

/*
 * Lines 19 to 26 of algorithm 2, in their order: 4 LU(d) + 6 d k^2 + 4 d^2 k + 3 k^2 + 3 d k +
 * 5 d^2 + 3 k + 2 d multiplications and additions, and d^2 + k^2 divisions in addition to LU(d).
 */
GNOMON_REGION void learner_update(uint32_t chosen, fx_t reward)
{
    struct arm *arm = &learner_model.arms[chosen];
    const MATRIX(d, one) x = context();
#if LEARNER_CORRECTION_PERIOD
    learner_model.a0 = add_k_k(learner_model.a0, shared_square(arm)); /* equation (4) */
#endif
    learner_model.a0_inverse = subtract_k_k(learner_model.a0_inverse, woodbury(arm, 0));
    learner_model.b0 = add_k_one(learner_model.b0, shared_share(arm));

    const MATRIX(k, one) z = interaction(chosen, x);
    sherman_morrison_d(&arm->inverse, x);
    arm->b_shared = add_d_k(arm->b_shared, multiply_d_one_k(x, transpose_k_one(z)));
    arm->b = add_d_one(arm->b, scale_d_one(x, reward));

    sherman_morrison_k(&learner_model.a0_inverse, z);
    learner_model.a0_inverse = add_k_k(learner_model.a0_inverse, woodbury(arm, 1));
    learner_model.b0 = subtract_k_one(add_k_one(learner_model.b0, scale_k_one(z, reward)),
                                      shared_share(arm));
#if LEARNER_CORRECTION_PERIOD
    learn_directly(arm, x, z);
#endif
}

const uint32_t learner_model_words = sizeof learner_model / sizeof(fx_t);

fx_t *learner_model_place(void)
{
    return (fx_t *)&learner_model;
}
