/*
 * Hybrid LinUCB on the vector unit. joint.h says what is kept, docs/tuned-hybrid.md what it costs.
 *
 * Component r of arm a is element r ARMS + a, so one vector holds a component of all arms. The
 * covariance is symmetric: half of its cyclic diagonals hold all of it, diagonal k having at i the
 * element of row i and column (i + k) mod n, for k from 0 to n / 2. Those whose k is a multiple of
 * ARMS come first: they are the blocks P_aa, all that a selection needs. Then k = 1, 1 + ARMS, ...
 *
 * Scratchpads 0 and 1: half of the model each. 2: a vector written down twice, then products.
 * 3: short vectors and results.
 */
#include "joint.h"
#include "vcu.h"

#if !VCU_HAS_POSTSCALE || VCU_POSTSCALE_SHIFT != 15
#error "linucb_hybrid_vector.c: the machine needs post-scaled products (kps) of 15 bits"
#endif
#if VCU_SPM_COUNT < 4
#error "linucb_hybrid_vector.c: four scratchpads are needed"
#endif

enum {
    DIAGONALS = n / 2 + 1,
    OWN = d / 2 + 1, /* those of the blocks P_aa */
    LOW_DIAGONALS = (DIAGONALS + 1) / 2,
    COMPONENT = 4 * ARMS, /* bytes from here on */
    VECTOR = 4 * n,
    LOW = LOW_DIAGONALS * VECTOR,
    HIGH = (DIAGONALS - LOW_DIAGONALS) * VECTOR,
    LOT = OWN > LOW_DIAGONALS ? OWN : LOW_DIAGONALS,
};

_Static_assert((LOT + 2) * VECTOR <= (int)VCU_SPM_BYTES && (OWN + 8) * VECTOR <= (int)VCU_SPM_BYTES,
               "LEARNER_D, LEARNER_ARMS: half a model and two vectors must fit a scratchpad");

static struct {
    fx_t covariance[DIAGONALS][n];
    fx_t mean[n];
    fx_t scale[ARMS];
    fx_t features[ARMS][f]; /* that the model belongs to */
} learner_model;

#define TWICE VCU_SPM(2)
#define PRODUCTS (VCU_SPM(2) + 2 * VECTOR)
#define X VCU_SPM(3)
#define Y (VCU_SPM(3) + VECTOR)
#define SUM (VCU_SPM(3) + 2 * VECTOR) /* and one more vector behind it */
#define V (VCU_SPM(3) + 4 * VECTOR)
#define W (VCU_SPM(3) + 5 * VECTOR)
#define RESULT (VCU_SPM(3) + 6 * VECTOR)
#define WEIGHTS (VCU_SPM(3) + 8 * VECTOR)

/* Computes x here: the compiler knows no cost of a vector instruction. */
#define HERE(x) __asm__ volatile("" : "+r"(x))

/* The diagonal behind diagonal k; `residue` is k mod ARMS. */
INLINE uint32_t next_diagonal(uint32_t k, uint32_t *residue)
{
    k += ARMS;
    if (k > n / 2) {
        *residue += 1;
        k = *residue;
    }
    return k;
}

void learner_reset(void)
{
    for (uint32_t a = 0; a < ARMS; ++a) {
        learner_model.scale[a] = first_scale(a);
        for (uint32_t i = 0; i < f; ++i) {
            learner_model.features[a][i] = learner_features[a][i];
        }
    }
    for (uint32_t i = 0; i < n; ++i) {
        learner_model.mean[i] = 0;
    }
    uint32_t k = 0, residue = 0;
    for (uint32_t row = 0; row < DIAGONALS; ++row) {
        for (uint32_t i = 0; i < n; ++i) {
            learner_model.covariance[row][i] = 0;
        }
        for (uint32_t a = 0; a < ARMS && (k < ARMS || d == 1); ++a) {
            const uint32_t b = d == 1 ? (a + k) % ARMS : a + k;
            if (b >= ARMS) {
                break; /* another component */
            }
            const fx_t value = first_covariance(a, b, learner_model.scale);
            for (uint32_t r = 0; r < d; ++r) {
                learner_model.covariance[row][r * ARMS + a] = value;
            }
        }
        k = next_diagonal(k, &residue);
    }
}

