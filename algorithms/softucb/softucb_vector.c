/*
 * Incremental, on the vector unit, in Q16.15 throughout: V^-1, q, x and z are at most 1, so their
 * products fit 32 bits and keep all digits (FX_PRE_SHIFT_A and _B are 0). The surprise of a reward
 * is cut at +-2. Square roots, the largest index and the draw stay on the scalar core.
 */
#include "fx_vector.h"
#include "kernel_exp.h"
#include "kernel_matvec.h"
#include "softucb.h"

#if FX_FRACTION_BITS != 15 || LEARNER_INVERSE_BITS != 15 || FX_POST_SHIFT != 15
#error "softucb_vector.c: 15 fraction bits, and all of them shifted after a product"
#endif

enum { ROW = 4 * d, MATRIX = 4 * d * d, OF_ARMS = 4 * ARMS };

_Static_assert(MATRIX <= (int)VCU_SPM_BYTES && OF_ARMS <= (int)VCU_SPM_BYTES,
               "LEARNER_D, LEARNER_ARMS: V^-1 and a number for each arm must fit a scratchpad");

static void exponentials(fx_t *sizes)
{
    for (uint32_t i = 0; i < ARMS; ++i) {
        sizes[i] = -sizes[i];
    }
    (void)fx_exp_vector_nearest_checked(sizes, sizes, ARMS);
}

/* to = from times a number below 2, to nearest. */
static inline void vector_product(uint32_t to, uint32_t from, fx_t number)
{
    ksvmulrf(to, from, (uint32_t)number);
    ksvaddrf(to, to, 1u << 14);
    ksrav(to, to, 15u);
}

/* mu += error z, q -= z^2 / denominator. */
static void move_arms(const fx_t *z, fx_t error, fx_t reciprocal)
{
    const uint32_t Z = VCU_SPM(0), SQUARES = VCU_SPM(1), MEANS = VCU_SPM(2), TERM = VCU_SPM(3);
    kmemld(Z, z, OF_ARMS);
    vcu_set_mvtype(VCU_32_BIT);
    vcu_set_mvsize(OF_ARMS);
    vector_product(TERM, Z, reciprocal);
    kmemld(SQUARES, learner_model.squares, OF_ARMS);
    kvmul(TERM, TERM, Z);
    ksvaddrf(TERM, TERM, 1u << 14);
    ksrav(TERM, TERM, 15u);
    ksubv(SQUARES, SQUARES, TERM);
    krelu(SQUARES, SQUARES);
    kmemld(MEANS, learner_model.means, OF_ARMS);
    vector_product(TERM, Z, error);
    kmemstr(learner_model.squares, SQUARES, OF_ARMS);
    kaddv(MEANS, MEANS, TERM);
    kmemstr(learner_model.means, MEANS, OF_ARMS);
}

/* V^-1 -= u u^T / denominator, row by row. */
static void subtract_outer(const fx_t *u, fx_t reciprocal)
{
    const uint32_t U = VCU_SPM(1), TERM = VCU_SPM(2);
    uint32_t row = VCU_SPM(0);
    kmemld(row, learner_model.inverse, MATRIX);
    kmemld(U, u, ROW);
    vcu_set_mvsize(ROW);
    for (uint32_t i = 0; i < d; ++i) {
        vector_product(TERM, U, product(u[i], reciprocal, 15u));
        ksubv(row, row, TERM);
        row += ROW;
    }
    kmemstr(learner_model.inverse, VCU_SPM(0), MATRIX);
}

static void learn(const fx_t *x, uint32_t arm, fx_t reward)
{
    static fx_t u[d], z[ARMS];
    fx_matvec_vector_floor_wrap(&learner_model.inverse[0][0], x, u, d, d);
    fx_matvec_vector_floor_wrap(&learner_features[0][0], u, z, ARMS, d);
    const volatile fx_t *const stored = z; /* waits for the transfer */
    const fx_t own = stored[arm] < 0 ? 0 : stored[arm];
    const fx_t reciprocal = (fx_t)((1u << 30) / (uint32_t)(FX_ONE + own));
    const fx_t most = 2 * FX_ONE - 1;
    fx_t error = product(fx_subtract_wrap(reward, learner_model.means[arm]), reciprocal, 15u);
    error = error > most ? most : error < -most ? -most : error;
    move_arms(z, error, reciprocal);
    subtract_outer(u, reciprocal);
}
