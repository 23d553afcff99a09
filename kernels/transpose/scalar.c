/* Blocks of four by four: then offsets are constants for half of the accesses, and one pointer
 * step serves four words. */
#include "transpose.h"

static inline void move_four(const fx_t *from, fx_t *to, uint32_t rows)
{
    const fx_t a0 = from[0], a1 = from[1], a2 = from[2], a3 = from[3];
    fx_t *const to1 = to + rows, *const to2 = to1 + rows, *const to3 = to2 + rows;
    to[0] = a0;
    to1[0] = a1;
    to2[0] = a2;
    to3[0] = a3;
}

void fx_transpose_scalar_exact(const fx_t *a, fx_t *out, uint32_t rows, uint32_t columns)
{
    uint32_t j = 0;
    for (; j + 4u <= columns; j += 4u) {
        const fx_t *from = a + j;
        fx_t *to0 = out + j * rows;
        fx_t *to1 = to0 + rows, *to2 = to1 + rows, *to3 = to2 + rows;
        fx_t *const end = to1;
        for (; end - to0 >= 4; to0 += 4, to1 += 4, to2 += 4, to3 += 4) {
            for (uint32_t k = 0; k < 4u; ++k, from += columns) {
                const fx_t a0 = from[0], a1 = from[1], a2 = from[2], a3 = from[3];
                to0[k] = a0;
                to1[k] = a1;
                to2[k] = a2;
                to3[k] = a3;
            }
        }
        for (; to0 != end; ++to0, from += columns) {
            move_four(from, to0, rows);
        }
    }
    for (; j < columns; ++j) {
        const fx_t *from = a + j;
        for (uint32_t i = 0; i < rows; ++i, from += columns) {
            out[j * rows + i] = *from;
        }
    }
}
