/*
 * Disjoint LinUCB, optimized, on the vector unit. docs/notes/tuned-code.md derives its cost.
 *
 * A^-1 is symmetric, so half of its cyclic diagonals hold all of it: inverse[k][i] is the element
 * of row i and column (i + k) mod d, for k from 0 to d / 2. In this order y^T A^-1 y is one inner
 * product of two long vectors, with the products of the elements of y laid out alike, and a
 * rank-one update is one long subtraction; the products themselves are d / 2 + 1 instructions of d
 * elements, whose second operand is a window into a vector that is stored twice.
 *
 * Scratchpads 0 and 1: the model of an arm, in turn, or half of one each. 2: a vector written down
 * twice, then products. 3: short vectors and results.
 */
#include "scaled.h"
#include "vcu.h"

#if !VCU_HAS_POSTSCALE || VCU_POSTSCALE_SHIFT != 15
#error "linucb_disjoint_vector.c: the machine needs post-scaled products (kps) of 15 bits"
#endif
#if VCU_SPM_COUNT < 4
#error "linucb_disjoint_vector.c: four scratchpads are needed"
#endif

enum {
    d = SCALED_D,
    DIAGONALS = SCALED_D / 2 + 1,
    LOW_DIAGONALS = (DIAGONALS + 1) / 2, /* the group that an update computes first */
    VECTOR = 4 * SCALED_D,              /* bytes from here on */
    MODEL = DIAGONALS * VECTOR + VECTOR,
    LOW = LOW_DIAGONALS * VECTOR,
    HIGH = (DIAGONALS - LOW_DIAGONALS) * VECTOR,
};

_Static_assert(MODEL + 2 * VECTOR <= (int)VCU_SPM_BYTES,
               "LEARNER_D: a model and two vectors must fit a scratchpad");

struct arm {
    fx_t inverse[DIAGONALS][d];
    fx_t theta[d];
    int32_t scale; /* stays in memory */
};

static struct {
    struct arm arms[LEARNER_ARMS];
#ifdef LEARNER_WINDOW
    fx_t window[WINDOW_WORDS];
#endif
#ifdef LEARNER_FORGETTING
    uint32_t turn; /* coordinate to renew */
#endif
} learner_model;

#define TWICE VCU_SPM(2)
#define PRODUCTS (VCU_SPM(2) + 2 * VECTOR)
#define X VCU_SPM(3)
#define Y (VCU_SPM(3) + VECTOR)
#define SUM (VCU_SPM(3) + 2 * VECTOR) /* and one more vector after it */
#define RESULT (VCU_SPM(3) + 4 * VECTOR)
#define W (VCU_SPM(3) + 5 * VECTOR)

_Static_assert(6 * VECTOR <= (int)VCU_SPM_BYTES && 8 <= VECTOR, "LEARNER_D: from 2 up");

/* Computes x here: the compiler has no cost model of vector instructions. */
#define HERE(x) __asm__ volatile("" : "+r"(x))

/* Both words that RESULT holds. A load waits for the transfer. */
struct pair {
    fx_t first, second;
};

INLINE struct pair results(void)
{
    static struct pair place;
    kmemstr(&place, RESULT, sizeof place);
    return *(volatile struct pair *)&place;
}

void learner_reset(void)
{
    for (uint32_t a = 0; a < LEARNER_ARMS; ++a) {
        struct arm *const arm = &learner_model.arms[a];
        for (uint32_t i = 0; i < d; ++i) {
            for (uint32_t k = 0; k < DIAGONALS; ++k) {
                arm->inverse[k][i] = k == 0 ? INVERSE_ONE : 0;
            }
            arm->theta[i] = 0;
        }
        arm->scale = 0;
    }
#ifdef LEARNER_WINDOW
    clear_window(learner_model.window);
#endif
#ifdef LEARNER_FORGETTING
    learner_model.turn = 0;
#endif
}

/* x to X. MVSIZE becomes that of a vector. Returns the sum of the squares, for scale_exponent. */
INLINE uint32_t load_context(void)
{
    vcu_set_mvtype(VCU_32_BIT);
    kmemld(X, SCALED_CONTEXT, VECTOR);
    vcu_set_mvsize(VECTOR);
    kvcp(TWICE, X);
    kvmulps(PRODUCTS, X, TWICE);
    kvred(RESULT, PRODUCTS);
    return (uint32_t)results().first;
}

/* to = from 2^-right; a negative shift is a product. */
INLINE void vector_shift(uint32_t to, uint32_t from, int32_t right)
{
    if (right >= 0) {
        ksrav(to, from, (uint32_t)(right > 31 ? 31 : right));
    } else {
        ksvmulrf(to, from, 1u << -right);
    }
}

