/*
 * Disjoint LinUCB, optimized (algorithm 1 of the paper): A^-1 is stored, and updated by the
 * Sherman-Morrison formula. With LEARNER_CORRECTION_PERIOD also A is stored, and the inverses are
 * recomputed from it each period of updates (section 3.3.3).
 */
#include "disjoint.h"
#include "paper_correction.h"

struct arm {
    MATRIX(d, d) inverse;
    MATRIX(d, one) b;
#if LEARNER_CORRECTION_PERIOD
    MATRIX(d, d) a;
#endif
};

static struct {
    struct arm arms[LEARNER_ARMS];
#if LEARNER_CORRECTION_PERIOD
    fx_t updates_left; /* updates until the next correction, including its own */
#endif
} learner_model;

DEFINE_SUBTRACT(d, d)
DEFINE_DIVIDE(d, d)
DEFINE_ADD(d, one)
DEFINE_SCALE(d, one)
DEFINE_TRANSPOSE(d, one)
DEFINE_MULTIPLY(d, d, one)
DEFINE_MULTIPLY(one, d, d)
DEFINE_MULTIPLY(d, one, d)
DEFINE_MULTIPLY(one, d, one)

void learner_reset(void)
{
    FOR(i, LEARNER_ARMS)
    {
        set_identity(&learner_model.arms[i].inverse);
        learner_model.arms[i].b = (MATRIX(d, one)){0};
#if LEARNER_CORRECTION_PERIOD
        set_identity(&learner_model.arms[i].a);
#endif
    }
#if LEARNER_CORRECTION_PERIOD
    learner_model.updates_left = LEARNER_CORRECTION_PERIOD;
#endif
}

void learner_prepare(void) {}

/* 2 d^2 + 2 d multiplications and additions, 1 multiplication, 1 square root. */
fx_t learner_score(uint32_t chosen)
{
    const struct arm *arm = &learner_model.arms[chosen];
    const MATRIX(d, one) x = context();
    const MATRIX(d, one) theta = multiply_d_d_one(arm->inverse, arm->b);
    const MATRIX(one, one) s =
        multiply_one_d_one(transpose_d_one(x), multiply_d_d_one(arm->inverse, x));
    const MATRIX(one, one) reward = multiply_one_d_one(transpose_d_one(theta), x);
    const fx_t width = paper_square_root(s.at[0][0]);
    return paper_add(reward.at[0][0], paper_multiply(learner_alpha, width));
}

#if LEARNER_CORRECTION_PERIOD
DEFINE_ADD(d, d)
DEFINE_INVERSE(d)

/* N LU(d). */
PAPER_KERNEL void correct(void)
{
    FOR(i, LEARNER_ARMS)
    {
        struct arm *arm = &learner_model.arms[i];
        arm->inverse = inverse_d_d(arm->a);
    }
}

/* A += x x^T: d^2 multiplications. The correction, if due. */
static inline void learn_directly(struct arm *arm, MATRIX(d, one) x)
{
    arm->a = add_d_d(arm->a, multiply_d_one_d(x, transpose_d_one(x)));
    if (correction_is_due(&learner_model.updates_left)) {
        correct();
    }
}
#endif

/*
 * A^-1 -= (A^-1 x) (x^T A^-1) / (1 + x^T A^-1 x), each element divided: 3 d^2 + d multiplications
 * and additions, d^2 divisions; b += r x: d multiplications.
 */
GNOMON_REGION void learner_update(uint32_t chosen, fx_t reward)
{
    struct arm *arm = &learner_model.arms[chosen];
    const MATRIX(d, one) x = context();
    const MATRIX(d, one) left = multiply_d_d_one(arm->inverse, x);
    const MATRIX(one, d) right = multiply_one_d_d(transpose_d_one(x), arm->inverse);
    const MATRIX(one, one) product = multiply_one_d_one(right, x);
    const fx_t denominator = paper_add(FX_ONE, product.at[0][0]);
    const MATRIX(d, d) change = divide_d_d(multiply_d_one_d(left, right), denominator);
    arm->inverse = subtract_d_d(arm->inverse, change);
    arm->b = add_d_one(arm->b, scale_d_one(x, reward));
#if LEARNER_CORRECTION_PERIOD
    learn_directly(arm, x);
#endif
}

const uint32_t learner_model_words = sizeof learner_model / sizeof(fx_t);

fx_t *learner_model_place(void)
{
    return (fx_t *)&learner_model;
}
