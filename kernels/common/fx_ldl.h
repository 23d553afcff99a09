/* Factors of a positive definite matrix, a = l d l^T, for inversion and solving. */
#ifndef FX_LDL_H
#define FX_LDL_H

#include "fx_solve.h"

struct fx_ldl {
    fx_t *rows;                    /* n x n: l below the diagonal, ones on it, above it free */
    fx_t *scaled;                  /* n: a row of l d */
    struct fx_reciprocal *inverse; /* n: of d */
    uint32_t n;
};

/* Total words of the three. */
static inline uint32_t fx_ldl_words(uint32_t n)
{
    return n * n + 3u * n;
}

static inline struct fx_ldl fx_ldl_in(fx_t *work, uint32_t n)
{
    return (struct fx_ldl){
        .rows = work,
        .scaled = work + n * n,
        .inverse = (struct fx_reciprocal *)(work + n * n + n),
        .n = n,
    };
}

/* Row i of l from row i of a, and the pivot. */
static inline enum fx_status fx_ldl_row(const struct fx_ldl *f, const fx_t *a, uint32_t i)
{
    struct fx_range range = {0, 0};
    const fx_t *other = f->rows;
    fx_t *const row = f->rows + i * f->n;
    for (uint32_t j = 0; j < i; ++j, other += f->n) {
        const uint64_t sum = fx_wide(a[j]) - fx_wide_dot(0, f->scaled, other, j);
        f->scaled[j] = fx_wide_floor(sum, &range);
        row[j] = fx_divide_by_reciprocal(f->scaled[j], f->inverse[j], &range);
        fx_range_see(&range, row[j]);
    }
    row[i] = FX_ONE;
    const fx_t pivot = fx_wide_floor(fx_wide(a[i]) - fx_wide_dot(0, f->scaled, row, i), &range);
    const enum fx_status status = fx_range_status(&range, f->n);
    if (status != FX_OK) {
        return status;
    }
    if (pivot <= 0 || (uint32_t)pivot <= fx_pivot_error(f->scaled, i)) {
        return FX_SINGULAR;
    }
    f->inverse[i] = fx_reciprocal(pivot);
    return FX_OK;
}

#endif
