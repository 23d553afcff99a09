/*
 * Bound by the transfers, 1 cycle per word in and 2 out; the products of one lot of rows run while
 * the lot before is stored.
 *
 * Scratchpads 0 and 2: rows of a, in turn. 1: right, then one row of products if the rank is above
 * 1. 3: the scalars of left in the lower half, one row of sums in the upper half.
 */
#include "fx_rank_vector.h"

#define HALF_WORDS (FX_SPM_WORDS / 2u)
#define SUM (VCU_SPM(3) + 4u * HALF_WORDS)

/* A lot of rows is about so long. Measured. */
#ifndef FX_RANK_WORDS
#define FX_RANK_WORDS 128u
#endif

struct tile {
    uint32_t stride, rows, columns; /* stride of a and out, in words */
};

static uint32_t smaller(uint32_t x, uint32_t y)
{
    return x < y ? x : y;
}

static void load_left(const struct fx_rank_update *update, uint32_t row, uint32_t rows)
{
    uint32_t at = VCU_SPM(3);
    const fx_t *from = update->left + row;
    for (uint32_t l = 0; l < update->rank; ++l, at += 4u * rows, from += update->rows) {
        kmemld(at, from, 4u * rows);
    }
    vcu_set_mvsize(4u * rows * update->rank);
    ksrav(VCU_SPM(3), VCU_SPM(3), FX_PRE_SHIFT_A);
    if (update->scaled) {
        ksvmulrf(VCU_SPM(3), VCU_SPM(3), (uint32_t)(update->scale >> FX_PRE_SHIFT_B));
        ksrav(VCU_SPM(3), VCU_SPM(3), FX_POST_SHIFT);
        ksrav(VCU_SPM(3), VCU_SPM(3), FX_PRE_SHIFT_A);
    }
}

static void load_right(const struct fx_rank_update *update, uint32_t column, uint32_t columns)
{
    uint32_t at = VCU_SPM(1);
    const fx_t *from = update->right + column;
    for (uint32_t l = 0; l < update->rank; ++l, at += 4u * columns, from += update->columns) {
        kmemld(at, from, 4u * columns);
    }
    vcu_set_mvsize(4u * columns * update->rank);
    ksrav(VCU_SPM(1), VCU_SPM(1), FX_PRE_SHIFT_B);
}

/* Adds to the rows of a lot what their scalars say, the first of which is at `scalar`. */
static inline void update_lot(uint32_t row, uint32_t end, uint32_t scalar, uint32_t scalar_stride,
                              uint32_t bytes, uint32_t rank, int subtract)
{
    do {
        ksvmulsc(SUM, VCU_SPM(1), scalar);
        uint32_t right = VCU_SPM(1) + bytes, of_left = scalar + scalar_stride;
        const uint32_t product = VCU_SPM(1) + rank * bytes;
        for (; right != product; right += bytes, of_left += scalar_stride) {
            ksvmulsc(product, right, of_left);
            kaddv(SUM, SUM, product);
        }
        ksrav(SUM, SUM, FX_POST_SHIFT);
        if (subtract) {
            ksubv(row, row, SUM);
        } else {
            kaddv(row, row, SUM);
        }
        scalar += 4;
        row += bytes;
    } while (row != end);
}

static inline void load_rows(uint32_t spm, const fx_t *from, const struct tile *tile, uint32_t rows)
{
    const uint32_t bytes = 4u * tile->columns;
    if (tile->stride == tile->columns) {
        kmemld(spm, from, rows * bytes);
        return;
    }
    for (uint32_t i = 0; i < rows; ++i, spm += bytes, from += tile->stride) {
        kmemld(spm, from, bytes);
    }
}

static inline void store_rows(fx_t *to, uint32_t spm, const struct tile *tile, uint32_t rows)
{
    const uint32_t bytes = 4u * tile->columns;
    if (tile->stride == tile->columns) {
        kmemstr(to, spm, rows * bytes);
        return;
    }
    for (uint32_t i = 0; i < rows; ++i, spm += bytes, to += tile->stride) {
        kmemstr(to, spm, bytes);
    }
}

static void update_tile(const struct fx_rank_update *update, const struct tile *tile,
                        const fx_t *a, fx_t *out)
{
    const uint32_t bytes = 4u * tile->columns, scalar_stride = 4u * tile->rows;
    const uint32_t rank = update->rank;
    const int subtract = update->subtract;
    uint32_t here = VCU_SPM(0), other = VCU_SPM(2), scalar = VCU_SPM(3);
    uint32_t lot = 1, left = tile->rows;
    while (2u * lot * bytes <= smaller(4u * FX_RANK_WORDS, VCU_SPM_BYTES)) {
        lot *= 2u;
    }
    lot = smaller(lot, left);
    vcu_set_mvsize(bytes);
    load_rows(here, a, tile, lot);
    update_lot(here, here + lot * bytes, scalar, scalar_stride, bytes, rank, subtract);
    while (lot != 0) {
        scalar += 4u * lot;
        left -= lot;
        a += lot * tile->stride;
        const uint32_t next = smaller(lot, left);
        if (next != 0) {
            load_rows(other, a, tile, next);
        }
        store_rows(out, here, tile, lot);
        if (next != 0) { /* while the lot before is stored */
            update_lot(other, other + next * bytes, scalar, scalar_stride, bytes, rank, subtract);
        }
        out += lot * tile->stride;
        lot = next;
        const uint32_t swap = here;
        here = other;
        other = swap;
    }
}

void fx_rank_update_vector(const struct fx_rank_update *update)
{
    const uint32_t rank = update->rank, columns = update->columns;
    const uint32_t room = rank == 1u ? FX_SPM_WORDS : FX_SPM_WORDS / (rank + 1u);
    const uint32_t width = smaller(columns, smaller(HALF_WORDS, room));
    const uint32_t height = smaller(update->rows, rank == 1u ? HALF_WORDS : HALF_WORDS / rank);
    vcu_set_mvtype(VCU_32_BIT);
    for (uint32_t i = 0; i < update->rows; i += height) {
        const uint32_t rows = smaller(height, update->rows - i);
        load_left(update, i, rows);
        for (uint32_t j = 0; j < columns; j += width) {
            const struct tile tile = {columns, rows, smaller(width, columns - j)};
            const uint32_t at = i * columns + j;
            load_right(update, j, tile.columns);
            update_tile(update, &tile, update->a + at, update->out + at);
        }
    }
}
