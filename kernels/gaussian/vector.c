/*
 * Each pass takes as many rows as fit a scratchpad: differences and dot products take one instruction
 * per row, all other operations one for all rows.
 *
 * Scratchpad 0: the rows, their differences, arguments of exp. 1: x, then the differences once more: a
 * unit cannot read both factors from one scratchpad. 2: masks of exp. 3: squares of distances.
 */
#include "fx_exp_vector.h"
#include "fx_failed.h"
#include "gaussian.h"

#define ROWS VCU_SPM(0)
#define COPY VCU_SPM(1)
#define DISTANCES VCU_SPM(3)

/* Arguments of exp from `rows` rows of `row` bytes in scratchpad 0. */
static void arguments(uint32_t rows, uint32_t row, fx_t g)
{
    vcu_set_mvsize(row);
    for (uint32_t i = 0; i < rows; ++i) {
        ksubv(ROWS + i * row, ROWS + i * row, COPY);
    }
    vcu_set_mvsize(rows * row);
    ksrav(COPY, ROWS, FX_PRE_SHIFT_B);
    ksrav(ROWS, ROWS, FX_PRE_SHIFT_A);
    vcu_set_mvsize(row);
    for (uint32_t i = 0; i < rows; ++i) {
        kdotp(DISTANCES + 4u * i, ROWS + i * row, COPY + i * row);
    }
    vcu_set_mvsize(4u * rows);
    ksrav(DISTANCES, DISTANCES, FX_POST_SHIFT);
    ksrav(DISTANCES, DISTANCES, FX_PRE_SHIFT_A);
    ksvmulrf(DISTANCES, DISTANCES, (uint32_t)(g >> FX_PRE_SHIFT_B));
    ksrav(DISTANCES, DISTANCES, FX_POST_SHIFT);
    ksvmulrf(FX_EXP_Y, DISTANCES, 0u - 1u);
}

enum fx_status fx_gaussian_vector_nearest_checked(const fx_t *a, const fx_t *x, const fx_t *g,
                                                  fx_t *out, uint32_t rows, uint32_t columns)
{
    const uint32_t row = 4u * columns;
    const enum fx_status status =
        *g < 0 ? FX_UNDEFINED : columns > FX_SPM_WORDS ? FX_TOO_LARGE : FX_OK;
    if (status != FX_OK) {
        fx_clear(out, rows);
        return status;
    }
    const uint32_t most = FX_SPM_WORDS / columns;
    vcu_set_mvtype(VCU_32_BIT);
    while (rows != 0) {
        const uint32_t here = rows < most ? rows : most;
        kmemld(ROWS, a, here * row);
        kmemld(COPY, x, row);
        arguments(here, row, *g);
        fx_exp_chunk();
        kmemstr(out, FX_EXP_PRODUCT, 4u * here);
        a += here * columns;
        out += here;
        rows -= here;
    }
    return FX_OK;
}
