/* Sweep operator: n steps, each of which moves one row and column from a to its inverse, and
 * finally leaves the negative inverse. */
#include "fx_solve.h"
#include "invert_symmetric.h"

/* Element (i, k) of a symmetric matrix of which only the lower triangle is stored. */
static inline fx_t *element(fx_t *a, uint32_t n, uint32_t i, uint32_t k)
{
    return i >= k ? a + i * n + k : a + k * n + i;
}

/* a - c r, rounded down. */
static inline fx_t eliminate(fx_t a, fx_t c, fx_t r, struct fx_range *range)
{
    const uint64_t sum = fx_wide(a) - (uint64_t)((int64_t)c * r);
    return fx_wide_floor(sum, range);
}

/* `blur`: error bound of each diagonal element, in steps. */
static enum fx_status sweep(fx_t *a, fx_t *column, fx_t *scaled, fx_t *blur, uint32_t k, uint32_t n)
{
    struct fx_range range = {0, 0};
    const fx_t pivot = a[k * n + k];
    if (pivot <= blur[k]) {
        return FX_SINGULAR;
    }
    const struct fx_reciprocal inverse = fx_reciprocal(pivot);
    for (uint32_t i = 0; i < n; ++i) {
        column[i] = *element(a, n, i, k);
        scaled[i] = fx_divide_by_reciprocal(column[i], inverse, &range);
        blur[i] += (fx_t)fx_pivot_error(column + i, 1u);
    }
    column[k] = 0; /* so that the loop below does not change row k */
    scaled[k] = 0;
    fx_t *row = a;
    for (uint32_t i = 0; i < n; ++i, row += n) {
        const fx_t c = column[i];
        for (uint32_t j = 0; j <= i; ++j) {
            row[j] = eliminate(row[j], c, scaled[j], &range);
        }
    }
    for (uint32_t i = 0; i < n; ++i) {
        *element(a, n, i, k) = scaled[i];
    }
    a[k * n + k] = (fx_t)(0u - (uint32_t)fx_divide_by_reciprocal(FX_ONE, inverse, &range));
    return range.lost != 0 ? FX_OVERFLOW : FX_OK;
}

enum fx_status fx_invert_symmetric_gauss_jordan_floor_checked(const fx_t *a, fx_t *out, fx_t *work,
                                                              uint32_t n)
{
    enum fx_status status = FX_OK;
    fx_clear(work + 2u * n, n);
    for (uint32_t i = 0; i < n; ++i) {
        for (uint32_t j = 0; j <= i; ++j) {
            out[i * n + j] = a[i * n + j];
        }
    }
    for (uint32_t k = 0; status == FX_OK && k < n; ++k) {
        status = sweep(out, work, work + n, work + 2u * n, k, n);
    }
    if (status != FX_OK) {
        fx_clear(out, n * n);
        return status;
    }
    for (uint32_t i = 0; i < n; ++i) {
        for (uint32_t j = 0; j <= i; ++j) {
            const fx_t x = (fx_t)(0u - (uint32_t)out[i * n + j]);
            out[i * n + j] = x;
            out[j * n + i] = x;
        }
    }
    return FX_OK;
}
