/*
 * Products of generated learners on any vector unit: factors of 16 bits, 2^15 at most in magnitude,
 * and sums of products that are shifted right one by one (kdotpps).
 *
 * A vector is shifted by 2^room, so that its largest magnitude has 15 bits; room is below 0 for
 * large ones. A matrix with block exponents is the stored one times 2^-exponent, one exponent for
 * each matrix; it moves so that the largest magnitude has 27 or 28 bits.
 */
#ifndef ONCE_SHORT_H
#define ONCE_SHORT_H

#include "once_pads.h"

#define ONCE_SHORT_BITS 15
#define ONCE_BLOCK_BITS 28
#define ONCE_MOST_EXPONENT 31

/* Left shifts that bring the largest magnitude of `count` words to `bits` bits. */
ONCE_INLINE int32_t once_short_room(const fx_t *words, uint32_t count, int32_t bits)
{
    return bits - 32 + (int32_t)fx_leading_zeros(once_bits(words, count));
}

ONCE_INLINE fx_t once_short_moved(fx_t word, int32_t room)
{
    return room >= 0 ? once_left(word, (uint32_t)room) : word >> -room;
}

/* Loads a vector, shifted by its room. MVSIZE is left at a row. */
ONCE_INLINE void once_short_load(uint32_t pad, const fx_t *words, int32_t room)
{
    kmemld(pad, words, ONCE_ROW);
    vcu_set_mvsize(ONCE_ROW);
    if (room >= 0) {
        ksvmulrf(pad, pad, 1u << room);
    } else {
        ksrav(pad, pad, (uint32_t)-room);
    }
}

ONCE_INLINE void once_short_start(void)
{
    once_loaded = 0;
    vcu_set_mvtype(VCU_32_BIT);
}

static void once_short_context(const fx_t *x)
{
    once_exponent = once_short_room(x, LEARNER_D, ONCE_SHORT_BITS);
    once_short_start();
    once_short_load(ONCE_SCALED, x, once_exponent);
}

/* sums[k] = y^T A_k y of `count` matrices in a row, for the scaled context y. Each matrix is loaded
   while the one before is summed. `narrow`: right shift of matrices; `pre`: of each product. */
static void once_short_quads(fx_t *sums, const fx_t *a, const fx_t *x, uint32_t count,
                             uint32_t narrow, uint32_t pre)
{
    once_loaded = 0;
    uint32_t here = VCU_SPM(0), other = VCU_SPM(1), result = ONCE_RESULTS;
    kmemld(here, a, ONCE_MATRIX);
    vcu_set_mpsclfac(pre);
    vcu_set_mvsize(ONCE_ROW);
    uint32_t row = ONCE_PRODUCTS;
    for (uint32_t i = 0; i < LEARNER_D; ++i) {
        ksvmulrf(row, ONCE_SCALED, (uint32_t)once_short_moved(x[i], once_exponent));
        row += ONCE_ROW;
        ONCE_HERE(row);
    }
    vcu_set_mvsize(ONCE_MATRIX);
    ksrav(ONCE_PRODUCTS, ONCE_PRODUCTS, ONCE_SHORT_BITS);
    for (uint32_t k = 1; k <= count; ++k) {
        a += LEARNER_D * LEARNER_D;
        if (k < count) {
            kmemld(other, a, ONCE_MATRIX);
        }
        ksrav(here, here, narrow);
        kdotpps(result, here, ONCE_PRODUCTS);
        result += 4;
        const uint32_t swap = here;
        here = other;
        other = swap;
    }
    once_take(sums, count);
}

/* sums[k] = w_k^T y of `count` vectors in a row. */
static void once_short_dots(fx_t *sums, const fx_t *w, uint32_t count, uint32_t narrow,
                            uint32_t pre)
{
    uint32_t row = VCU_SPM(1), result = ONCE_RESULTS;
    kmemld(VCU_SPM(1), w, ONCE_ROW * count);
    vcu_set_mpsclfac(pre);
    vcu_set_mvsize(ONCE_ROW * count);
    ksrav(VCU_SPM(1), VCU_SPM(1), narrow);
    vcu_set_mvsize(ONCE_ROW);
    for (uint32_t k = 0; k < count; ++k) {
        kdotpps(result, row, ONCE_SCALED);
        row += ONCE_ROW;
        ONCE_HERE(row);
        result += 4;
        ONCE_HERE(result);
    }
    once_take(sums, count);
}