/* Diagonals `from` to `end` of the products of two vectors: left_i TWICE_(i + k). */
INLINE void outer_diagonals(uint32_t to, uint32_t left, uint32_t from, uint32_t end)
{
    uint32_t window = TWICE + 4 * from;
    const uint32_t last = TWICE + 4 * end;
    do {
        kvmulps(to, left, window);
        to += VECTOR;
        HERE(to);
        window += 4;
        HERE(window);
    } while (window != last);
}

/*
 * The products y_i y_j, each as often as its pair stands in a sum over all i and j: diagonal 0
 * once, others twice, the middle one of an even d once, as it holds each pair twice itself.
 */
INLINE void context_products(int32_t k)
{
    vector_shift(Y, X, -k);
    kvcp(TWICE, Y);
    kvmulps(PRODUCTS, Y, TWICE);
    if (d % 2 == 0) {
        kvcp(TWICE + VECTOR, Y);
        kvmulps(PRODUCTS + (DIAGONALS - 1) * VECTOR, Y, TWICE + 2 * d);
    }
    const uint32_t end = d % 2 == 0 ? DIAGONALS - 1 : DIAGONALS;
    if (end > 1) {
        ksvmulrf(TWICE, Y, 2);
        ksvmulrf(TWICE + VECTOR, Y, 2);
        outer_diagonals(PRODUCTS + VECTOR, Y, 1, end);
    }
}

/* From t and the mean. */
INLINE fx_t score_of(struct pair of_arm, fx_t alpha, int32_t k)
{
    return upper_bound(of_arm.second >> (THETA_BITS - FX_FRACTION_BITS), alpha, of_arm.first, k);
}

/*
 * Bound by the transfers: the model of an arm comes in while the one before it is multiplied, and
 * the score of the one before that is computed on the scalar core, in registers.
 */
GNOMON_REGION uint32_t learner_select(int hart)
{
    (void)hart;
    const struct arm *arm = learner_model.arms;
    const fx_t alpha = learner_alpha;
    const uint32_t squares = load_context();
    kmemld(VCU_SPM(0), arm, MODEL);
    const int32_t k = scale_exponent(squares);
    context_products(k);
    uint32_t here = VCU_SPM(0), other = VCU_SPM(1);
    const uint32_t scratch = PRODUCTS + DIAGONALS * VECTOR;
    struct pair before = {0, 0};
    int32_t both = k; /* and the scale of the one before */
    for (uint32_t a = 0; a < LEARNER_ARMS; ++a) {
        ++arm;
        if (a + 1 < LEARNER_ARMS) {
            kmemld(other, arm, MODEL);
        }
        kvmulps(scratch, here + DIAGONALS * VECTOR, X);
        kvred(RESULT + 4, scratch);
        vcu_set_mvsize(DIAGONALS * VECTOR);
        kvmulps(here, here, PRODUCTS);
        kvred(RESULT, here);
        if (a != 0) {
            fx_t score = score_of(before, alpha, both);
            HERE(score);
            learner_scores[a - 1] = score;
        }
        before = results();
        both = k + arm[-1].scale;
        vcu_set_mvsize(VECTOR);
        const uint32_t swap = here;
        here = other;
        other = swap;
    }
    learner_scores[LEARNER_ARMS - 1] = score_of(before, alpha, both);
    return learner_best_arm();
}

/*
 * Adds to SUM (two vectors) the part of diagonals from .. end of A^-1, at `at`, in A^-1 y: each
 * element serves its row, and its column but for diagonal 0 and the middle one of an even d. TWICE
 * holds y.
 */
INLINE void add_diagonals(uint32_t at, uint32_t from, uint32_t end)
{
    for (uint32_t k = from; k < end; ++k) {
        kvmulps(PRODUCTS, at, TWICE + 4 * k);
        kaddv(SUM, SUM, PRODUCTS);
        if (k != 0 && 2 * k != d) {
            kvmulps(PRODUCTS, at, Y);
            kaddv(SUM + 4 * k, SUM + 4 * k, PRODUCTS);
        }
        at += VECTOR;
        HERE(at);
    }
}

/* Diagonals from .. end of A^-1, `bytes` at `at`, less the products of SUM and TWICE, which have
 * 45 fraction bits together: Q30, rounded down. */
INLINE void subtract_products(uint32_t at, uint32_t from, uint32_t end, uint32_t bytes)
{
    vcu_set_mvsize(VECTOR);
    outer_diagonals(PRODUCTS, SUM, from, end);
    vcu_set_mvsize(bytes);
    ksubv(at, at, PRODUCTS);
}