/* k of the context, as scale_exponent says. */
INLINE int32_t exponent_of_context(void)
{
    uint32_t squares = 0;
    for (uint32_t i = 0; i < d; ++i) {
        const int64_t square = (int64_t)learner_context[i] * learner_context[i];
        squares += (uint32_t)((uint64_t)square >> 15);
    }
    return scale_exponent(squares);
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

/* To nearest; right is 1 or more, numbers below 2^30. */
INLINE void vector_rounded(uint32_t to, uint32_t from, int32_t right)
{
    if (right > 31) {
        kbcast(to, 0);
        return;
    }
    ksvaddrf(to, from, 1u << (right - 1));
    ksrav(to, to, (uint32_t)right);
}

/* ---- select --------------------------------------------------------------------------------- */

/* Words that are not what the model was made from. */
INLINE uint32_t features_changed(void)
{
    static uint32_t counts[2];
    const uint32_t most = (uint32_t)VCU_SPM_BYTES - 2 * VECTOR;
    const char *now = (const char *)learner_features;
    const char *then = (const char *)learner_model.features;
    uint32_t changed = 0;
    for (uint32_t left = sizeof learner_features; left != 0;) {
        const uint32_t bytes = left < most ? left : most;
        kmemld(VCU_SPM(0), now, bytes);
        kmemld(VCU_SPM(1), then, bytes);
        vcu_set_mvsize(bytes);
        kvslt(PRODUCTS, VCU_SPM(0), VCU_SPM(1));
        kvred(RESULT, PRODUCTS);
        kvslt(PRODUCTS, VCU_SPM(1), VCU_SPM(0));
        kvred(RESULT + 4, PRODUCTS);
        kmemstr(counts, RESULT, sizeof counts);
        now += bytes;
        then += bytes;
        left -= bytes;
        changed |= *(volatile uint32_t *)&counts[0] | *(volatile uint32_t *)&counts[1];
    }
    return changed;
}

/*
 * The products y_r y_s in the order of the first diagonals, Q22, each as often as its pair stands in
 * a sum over all r and s: diagonal 0 once, others twice, the middle one of an even d once, as it
 * holds each pair twice itself. TWICE holds y.
 */
INLINE void context_products(void)
{
    for (uint32_t m = 0; m < OWN; ++m) {
        kvmul(WEIGHTS + m * VECTOR, Y, TWICE + m * COMPONENT);
        ksrav(WEIGHTS + m * VECTOR, WEIGHTS + m * VECTOR, m == 0 || 2 * m == d ? 8 : 7);
    }
}

/* The first component of a vector of scratchpad 3 becomes the sum of all. */
INLINE void sum_components(uint32_t vector)
{
    for (uint32_t count = d; count > 1;) {
        const uint32_t half = count / 2;
        vcu_set_mvsize(half * COMPONENT);
        count -= half;
        kvcp(PRODUCTS, vector + count * COMPONENT);
        kaddv(vector, vector, PRODUCTS);
    }
}

/* A model belongs to the features that it was made from: others start a fresh one. */
GNOMON_REGION uint32_t learner_select(int hart)
{
    static struct {
        fx_t t[ARMS], mean[ARMS];
    } sums;
    (void)hart;
    vcu_set_mvtype(VCU_32_BIT);
    if (features_changed()) {
        learner_reset();
    }
    vcu_set_mvsize(COMPONENT);
    for (uint32_t r = 0; r < d; ++r) {
        kbcast(X + r * COMPONENT, (uint32_t)learner_context[r]);
    }
    const int32_t k = exponent_of_context();
    kmemld(VCU_SPM(0), learner_model.covariance, OWN * VECTOR);
    vcu_set_mvsize(VECTOR);
    vector_shift(Y, X, -k);
    kvcp(TWICE, Y);
    kvcp(TWICE + VECTOR, Y);
    kmemld(VCU_SPM(1), learner_model.mean, VECTOR);
    context_products();
    kvmulps(SUM + VECTOR, VCU_SPM(1), X);
    vcu_set_mvsize(OWN * VECTOR);
    ksrav(VCU_SPM(0), VCU_SPM(0), 7); /* Q23 */
    kvmulps(PRODUCTS, VCU_SPM(0), WEIGHTS); /* Q30 */
    vcu_set_mvsize(VECTOR);
    kvcp(SUM, PRODUCTS);
    for (uint32_t m = 1; m < OWN; ++m) {
        kaddv(SUM, SUM, PRODUCTS + m * VECTOR);
    }
    sum_components(SUM);
    sum_components(SUM + VECTOR);
    kmemstr(sums.t, SUM, COMPONENT);
    kmemstr(sums.mean, SUM + VECTOR, COMPONENT);
    const struct weight weight = weight_of(learner_alpha);
    __asm__ volatile("" ::: "memory");
    for (uint32_t arm = 0; arm < ARMS; ++arm) {
        set_score(arm,
                  joint_score(sums.mean[arm], sums.t[arm], weight, learner_model.scale[arm], k));
    }
    return best_arm();
}

/* ---- update --------------------------------------------------------------------------------- */

/*
 * As the arm learns, its covariance falls. When the sum of its diagonal is below 1/4 it is doubled
 * along both sides, unless its means are so large that they could overflow.
 */
static void rescale(uint32_t arm)
{
    uint32_t trace = 0, size = 0;
    for (uint32_t i = arm; i < n; i += ARMS) {
        const fx_t mean = learner_model.mean[i];
        trace += (uint32_t)learner_model.covariance[0][i] >> 8;
        size += (mean < 0 ? 0u - (uint32_t)mean : (uint32_t)mean) >> 8;
    }
    if (trace >= 1u << 20 || size >= 1u << 20 || learner_model.scale[arm] >= LARGEST_SCALE) {
        return;
    }
    learner_model.scale[arm] += 1;
    for (uint32_t i = arm; i < n; i += ARMS) {
        learner_model.mean[i] *= 2;
    }
    uint32_t k = 0, residue = 0;
    for (uint32_t row = 0; row < DIAGONALS; ++row) {
        for (uint32_t i = arm; i < n; i += ARMS) {
            learner_model.covariance[row][i] *= 2;
            learner_model.covariance[row][i >= k ? i - k : i + n - k] *= 2;
        }
        k = next_diagonal(k, &residue);
    }
}

/* A place in the order of the diagonals. */
struct place {
    uint32_t k, residue;
};

/*
 * Adds to SUM (two vectors) what `count` diagonals at `at` give of P y: each element serves its
 * row, and its column but for diagonal 0 and the middle one of an even n. TWICE holds y.
 */
INLINE struct place add_diagonals(uint32_t at, struct place from, uint32_t count)
{
    const uint32_t end = at + count * VECTOR;
    while (at != end) {
        const uint32_t k = from.k;
        kvmulps(PRODUCTS, at, TWICE + 4 * k);
        kaddv(SUM, SUM, PRODUCTS);
        if (k != 0 && 2 * k != n) {
            kvmulps(PRODUCTS, at, Y);
            kaddv(SUM + 4 * k, SUM + 4 * k, PRODUCTS);
        }
        at += VECTOR;
        HERE(at);
        from.k = next_diagonal(k, &from.residue);
    }
    return from;
}

/* `count` diagonals at `at`, less the products of V (Q23) and TWICE (Q22), each rounded down. */
INLINE struct place subtract_products(uint32_t at, struct place from, uint32_t count)
{
    vcu_set_mvsize(VECTOR);
    uint32_t to = PRODUCTS;
    const uint32_t end = to + count * VECTOR;
    while (to != end) {
        kvmulps(to, V, TWICE + 4 * from.k);
        to += VECTOR;
        HERE(to);
        from.k = next_diagonal(from.k, &from.residue);
    }
    vcu_set_mvsize(count * VECTOR);
    ksubv(at, at, PRODUCTS);
    return from;
}

GNOMON_REGION void learner_update(uint32_t chosen, fx_t reward)
{
    static struct {
        fx_t t, mean;
    } sums;
    rescale(chosen);
    const int32_t scale = learner_model.scale[chosen];
    const int32_t k = exponent_of_context();
    vcu_set_mvtype(VCU_32_BIT);
    vcu_set_mvsize(2 * VECTOR);
    kbcast(SUM, 0);
    vcu_set_mvsize(VECTOR);
    kbcast(X, 0);
    vcu_set_mvsize(4);
    for (uint32_t r = 0; r < d; ++r) {
        kbcast(X + r * COMPONENT + 4 * chosen, (uint32_t)learner_context[r]);
    }
    kmemld(VCU_SPM(0), learner_model.covariance, LOW);
    vcu_set_mvsize(VECTOR);
    vector_shift(Y, X, -k);
    kvcp(TWICE, Y);
    kvcp(TWICE + VECTOR, Y);
    kmemld(VCU_SPM(1), learner_model.covariance[LOW_DIAGONALS], HIGH + VECTOR);
    const struct place first = {0, 0};
    const struct place middle = add_diagonals(VCU_SPM(0), first, LOW_DIAGONALS);
    add_diagonals(VCU_SPM(1), middle, DIAGONALS - LOW_DIAGONALS);
    kvcp(PRODUCTS, SUM + VECTOR);
    kaddv(SUM, SUM, PRODUCTS); /* q, Q30 */
    kvmulps(PRODUCTS, SUM, TWICE);
    kvred(RESULT, PRODUCTS);
    kvmulps(PRODUCTS, VCU_SPM(1) + HIGH, X);
    kvred(RESULT + 4, PRODUCTS);
    kmemstr(&sums, RESULT, sizeof sums);
    const int32_t t = *(volatile fx_t *)&sums.t;
    const int32_t expected = shifted(*(volatile fx_t *)&sums.mean, scale);
    const struct gain gain = gain_of(t, surprise(reward, expected), scale, k);
    vector_shift(SUM, SUM, 5 - gain.pairs);   /* Q25 */
    ksvmulpsrf(SUM, SUM, gain.factor >> 11);  /* v 2^up, Q30 */
    vector_rounded(TWICE, SUM, 8 + gain.up);  /* v, Q22 */
    kvcp(TWICE + VECTOR, TWICE);
    vector_rounded(V, SUM, 7 + gain.up);      /* v, Q23 */
    const struct place rest = subtract_products(VCU_SPM(0), first, LOW_DIAGONALS);
    kmemstr(learner_model.covariance, VCU_SPM(0), LOW);
    /* Beside the transfer. */
    vcu_set_mvsize(VECTOR);
    vector_rounded(W, SUM, 13);               /* v 2^up, Q17 */
    ksvmulpsrf(W, W, (uint32_t)gain.mean);    /* Q22 */
    vector_rounded(W, W, 2 + gain.mean_right);
    kaddv(VCU_SPM(1) + HIGH, VCU_SPM(1) + HIGH, W);
    if (HIGH != 0) {
        subtract_products(VCU_SPM(1), rest, DIAGONALS - LOW_DIAGONALS);
    }
    kmemstr(learner_model.covariance[LOW_DIAGONALS], VCU_SPM(1), HIGH + VECTOR);
    (void)*(volatile fx_t *)learner_model.mean; /* the model is in memory when it returns */
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
