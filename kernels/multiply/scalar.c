#include "multiply.h"

void fx_multiply_scalar_toward_zero_wrap(const fx_t *a, const fx_t *b, fx_t *out, uint32_t rows,
                                         uint32_t inner, uint32_t columns)
{
    for (uint32_t i = 0; i < rows; ++i) {
        for (uint32_t j = 0; j < columns; ++j) {
            fx_t sum = 0;
            for (uint32_t k = 0; k < inner; ++k) {
                sum = fx_add_wrap(sum, fx_multiply_toward_zero_wrap(a[i * inner + k],
                                                                    b[k * columns + j]));
            }
            out[i * columns + j] = sum;
        }
    }
}