/* out = A u, shifted right by `down` and the room of u, at most `limit` in magnitude; u: 0 for the
   context. */
static void once_short_rows(fx_t *out, const fx_t *a, const fx_t *u, uint32_t narrow, uint32_t pre,
                            int32_t down, fx_t limit)
{
    uint32_t row = VCU_SPM(1), result = ONCE_RESULTS, vector = ONCE_SCALED;
    int32_t room = once_exponent;
    if (once_loaded != a) {
        kmemld(VCU_SPM(0), a, ONCE_MATRIX);
        once_loaded = a;
    }
    if (u != 0) {
        room = once_short_room(u, LEARNER_D, ONCE_SHORT_BITS);
        vector = ONCE_SHIFTED;
        once_short_load(vector, u, room);
    }
    vcu_set_mpsclfac(pre);
    vcu_set_mvsize(ONCE_MATRIX);
    ksrav(VCU_SPM(1), VCU_SPM(0), narrow);
    vcu_set_mvsize(ONCE_ROW);
    for (uint32_t i = 0; i < LEARNER_D; ++i) {
        kdotpps(result, row, vector);
        row += ONCE_ROW;
        ONCE_HERE(row);
        result += 4;
        ONCE_HERE(result);
    }
    once_take(out, LEARNER_D);
    for (uint32_t i = 0; i < LEARNER_D; ++i) {
        out[i] = once_fit(once_right(out[i], down + room), limit);
    }
}

/* Words of scratchpad 0 beyond `limit` in magnitude, which is at most 2^28. */
static uint32_t once_short_beyond(fx_t limit)
{
    fx_t inside;
    const uint32_t bottom = (uint32_t)limit + 0x80000000u;
    ksvaddrf(VCU_SPM(1), VCU_SPM(0), bottom); /* from -2^31 if inside */
    ksvslt(VCU_SPM(1), VCU_SPM(1), 2u * (uint32_t)limit + 0x80000001u);
    kvred(ONCE_RESULTS, VCU_SPM(1));
    once_take(&inside, 1);
    return LEARNER_D * LEARNER_D - (uint32_t)inside;
}

/* The same on the scalar core, for changes beyond 2^28. */
static void once_short_outer_wide(fx_t *a, const fx_t *w, const fx_t *v, const int32_t *rooms,
                                  int32_t right, int32_t sign, fx_t limit)
{
    for (uint32_t i = 0; i < LEARNER_D; ++i) {
        for (uint32_t j = 0; j < LEARNER_D; ++j) {
            fx_t *const own = &a[i * LEARNER_D + j];
            const int64_t product =
                once_wide(once_short_moved(w[i], rooms[0]), once_short_moved(v[j], rooms[1]));
            *own = once_fit(*own + sign * once_right(product, right), limit);
        }
    }
}

/* Raises the exponent as far as all words have room. Few matrices pass the test of the diagonal. */
static void once_short_raise(fx_t *a, fx_t *exponent)
{
    uint32_t bits = 1;
    for (uint32_t i = 0; i < LEARNER_D * LEARNER_D; i += LEARNER_D + 1) {
        bits |= (uint32_t)(a[i] ^ a[i] >> 31);
    }
    if (bits >> (ONCE_BLOCK_BITS - 1) != 0) {
        return;
    }
    const fx_t most = ONCE_MOST_EXPONENT - *exponent;
    const int32_t room = once_short_room(a, LEARNER_D * LEARNER_D, ONCE_BLOCK_BITS);
    const fx_t up = room < most ? room : most;
    if (up > 0) {
        ksvmulrf(VCU_SPM(0), VCU_SPM(0), 1u << up);
        kmemstr(a, VCU_SPM(0), ONCE_MATRIX);
        (void)*(volatile fx_t *)a;
        *exponent += up;
    }
}

