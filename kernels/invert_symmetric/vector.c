/*
 * Everything stays in the scratchpads; transfers load only the rows of a, one by one, and store one
 * word per step, from which the integer core computes the reciprocal.
 *
 * Scratchpad 0: the inverse, its rows n words apart, zeros outside its current size. 2: a
 * shifted copy of it, then the products to add, zeros beyond. 1: r, then w. 3: v.
 */
#include "fx_solve.h"
#include "fx_vector_reciprocal.h"
#include "invert_symmetric.h"

/* The ones of v make products of the size of the inverse. */
#if FX_FRACTION_BITS + FX_POST_SHIFT > 28
#error "invert_symmetric/vector.c: vector products of this format do not reach +-8"
#endif

#define PRE_SHIFT (FX_PRE_SHIFT_A > FX_PRE_SHIFT_B ? FX_PRE_SHIFT_A : FX_PRE_SHIFT_B)

static const uint32_t inverse = VCU_SPM(0), row = VCU_SPM(1), copy = VCU_SPM(2), v = VCU_SPM(3);

/* v without its last element, for k rows of `stride` bytes; the sum r^T v after it and to *sum. */
static inline void border(const fx_t *a, volatile fx_t *sum, uint32_t k, uint32_t stride)
{
    kmemld(row, a, 4u * k);
    vcu_set_mvsize(k * stride);
    ksrav(copy, inverse, FX_PRE_SHIFT_B); /* while the row is loaded */
    vcu_set_mvsize(4u * k);
    ksrav(row, row, FX_PRE_SHIFT_A);
    uint32_t to = v, from = copy;
    const uint32_t end = v + 4u * k;
    do {
        kdotp(to, row, from);
        to += 4;
        from += stride;
        FX_HERE(to);
        FX_HERE(from);
    } while (to != end);
    ksrav(v, v, FX_POST_SHIFT);
    ksrav(copy, v, FX_PRE_SHIFT_B);
    kdotp(end, row, copy);
    kmemstr((void *)sum, end, 4u);
}

/* Adds v v^T / d to the k + 1 rows. */
static inline void add_product(struct fx_vector_reciprocal by, uint32_t k, uint32_t stride)
{
    const uint32_t bytes = 4u * (k + 1u);
    vcu_set_mvsize(bytes);
    ksrav(row, v, FX_PRE_SHIFT_A);
    ksvmulrf(row, row, by.factor);
    ksrav(row, row, by.shift);
    ksrav(row, row, FX_PRE_SHIFT_A);
    ksrav(v, v, FX_PRE_SHIFT_B);
    uint32_t to = copy, scalar = row;
    const uint32_t end = row + bytes;
    do {
        ksvmulsc(to, v, scalar);
        to += stride;
        scalar += 4;
        FX_HERE(to);
        FX_HERE(scalar);
    } while (scalar != end);
    vcu_set_mvsize((k + 1u) * stride);
    ksrav(copy, copy, FX_POST_SHIFT);
    kaddv(inverse, inverse, copy);
}

/* d is not above this many steps: within rounding the row depends on those above it. */
static inline fx_t least_pivot(fx_t diagonal, uint32_t k)
{
    const fx_t units = (diagonal >> FX_FRACTION_BITS) + (fx_t)k;
    return units > (0x7fffffff >> (PRE_SHIFT + 2)) ? 0x7fffffff
                                                   : (fx_t)((uint32_t)units << (PRE_SHIFT + 2));
}

static enum fx_status step(const fx_t *a, volatile fx_t *sum, uint32_t k, uint32_t stride)
{
    struct fx_vector_reciprocal by;
    fx_t pivot = a[k];
    const fx_t least = least_pivot(pivot, k);
    if (k != 0) {
        border(a, sum, k, stride);
        pivot = fx_subtract_wrap(pivot, *sum >> FX_POST_SHIFT); /* waits for the transfer */
    }
    vcu_set_mvsize(4u);
    kbcast(v + 4u * k, (uint32_t)-FX_ONE);
    if (pivot <= 0 || pivot <= least) {
        return FX_SINGULAR;
    }
    const enum fx_status status = fx_vector_reciprocal(pivot, &by);
    if (status == FX_OK) {
        add_product(by, k, stride);
    }
    return status;
}

enum fx_status fx_invert_symmetric_vector_floor_checked(const fx_t *a, fx_t *out, fx_t *work,
                                                        uint32_t n)
{
    const uint32_t stride = 4u * n;
    enum fx_status status = n * n > FX_SPM_WORDS ? FX_TOO_LARGE : FX_OK;
    if (status == FX_OK && n != 0) {
        vcu_set_mvtype(VCU_32_BIT);
        vcu_set_mvsize(n * stride);
        kbcast(inverse, 0);
        kbcast(copy, 0);
    }
    for (uint32_t k = 0; status == FX_OK && k < n; ++k) {
        status = step(a + k * n, work, k, stride);
    }
    if (status != FX_OK) {
        fx_clear(out, n * n);
        return status;
    }
    kmemstr(out, inverse, n * stride);
    return FX_OK;
}
