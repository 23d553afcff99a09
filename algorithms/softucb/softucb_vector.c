/*
 * Incremental, on the vector unit; with post-scaled products (kps) or without, with the same bits
 * (fx_postscale.h). V^-1, q and u = V^-1 x are at most 1 and have 29 fraction bits, as they
 * have on the scalar core. The surprise of a reward, over sqrt(1 + x^T u), is cut at +-1.998. Square
 * roots, the largest index and sampling run on the scalar core.
 *
 * With c = u / sqrt(1 + x^T u) an update subtracts c c^T from V^-1, (x^T c)^2 from the q of an arm, and
 * adds x^T c times the surprise to its mean. c has 16 significant bits of the largest possible, since
 * |c|^2 is at most x^T u. So products of its elements fit a word, as does x^T c, exactly; V^-1 stays
 * symmetric, so later updates reduce its rounding errors; and q stays that of this V^-1.
 *
 * Scratchpad 0: V^-1. 1 and 2: its upper and lower parts, products, rows of X. 3: x, u, c, X c.
 */
#include "fx_inverse_root.h"
#include "fx_postscale.h"
#include "exp/exp.h"
#include "softucb.h"

#if FX_FRACTION_BITS != 15 || LEARNER_INVERSE_BITS != 29
#error "softucb_vector.c: 15 fraction bits, and 29 of V^-1"
#endif

enum {
    ROW = 4 * d,
    MATRIX = 4 * d * d,
    MOST = ARMS < 64 ? ARMS : 64, /* arms that are updated at once */
    PART = 4 * MOST,
    ROOT = 16,   /* bits of 1 / sqrt(1 + x^T u) */
    NARROW = 15, /* of c, where it may reach 1 */
    LARGEST_SURPRISE = 2 * FX_ONE - 64,
};

_Static_assert(MATRIX <= (int)VCU_SPM_BYTES && 7 * ROW + 3 * PART <= (int)VCU_SPM_BYTES,
               "LEARNER_D: V^-1 must fit a scratchpad");

#define U VCU_SPM(3)
#define U_UPPER (U + ROW)
#define U_LOWER (U + 2u * ROW)
#define X (U + 3u * ROW)
#define C (U + 4u * ROW)
#define TERM (U + 5u * ROW)
#define OWN (U + 6u * ROW)
#define Z (U + 7u * ROW)
/* For arms: after a row. */
#define OF_ARMS(i, j) (VCU_SPM(i) + (uint32_t)ROW + (uint32_t)(j) * (uint32_t)PART)

static void exponentials(fx_t *sizes)
{
    for (uint32_t i = 0; i < ARMS; ++i) {
        sizes[i] = -sizes[i];
    }
    (void)fx_exp_vector_nearest_checked(sizes, sizes, ARMS);
}

/* u = V^-1 x and its parts; returns x^T u, from 0 to 1. */
static inline fx_t load_inverse(const fx_t *x)
{
    static fx_t words[1];
    const volatile fx_t *const stored = words; /* waits for the transfer */
    const struct fx_postscale_vector u = {U, U_UPPER, U_LOWER};
    struct fx_postscale_vector row = {VCU_SPM(0), VCU_SPM(1), VCU_SPM(2)};
    kmemld(row.whole, learner_model.inverse, MATRIX);
    vcu_set_mvtype(VCU_32_BIT);
    vcu_set_mvsize(MATRIX);
    fx_postscale_set_shift();
    fx_postscale_split(row);
    kmemld(X, x, ROW);
    vcu_set_mvsize(ROW);
    for (uint32_t i = 0; i < (uint32_t)ROW; i += 4u) {
        /* Lower words go where the first row was. */
        fx_postscale_dot(U + i, VCU_SPM(2) + i, VCU_SPM(1), row, X);
        row.whole += ROW;
        row.high += ROW;
        row.low += ROW;
    }
    fx_postscale_join(U, VCU_SPM(2), VCU_SPM(2));
    fx_postscale_split(u);
    kvcp(VCU_SPM(1), X);
    fx_postscale_dot(OWN, VCU_SPM(2), TERM, u, VCU_SPM(1));
    vcu_set_mvsize(4u);
    fx_postscale_join(OWN, VCU_SPM(2), VCU_SPM(2));
    kmemstr(words, OWN, 4u);
    const fx_t own = stored[0];
    return own < 0 ? 0 : own > INVERSE_ONE ? INVERSE_ONE : own;
}

