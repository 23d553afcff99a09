/*
 * Products of 32-bit numbers, shifted right by 15 before they are cut to a word, on any vector unit:
 *     floor(a b / 2^15), low 32 bits, for any a, and b from -2^16 to 2^16.
 *
 * With post-scaled products (kps) this is one instruction. Without, a is split,
 * a = 2^15 high + low, low from 0 to 2^15 - 1, and
 *     floor(a b / 2^15) = high b + floor(low b / 2^15),
 * whose products fit a word, or wrap as the result does: exact, so both units give the same bits.
 *
 * Such a vector lies in three places; separate memory for each is needed only if vectors
 * are split. Call vcu_set_mvtype(VCU_32_BIT) and fx_postscale_set_shift() before.
 */
#ifndef FX_POSTSCALE_H
#define FX_POSTSCALE_H

#include "fx_vector.h"

#define FX_POSTSCALE 15u
/* A negative shift selects that of MPSCLFAC. */
#define FX_HAS_POSTSCALE \
    (VCU_HAS_POSTSCALE && (VCU_POSTSCALE_SHIFT == 15 || VCU_POSTSCALE_SHIFT < 0))

struct fx_postscale_vector {
    uint32_t whole, high, low; /* addresses in scratchpads */
};

static inline void fx_postscale_set_shift(void)
{
    vcu_set_mpsclfac(FX_POSTSCALE); /* of kdotpps, and of kps if not fixed */
}

/* Before its first product, and whenever the whole has changed. `high` may be `whole`, which is then
 * lost; `low` may not. */
static inline void fx_postscale_split(struct fx_postscale_vector v)
{
#if FX_HAS_POSTSCALE
    (void)v;
#else
    ksvmulrf(v.low, v.whole, 1u << (32u - FX_POSTSCALE));
    ksrlv(v.low, v.low, 32u - FX_POSTSCALE);
    ksrav(v.high, v.whole, FX_POSTSCALE);
#endif
}

/* to[i] = floor(v[i] number / 2^15). `to` may be a part of v that is not needed any more; `term` too,
 * in another scratchpad than `to`. */
static inline void fx_postscale_number(uint32_t to, uint32_t term, struct fx_postscale_vector v,
                                        fx_t number)
{
#if FX_HAS_POSTSCALE
    (void)term;
    ksvmulpsrf(to, v.whole, (uint32_t)number);
#else
    ksvmulrf(term, v.low, (uint32_t)number);
    ksrav(term, term, FX_POSTSCALE);
    ksvmulrf(to, v.high, (uint32_t)number);
    kaddv(to, to, term);
#endif
}

/*
 * Word at `to`: sum of floor(v[i] narrow[i] / 2^15), after fx_postscale_join. `to_low` is
 * another word; `term` a vector in any scratchpad. No place of v is in the scratchpad
 * of `narrow`.
 */
static inline void fx_postscale_dot(uint32_t to, uint32_t to_low, uint32_t term, struct fx_postscale_vector v,
                               uint32_t narrow)
{
#if FX_HAS_POSTSCALE
    (void)to_low;
    kvmulps(term, v.whole, narrow);
    kvred(to, term);
#else
    (void)term;
    kdotp(to, v.high, narrow);
    kdotpps(to_low, v.low, narrow);
#endif
}

/* Call after as many adjacent dot products as MVSIZE has words. If the lower words are in the scratchpad
 * of `to`, `room` is a vector in another; else it is `to_low`. */
static inline void fx_postscale_join(uint32_t to, uint32_t to_low, uint32_t room)
{
#if FX_HAS_POSTSCALE
    (void)to;
    (void)to_low;
    (void)room;
#else
    if (room != to_low) {
        kvcp(room, to_low);
    }
    kaddv(to, to, room);
#endif
}

#endif
