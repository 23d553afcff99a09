#include "fx_wide.h"
#include "multiply_transposed.h"

void fx_multiply_transposed_scalar_floor_wrap(const fx_t *a, const fx_t *b, fx_t *out,
                                              uint32_t rows, uint32_t inner, uint32_t columns)
{
    for (uint32_t i = 0; i < rows; ++i, a += inner) {
        const fx_t *row = b;
        for (uint32_t j = 0; j < columns; ++j, row += inner) {
            *out++ = fx_wide_floor_wrap(fx_wide_dot(0, a, row, inner));
        }
    }
}