/* Dot products of c and rows: while one row is loaded, the one before is multiplied. */
static inline void multiply_rows(const fx_t *from, uint32_t rows)
{
    uint32_t to = Z;
    kmemld(VCU_SPM(1), from, ROW);
    vcu_set_mvsize(ROW);
    for (;;) {
        if (--rows == 0) {
            kdotp(to, C, VCU_SPM(1));
            return;
        }
        from += d;
        kmemld(VCU_SPM(2), from, ROW);
        kdotp(to, C, VCU_SPM(1));
        to += 4u;
        FX_HERE(to);
        if (--rows == 0) {
            kdotp(to, C, VCU_SPM(2));
            return;
        }
        from += d;
        kmemld(VCU_SPM(1), from, ROW);
        kdotp(to, C, VCU_SPM(2));
        to += 4u;
        FX_HERE(to);
    }
}

/* mu += surprise z, q -= z^2, for a group of arms; z = x^T c has 30 + more bits. */
static inline void move_arms(uint32_t first, uint32_t arms, fx_t surprise, uint32_t more)
{
    /* z = 2^15 upper + lower, |lower| <= 2^14. */
    const uint32_t lower = OF_ARMS(1, 0), upper = OF_ARMS(2, 0), upper_again = OF_ARMS(1, 1);
    const uint32_t between = OF_ARMS(2, 1), step = OF_ARMS(1, 2), kept = OF_ARMS(2, 2);
    const uint32_t bytes = 4u * arms;
    fx_t *const means = learner_model.means + first, *const squares = learner_model.squares + first;
    vcu_set_mvsize(bytes);
    ksvaddrf(upper, Z, 1u << 14);
    ksrav(upper, upper, 15u);
    kvcp(upper_again, upper);
    ksvmulrf(between, upper, 1u << 15);
    kmemld(kept, means, bytes);
    ksubv(lower, Z, between);

    const uint32_t of_means = NARROW + more;
    const struct fx_postscale_vector z = {Z, upper, lower};
    fx_postscale_number(step, between, z, surprise);
    ksvaddrf(step, step, 1u << of_means >> 1);
    ksrav(step, step, of_means);
    kaddv(kept, kept, step);
    kmemstr(means, kept, bytes);

    /* z^2 = 2^30 (upper^2 + upper lower 2^-14), and the square of lower, which is below a step. */
    const uint32_t of_squares = 2u * (2u * NARROW + more) - 30u - INVERSE;
    kvmul(between, lower, upper);
    ksvaddrf(between, between, 1u << 13);
    ksrav(between, between, 14u);
    kvmul(lower, upper_again, upper);
    kmemld(kept, squares, bytes);
    kaddv(lower, lower, between);
    ksvaddrf(lower, lower, 1u << of_squares >> 1);
    ksrav(lower, lower, of_squares);
    ksubv(kept, kept, lower);
    krelu(kept, kept);
    kmemstr(squares, kept, bytes);
}

static void learn(const fx_t *x, uint32_t arm, fx_t reward)
{
    static fx_t c[d];
    const volatile fx_t *const stored = c;
    const struct fx_postscale_vector u = {U, U_UPPER, U_LOWER};
    const fx_t own = load_inverse(x);
    const struct fx_inverse_root by =
        fx_inverse_root((uint32_t)(INVERSE_ONE + own), 31u - INVERSE, INVERSE);

    /* |c|^2 is at most x^T u, which rounding may have reduced by 4 d steps. */
    const uint32_t zeros = fx_leading_zeros((uint32_t)own + 4u * d);
    const uint32_t more = zeros < 32u - INVERSE ? 0u : (zeros - (32u - INVERSE)) / 2u;
    const uint32_t right = INVERSE + ROOT - FX_POSTSCALE - NARROW - more;
    vcu_set_mvsize(ROW);
    fx_postscale_number(C, VCU_SPM(2), u, (fx_t)by.factor);
    ksvaddrf(C, C, 1u << right >> 1);
    ksrav(C, C, right);
    kmemstr(c, C, ROW);

    const fx_t most = LARGEST_SURPRISE;
    fx_t surprise =
        product(fx_subtract_wrap(reward, learner_model.means[arm]), (fx_t)by.factor, ROOT);
    surprise = surprise > most ? most : surprise < -most ? -most : surprise;
    for (uint32_t first = 0; first < ARMS; first += MOST) {
        const uint32_t arms = ARMS - first < MOST ? ARMS - first : MOST;
        multiply_rows(learner_features[first], arms);
        move_arms(first, arms, surprise, more);
    }

    uint32_t row = VCU_SPM(1);
    vcu_set_mvsize(ROW);
    for (uint32_t i = 0; i < d; ++i) {
        ksvmulrf(row, C, (uint32_t)stored[i]);
        row += ROW;
    }
    const uint32_t lower = 2u * (NARROW + more) - INVERSE;
    vcu_set_mvsize(MATRIX);
    ksvaddrf(VCU_SPM(1), VCU_SPM(1), 1u << lower >> 1);
    ksrav(VCU_SPM(1), VCU_SPM(1), lower);
    ksubv(VCU_SPM(0), VCU_SPM(0), VCU_SPM(1));
    kmemstr(learner_model.inverse, VCU_SPM(0), MATRIX);
}
