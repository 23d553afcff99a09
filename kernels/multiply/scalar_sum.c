#include "fx_wide.h"
#include "multiply.h"

void fx_multiply_scalar_sum_floor_wrap(const fx_t *a, const fx_t *b, fx_t *out, uint32_t rows,
                                       uint32_t inner, uint32_t columns)
{
    for (uint32_t i = 0; i < rows; ++i, a += inner) {
        for (uint32_t j = 0; j < columns; ++j) {
            const fx_t *of_a = a, *of_b = b + j;
            uint64_t sum = 0;
            for (uint32_t left = inner; left >= 2u; left -= 2u, of_a += 2) {
                sum = fx_wide_add(sum, of_a[0], *of_b);
                of_b += columns;
                sum = fx_wide_add(sum, of_a[1], *of_b);
                of_b += columns;
            }
            if (inner % 2u != 0) {
                sum = fx_wide_add(sum, *of_a, *of_b);
            }
            *out++ = fx_wide_floor_wrap(sum);
        }
    }
}
