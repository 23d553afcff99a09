#include "fx_divide.h"
#include "invert_symmetric/invert_symmetric.h"
#include "woodbury.h"

static enum fx_status fail(enum fx_status why, const fx_t *a, fx_t *out, uint32_t count)
{
    for (uint32_t i = 0; a != out && i < count; ++i) {
        out[i] = a[i];
    }
    return why;
}

/* Columns of v, each `rank` numbers one after the other. */
static void times_inverse(const fx_t *a, const fx_t *u, fx_t *v, uint32_t n, uint32_t rank,
                          struct fx_range *range)
{
    for (uint32_t i = 0; i < n; ++i, a += n) {
        const fx_t *row = u;
        for (uint32_t l = 0; l < rank; ++l, row += n) {
            const fx_t value = fx_wide_floor(fx_wide_dot(0, a, row, n), range);
            fx_range_see(range, value);
            *v++ = value;
        }
    }
}

/* The lower triangle of s. */
static void capacitance(const fx_t *u, const fx_t *v, fx_t *s, uint32_t n, uint32_t rank,
                        struct fx_range *range)
{
    for (uint32_t l = 0; l < rank; ++l, u += n) {
        for (uint32_t m = 0; m <= l; ++m) {
            uint64_t sum = l == m ? fx_wide(FX_ONE) : 0;
            for (uint32_t i = 0; i < n; ++i) {
                sum = fx_wide_add(sum, u[i], v[i * rank + m]);
            }
            s[l * rank + m] = fx_wide_floor(sum, range);
        }
    }
}

enum fx_status fx_woodbury_scalar_floor_checked(const fx_t *a, const fx_t *u, fx_t *out,
                                                fx_t *work, uint32_t n, uint32_t rank)
{
    struct fx_range range = {0, 0};
    fx_t *const v = work, *const w = v + n * rank, *const s = w + n * rank;
    for (uint32_t i = 0; i < n * rank; ++i) {
        fx_range_see(&range, u[i]);
    }
    times_inverse(a, u, v, n, rank, &range);
    capacitance(u, v, s, n, rank, &range);
    enum fx_status status = fx_range_status(&range, n > rank ? n : rank);
    if (status == FX_OK) {
        status = fx_invert_symmetric_scalar_floor_checked(s, s, s + rank * rank, rank);
    }
    for (uint32_t i = 0; status == FX_OK && i < n; ++i) {
        for (uint32_t l = 0; l < rank; ++l) {
            const uint64_t sum = fx_wide_dot(0, s + l * rank, v + i * rank, rank);
            w[i * rank + l] = fx_wide_floor(sum, &range);
        }
    }
    if (status != FX_OK || range.lost != 0) {
        return fail(status != FX_OK ? status : FX_OVERFLOW, a, out, n * n);
    }
    for (uint32_t i = 0; i < n; ++i) {
        for (uint32_t j = 0; j <= i; ++j) {
            const uint64_t sum = fx_wide_dot(0, w + i * rank, v + j * rank, rank);
            const fx_t value = fx_subtract_wrap(a[i * n + j], fx_wide_floor_wrap(sum));
            out[i * n + j] = value;
            out[j * n + i] = value;
        }
    }
    return FX_OK;
}
