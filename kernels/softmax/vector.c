/*
 * Two passes over memory: exponentials and their sum, then quotients. A number that is 16 and more
 * below the largest one counts as 16 below it; the comparison comes before the difference, which may
 * wrap there.
 */
#include "fx_divide.h"
#include "fx_exp_vector.h"
#include "fx_failed.h"
#include "fx_largest.h"
#include "softmax.h"

enum { FACTOR_BITS = 15 };

/* Bits kept of an exponential, so that its product fits 31 bits. */
#define DROPPED (FX_FRACTION_BITS > FX_EXP_BITS ? FX_FRACTION_BITS - FX_EXP_BITS : 0)

#define SUM (VCU_SPM(3) + VCU_SPM_BYTES - 4u) /* one word */

/* Number of words that leaves room for their sum. */
static inline uint32_t largest_chunk(void)
{
    const uint32_t room = 1u << (30 - FX_FRACTION_BITS);
    return FX_SPM_WORDS - 1u < room ? FX_SPM_WORDS - 1u : room;
}

/* Y becomes the distance of a number above the largest one less 16, or 0. */
static inline void above_lowest(fx_t largest)
{
    const uint32_t lowest = (uint32_t)FX_EXP_LOWEST << FX_FRACTION_BITS;
    const uint32_t from = (uint32_t)largest - lowest;
    const fx_t cut = largest < INT32_MIN + (fx_t)lowest ? INT32_MIN : (fx_t)from;
    ksvslt(FX_EXP_MASK, FX_EXP_Y, (uint32_t)cut);
    ksvmulrf(FX_EXP_MASK, FX_EXP_MASK, 0u - 1u);
    ksvaddrf(FX_EXP_MASK, FX_EXP_MASK, 1u);
    ksvaddrf(FX_EXP_Y, FX_EXP_Y, 0u - from);
    kvmul(FX_EXP_Y, FX_EXP_Y, FX_EXP_MASK);
}

/* Writes exponentials; returns their sum, with bit 31 set if it leaves the range. */
static uint32_t exponentials(const fx_t *a, fx_t *out, uint32_t count)
{
    static volatile uint32_t chunk_sum;
    const fx_t largest = fx_largest(a, count);
    const uint32_t most = largest_chunk();
    uint32_t sum = 0, lost = 0;
    for (uint32_t done = 0; done < count;) {
        const uint32_t words = count - done < most ? count - done : most;
        kmemld(FX_EXP_Y, a + done, 4u * words);
        vcu_set_mvsize(4u * words);
        above_lowest(largest);
        fx_exp_above_lowest();
        kvred(SUM, FX_EXP_PRODUCT);
        kmemstr((void *)(uintptr_t)&chunk_sum, SUM, 4u);
        kmemstr(out + done, FX_EXP_PRODUCT, 4u * words);
        sum += chunk_sum;
        lost |= sum;
        done += words;
    }
    return sum | (lost & 0x80000000u);
}

static void divide(fx_t *out, uint32_t count, uint32_t sum)
{
    const uint32_t zeros = fx_leading_zeros(sum);
    const uint32_t factor = ((1u << 2 * FACTOR_BITS) - 1u) / ((sum << zeros) >> 16);
    const uint32_t right = 46u - FX_FRACTION_BITS - zeros - DROPPED;
    const uint32_t shift = right < 31u ? right : 31u;
    for (uint32_t done = 0; done < count;) {
        const uint32_t words = count - done < FX_SPM_WORDS ? count - done : FX_SPM_WORDS;
        kmemld(VCU_SPM(0), out + done, 4u * words);
        vcu_set_mvsize(4u * words);
        if (DROPPED != 0) {
            ksrav(VCU_SPM(0), VCU_SPM(0), DROPPED);
        }
        ksvmulrf(VCU_SPM(0), VCU_SPM(0), factor);
        ksrav(VCU_SPM(0), VCU_SPM(0), shift);
        kmemstr(out + done, VCU_SPM(0), 4u * words);
        done += words;
    }
}

enum fx_status fx_softmax_vector_floor_checked(const fx_t *a, fx_t *out, uint32_t count)
{
    if (count == 0) {
        return FX_OK;
    }
    vcu_set_mvtype(VCU_32_BIT);
    const uint32_t sum = exponentials(a, out, count);
    if (sum >> 31 != 0) {
        fx_clear(out, count);
        return FX_OVERFLOW;
    }
    divide(out, count, sum);
    return FX_OK;
}
