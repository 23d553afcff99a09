#include "outer.h"

void fx_outer_scalar_floor_wrap(const fx_t *a, const fx_t *x, const fx_t *y, const fx_t *s,
                                fx_t *out, uint32_t rows, uint32_t columns)
{
    const fx_t *const x_end = x + rows, *const y_end = y + columns;
    for (; x != x_end; ++x) {
        const fx_t weight = fx_multiply_floor_wrap(*x, *s);
        for (const fx_t *at = y; at != y_end; ++at) {
            *out++ = fx_add_wrap(*a++, fx_multiply_floor_wrap(weight, *at));
        }
    }
}
