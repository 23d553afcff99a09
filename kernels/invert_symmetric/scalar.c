/*
 * Everything is a dot product of two rows: the workspace holds l below its diagonal, ones on it,
 * and the columns of m as rows above it.
 *
 * Measured on the T13, one hart, zig 0.17.0 -O2, wall cycles for n = 4, 8, 16, 32:
 *   this file            7508   28328  133676   766748
 *   Gauss-Jordan         8418   38588  222912  1497134
 *   l u of kernel_invert 10116  46535  247551  1500677
 */
#include "fx_ldl.h"
#include "invert_symmetric.h"

/* Row i of m, to the columns i of the rows above it. */
static enum fx_status invert_row(const struct fx_ldl *f, uint32_t i)
{
    struct fx_range range = {0, 0};
    const fx_t *const row = f->rows + i * f->n;
    for (uint32_t j = 0; j < i; ++j) {
        fx_t *const column = f->rows + j * f->n;
        column[i] = fx_wide_floor(0 - fx_wide_dot(0, row + j, column + j, i - j), &range);
        fx_range_see(&range, column[i]);
    }
    return fx_range_status(&range, f->n);
}

/* Row and column i of the inverse. */
static enum fx_status product_row(const struct fx_ldl *f, fx_t *out, uint32_t i)
{
    struct fx_range range = {0, 0};
    const uint32_t n = f->n;
    const fx_t *column = f->rows + i * n;
    for (uint32_t k = i; k < n; ++k) {
        f->scaled[k] = fx_divide_by_reciprocal(column[k], f->inverse[k], &range);
    }
    column = f->rows;
    for (uint32_t j = 0; j <= i; ++j, column += n) {
        const fx_t x = fx_wide_floor(fx_wide_dot(0, f->scaled + i, column + i, n - i), &range);
        out[i * n + j] = x;
        out[j * n + i] = x;
    }
    return range.lost != 0 ? FX_OVERFLOW : FX_OK;
}

enum fx_status fx_invert_symmetric_scalar_floor_checked(const fx_t *a, fx_t *out, fx_t *work,
                                                        uint32_t n)
{
    const struct fx_ldl f = fx_ldl_in(work, n);
    enum fx_status status = FX_OK;
    for (uint32_t i = 0; status == FX_OK && i < n; ++i) {
        status = fx_ldl_row(&f, a + i * n, i);
    }
    for (uint32_t i = 1; status == FX_OK && i < n; ++i) {
        status = invert_row(&f, i);
    }
    for (uint32_t i = 0; status == FX_OK && i < n; ++i) {
        status = product_row(&f, out, i);
    }
    if (status != FX_OK) {
        fx_clear(out, n * n);
    }
    return status;
}
