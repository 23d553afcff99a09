/*
 * All windows of an arm from one triangular factor (exact within rounding): features are in the
 * order of their age, so V(s) is the leading block of V, and its factor that of L. With h = L^-1 q
 * and y = L^-1 (sum of rewards times q), prediction and q^T V^-1 q of every window are sums over
 * the first D(s) elements of h y and h^2. An update turns L by one rotation for each column.
 *
 * L and y have 20 fraction bits, as they grow with the root of the rounds; h has 24,
 * rotations 30.
 */
#include "ares.h"

enum { FACTOR = 20, FINE = 24, TURN = 30, VARIANCE = 20 + FX_FRACTION_BITS % 2 };

static struct {
    fx_t features[D];
    uint32_t round;
    struct window_errors errors[ARMS][WINDOWS + 1];
    fx_t factor[ARMS][D][D]; /* columns of L: [j][i] with i >= j */
    fx_t solved[ARMS][D];    /* y */
} learner_model;

void learner_reset(void)
{
    clear_words(&learner_model, sizeof learner_model);
    learner_model.features[0] = FX_ONE;
    for (uint32_t arm = 0; arm < ARMS; ++arm) {
        for (uint32_t i = 0; i < D; ++i) {
            learner_model.factor[arm][i][i] = (fx_t)1 << FACTOR;
        }
    }
}

/* h = L^-1 q of the first n, column by column. */
static void solve(uint32_t arm, fx_t *h, uint32_t n)
{
    static int64_t rest[D];
    for (uint32_t i = 0; i < n; ++i) {
        rest[i] = (int64_t)learner_model.features[i] * ((int64_t)1 << (FACTOR + FINE - F));
    }
    for (uint32_t j = 0; j < n; ++j) {
        const fx_t *const column = learner_model.factor[arm][j];
        uint32_t failed = 0;
        const fx_t value = fx_divide_wide(rest[j], column[j], &failed);
        h[j] = value;
        for (uint32_t i = j + 1; i < n; ++i) {
            rest[i] -= (int64_t)column[i] * value;
        }
    }
}

GNOMON_REGION uint32_t learner_select(int hart)
{
    (void)hart;
    static fx_t h[D];
    if (learner_model.round < PULLS * ARMS) {
        return learner_model.round % ARMS;
    }
    for (uint32_t arm = 0; arm < ARMS; ++arm) {
        const struct window_errors *const errors = learner_model.errors[arm];
        const uint32_t best = best_window(errors), n = DIMENSION(best);
        solve(arm, h, n);
        const int64_t mean = (int64_t)fx_wide_dot(0, h, learner_model.solved[arm], n);
        const int64_t square = (int64_t)fx_wide_dot(0, h, h, n);
        const fx_t root =
            fx_sqrt((fx_t)(square >> (2 * FINE - VARIANCE))) >> ((VARIANCE - F) / 2);
        learner_scores[arm] =
            fx_add_wrap((fx_t)(mean >> (FACTOR + FINE - F)), product(errors[best].mean, root, F));
    }
    return learner_best_arm();
}

/* sqrt(a^2 + b^2) with the bits of both, a above 0: from the upper 30 bits or so of the sum. */
static inline fx_t length(fx_t a, fx_t b)
{
    const uint64_t sum = (uint64_t)((int64_t)a * a) + (uint64_t)((int64_t)b * b);
    const uint32_t high = (uint32_t)(sum >> 32);
    const uint32_t zeros = high == 0 ? 32u + fx_leading_zeros((uint32_t)sum | 1u)
                                     : fx_leading_zeros(high);
    /* fx_sqrt(v) is sqrt(v 2^F): v = sum 2^-(33 - zeros), or one more, so that F + that is even */
    int32_t right = 33 - (int32_t)zeros;
    right += (right + F) & 1;
    const fx_t value = (fx_t)(right >= 0 ? sum >> right : sum << -right);
    const fx_t root = fx_sqrt(value);
    const int32_t left = (right - F) / 2;
    return left >= 0 ? root << left : root >> -left;
}

/* The reward and q become one more row of the regression: [L; q^T], [y; reward] turned. */
static inline void turn(uint32_t arm, fx_t *rest, fx_t reward)
{
    fx_t left = reward;
    for (uint32_t j = 0; j < D; ++j) {
        fx_t *const column = learner_model.factor[arm][j];
        const fx_t diagonal = column[j], low = rest[j];
        const fx_t radius = length(diagonal, low);
        uint32_t failed = 0;
        const fx_t cosine = fx_divide_wide((int64_t)diagonal << TURN, radius, &failed);
        const fx_t sine = fx_divide_wide((int64_t)((uint64_t)(int64_t)low << TURN), radius, &failed);
        const int64_t half = (int64_t)1 << (TURN - 1);
        column[j] = radius;
        for (uint32_t i = j + 1; i < D; ++i) {
            const fx_t element = column[i], other = rest[i];
            column[i] = (fx_t)(((int64_t)cosine * element + (int64_t)sine * other + half) >> TURN);
            rest[i] = (fx_t)(((int64_t)cosine * other - (int64_t)sine * element + half) >> TURN);
        }
        const fx_t kept = learner_model.solved[arm][j];
        learner_model.solved[arm][j] =
            (fx_t)(((int64_t)cosine * kept + (int64_t)sine * left + half) >> TURN);
        left = (fx_t)(((int64_t)cosine * left - (int64_t)sine * kept + half) >> TURN);
    }
}

GNOMON_REGION void learner_update(uint32_t arm, fx_t reward)
{
    static fx_t h[D];
    solve(arm, h, D);
    uint64_t mean = 0;
    for (uint32_t s = 0, at = 0; s <= WINDOWS; ++s) {
        if (s > learner_model.round) { /* learned with zeros for contexts that do not exist yet */
            ++learner_model.errors[arm][s].updates;
            continue;
        }
        const uint32_t n = DIMENSION(s);
        mean = fx_wide_dot(mean, h + at, learner_model.solved[arm] + at, n - at);
        at = n;
        const fx_t predicted = (fx_t)((int64_t)mean >> (FACTOR + FINE - F));
        note_error(&learner_model.errors[arm][s], s, fx_subtract_wrap(reward, predicted));
    }
    for (uint32_t i = 0; i < D; ++i) {
        h[i] = (fx_t)((uint32_t)learner_model.features[i] << (FACTOR - F));
    }
    turn(arm, h, (fx_t)((uint32_t)reward << (FACTOR - F)));
    push_context(learner_model.features);
    ++learner_model.round;
}

const uint32_t learner_model_words = sizeof learner_model / sizeof(fx_t);

fx_t *learner_model_place(void)
{
    return (fx_t *)&learner_model;
}