/* Before a matrix is multiplied by a number of up to 2: falls by one bit, if all are used. */
static void once_short_make_room(fx_t *a, fx_t *exponent)
{
    const uint32_t words = LEARNER_D * LEARNER_D;
    if (*exponent > 0 && once_short_room(a, words, ONCE_BLOCK_BITS) < 1) {
        *exponent -= 1;
        for (uint32_t i = 0; i < words; ++i) {
            a[i] >>= 1;
        }
    }
}

/* After that: rises, except for the bit that the next product may need. */
static void once_short_take_room(fx_t *a, fx_t *exponent)
{
    const uint32_t words = LEARNER_D * LEARNER_D;
    const fx_t most = ONCE_MOST_EXPONENT - *exponent;
    const int32_t room = once_short_room(a, words, ONCE_BLOCK_BITS - 1);
    const fx_t up = room < most ? room : most;
    if (up > 0) {
        *exponent += up;
        for (uint32_t i = 0; i < words; ++i) {
            a[i] = once_left(a[i], (uint32_t)up);
        }
    }
}

/*
 * A + sign w v^T. Products are shifted right by `down` and the rooms of w and v, less the exponent;
 * `exponent`: 0 if it cannot move. A word is at most `limit` in magnitude, which is at most 2^28.
 */
static void once_short_outer(fx_t *a, const fx_t *w, const fx_t *v, int32_t down, int32_t sign,
                             fx_t limit, fx_t *exponent)
{
    const int32_t rooms[2] = {once_short_room(w, LEARNER_D, ONCE_SHORT_BITS),
                              once_short_room(v, LEARNER_D, ONCE_SHORT_BITS)};
    const int32_t most = exponent != 0 ? *exponent : 0;
    int32_t right = down + rooms[0] + rooms[1] - most;
    const int32_t less = 2 - right; /* so that no change exceeds 2^28 */
    const int32_t lower = less < 0 ? 0 : less < most ? less : most;
    right += lower;
    if (once_loaded != a) {
        kmemld(VCU_SPM(0), a, ONCE_MATRIX);
        once_loaded = a;
    }
    vcu_set_mvsize(ONCE_MATRIX);
    if (lower > 0) {
        ksrav(VCU_SPM(0), VCU_SPM(0), (uint32_t)lower);
        *exponent -= lower;
    }
    if (right < 2) {
        kmemstr(a, VCU_SPM(0), ONCE_MATRIX);
        (void)*(volatile fx_t *)a;
        once_short_outer_wide(a, w, v, rooms, right, sign, limit);
        kmemld(VCU_SPM(0), a, ONCE_MATRIX);
    } else {
        once_short_load(ONCE_SHIFTED, v, rooms[1]);
        uint32_t row = ONCE_PRODUCTS;
        for (uint32_t i = 0; i < LEARNER_D; ++i) {
            ksvmulrf(row, ONCE_SHIFTED, (uint32_t)once_short_moved(w[i], rooms[0]));
            row += ONCE_ROW;
            ONCE_HERE(row);
        }
        vcu_set_mvsize(ONCE_MATRIX);
        ksrav(ONCE_PRODUCTS, ONCE_PRODUCTS, (uint32_t)(right < 31 ? right : 31));
        if (sign < 0) {
            ksubv(VCU_SPM(0), VCU_SPM(0), ONCE_PRODUCTS);
        } else {
            kaddv(VCU_SPM(0), VCU_SPM(0), ONCE_PRODUCTS);
        }
        const uint32_t beyond = once_short_beyond(limit);
        const uint32_t moves = beyond != 0 && exponent != 0 && *exponent > 0;
        if (moves) {
            ksrav(VCU_SPM(0), VCU_SPM(0), 1);
            *exponent -= 1;
        }
        kmemstr(a, VCU_SPM(0), ONCE_MATRIX);
        (void)*(volatile fx_t *)a;
        if (beyond != 0 && !moves) {
            for (uint32_t i = 0; i < LEARNER_D * LEARNER_D; ++i) {
                a[i] = once_clamp(a[i], limit);
            }
            once_loaded = 0;
        }
    }
    if (exponent != 0) {
        once_short_raise(a, exponent);
    }
}

#endif