/* Both parts of a model, in scratchpads, times 4^growth; rare, as 4^scale follows the plays. */
static __attribute__((noinline)) void grow(struct arm *arm, int32_t growth)
{
    const uint32_t factor = 1u << (2 * growth);
    vcu_set_mvsize(LOW);
    ksvmulrf(VCU_SPM(0), VCU_SPM(0), factor);
    kmemstr(arm, VCU_SPM(0), LOW);
    if (HIGH != 0) {
        vcu_set_mvsize(HIGH);
        ksvmulrf(VCU_SPM(1), VCU_SPM(1), factor);
        kmemstr(arm->inverse[LOW_DIAGONALS], VCU_SPM(1), HIGH);
    }
    arm->scale += growth;
}

#ifdef LEARNER_FORGETTING
#include "forgetting_vector.h"
#endif

GNOMON_REGION void learner_update(uint32_t chosen, fx_t reward)
{
#ifdef LEARNER_FORGETTING
    for (uint32_t a = 0; a < LEARNER_ARMS; ++a) {
        forget_diagonals(&learner_model.arms[a], learner_model.turn);
    }
    learner_model.turn = learner_model.turn + 1 < d ? learner_model.turn + 1 : 0;
#endif
    struct arm *const arm = &learner_model.arms[chosen];
    const int32_t scale = arm->scale;
    const uint32_t squares = load_context();
    kmemld(VCU_SPM(0), arm, LOW);
    const int32_t k = scale_exponent(squares), both = k + scale;
    vector_shift(Y, X, -k);
    kvcp(TWICE, Y);
    kvcp(TWICE + VECTOR, Y);
    kmemld(VCU_SPM(1), arm->inverse[LOW_DIAGONALS], HIGH + VECTOR);
    vcu_set_mvsize(2 * VECTOR);
    kbcast(SUM, 0);
    vcu_set_mvsize(VECTOR);
    add_diagonals(VCU_SPM(0), 0, LOW_DIAGONALS);
    add_diagonals(VCU_SPM(1), LOW_DIAGONALS, DIAGONALS);
    kvcp(PRODUCTS, SUM + VECTOR);
    kaddv(SUM, SUM, PRODUCTS); /* v, Q30 */
    kvmulps(PRODUCTS, SUM, TWICE);
    kvred(RESULT, PRODUCTS);
    kvmulps(PRODUCTS, VCU_SPM(1) + HIGH, X);
    kvred(RESULT + 4, PRODUCTS);
    const struct pair of_arm = results(); /* t, Q30, and the mean */
    ksrav(W, SUM, 4);                     /* Q26 */
    const struct reciprocal inverse = reciprocal_of(of_arm.first, both);
    const fx_t mean = of_arm.second >> (THETA_BITS - FX_FRACTION_BITS);
    const fx_t surprise = (fx_t)((uint32_t)reward - (uint32_t)mean);
    ksvmulpsrf(W, W, inverse.factor);
    /* w = v / (4^both + t) is small if v is not: it gets the digits. */
    const int32_t more = both < 0 ? 0 : both > 8 ? 8 : both;
    vector_shift(TWICE, W, inverse.shift - 11 - more); /* w, Q22 and more */
    vector_shift(TWICE + VECTOR, W, inverse.shift - 11 - more);
    vector_shift(SUM, SUM, 7 + more); /* v, Q23 and as many less */
    subtract_products(VCU_SPM(0), 0, LOW_DIAGONALS, LOW);
    vcu_set_mvsize(VECTOR);
    ksrav(PRODUCTS, VCU_SPM(0), 30 - TRACE_BITS);
    kvred(RESULT, PRODUCTS);
    kmemstr(arm, VCU_SPM(0), LOW);
    /* During the transfer. */
    vector_shift(W, W, inverse.shift - 13 - k); /* 2^k w, Q24 */
    ksvmulpsrf(W, W, (uint32_t)surprise);
    ksvaddrf(W, W, 1u << 3);
    ksrav(W, W, 24 - THETA_BITS);
    kaddv(VCU_SPM(1) + HIGH, VCU_SPM(1) + HIGH, W);
    if (HIGH != 0) {
        subtract_products(VCU_SPM(1), LOW_DIAGONALS, DIAGONALS, HIGH);
    }
    kmemstr(arm->inverse[LOW_DIAGONALS], VCU_SPM(1), HIGH + VECTOR);
    const int32_t growth = growth_of_scale(results().first, scale);
    if (growth != 0) {
        grow(arm, growth);
        (void)results(); /* the model is in memory when the function returns */
    }
#ifdef LEARNER_WINDOW
    push_context(learner_model.window);
#endif
}

/* One hart at a time has the vector unit. */
void learner_help_update(int hart)
{
    (void)hart;
}

const uint32_t learner_model_words = sizeof learner_model / sizeof(fx_t);

fx_t *learner_model_place(void)
{
    return (fx_t *)&learner_model;
}
