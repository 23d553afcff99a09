#include "matvec.h"
#include "multiply_transposed/multiply_transposed.h"

void fx_matvec_scalar_floor_wrap(const fx_t *a, const fx_t *x, fx_t *out, uint32_t rows,
                                 uint32_t columns)
{
    fx_multiply_transposed_scalar_floor_wrap(x, a, out, 1u, columns, rows);
}
