/*
 * Diagonal LinUCB, the sums of a selection on the vector unit: while the bound of an arm is computed on
 * the scalar core, the next arm comes in. An update takes a division per weight, which the unit has not:
 * it runs on the scalar core.
 *
 * Scratchpads 0 and 1: variances and weights of an arm, in turn; 2: y^2 and x; 3: products, results.
 */
#include "diagonal.h"
#include "vcu.h"

#if !VCU_HAS_POSTSCALE || VCU_POSTSCALE_SHIFT != 15
#error "linucb_diagonal_vector.c: the machine needs post-scaled products (kps) of 15 bits"
#endif
#if VCU_SPM_COUNT < 4
#error "linucb_diagonal_vector.c: four scratchpads are needed"
#endif

enum { VECTOR = 4 * LEARNER_D };

_Static_assert(2 * VECTOR + 8 <= (int)VCU_SPM_BYTES, "LEARNER_D: two vectors must fit a scratchpad");

#define SQUARES VCU_SPM(2)
#define X (VCU_SPM(2) + VECTOR)
#define PRODUCTS VCU_SPM(3)
#define RESULT (VCU_SPM(3) + VECTOR)

struct pair {
    fx_t t, mean;
};

/* Both words that RESULT holds. A load waits for the transfer. */
INLINE struct pair results(void)
{
    static struct pair place;
    kmemstr(&place, RESULT, sizeof place);
    return *(volatile struct pair *)&place;
}

/* x, and the squares of y in Q15, rounded down, to scratchpad 2. */
static void load_context(void)
{
    square_context();
    for (uint32_t i = 0; i < d; ++i) {
        squares[i] >>= 16;
    }
    vcu_set_mvtype(VCU_32_BIT);
    vcu_set_mvsize(VECTOR);
    kmemld(SQUARES, squares, VECTOR);
    kmemld(X, learner_context, VECTOR);
}

/* t in Q30 and theta^T x in Q20 of the arm at `at`; each product rounded down. */
INLINE void sum_products(uint32_t at)
{
    kvmulps(PRODUCTS, at, SQUARES);
    kvred(RESULT, PRODUCTS);
    kvmulps(PRODUCTS, at + VECTOR, X);
    kvred(RESULT + 4, PRODUCTS);
}

INLINE fx_t mean_of(struct pair sums)
{
    return sums.mean >> (THETA_BITS - FX_FRACTION_BITS);
}

GNOMON_REGION uint32_t learner_select(int hart)
{
    (void)hart;
    load_context();
    const struct arm *arm = learner_model.arms;
    uint32_t here = VCU_SPM(0), other = VCU_SPM(1);
    kmemld(here, arm, 2 * VECTOR);
    for (uint32_t a = 0; a < LEARNER_ARMS; ++a) {
        ++arm;
        sum_products(here);
        const struct pair sums = results();
        if (a + 1 < LEARNER_ARMS) {
            kmemld(other, arm, 2 * VECTOR);
        }
        learner_scores[a] = upper_bound(mean_of(sums), learner_alpha, sums.t, exponent);
        const uint32_t swap = here;
        here = other;
        other = swap;
    }
    return learner_best_arm();
}
