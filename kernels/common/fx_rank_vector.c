/*
 * Bound by the transfers, 1 cycle per word in and 2 out; the products of one group of rows run while
 * the group before is stored.
 *
 * Scratchpads 0 and 2: rows of a, in turn. 1: right, then one row of products if the rank is above
 * 1. 3: the scalars of left in the lower half, one row of sums in the upper half.
 */
#include "fx_rank_vector.h"

#define HALF_WORDS (FX_SPM_WORDS / 2u)
#define SUM (VCU_SPM(3) + 4u * HALF_WORDS)

/* Length of a group of rows: if shorter, starting transfers costs time. The first is one row, so
 * that computing starts early. */
#define LOT_BYTES 512u

static uint32_t smaller(uint32_t x, uint32_t y)
{
    return x < y ? x : y;
}

#define ALWAYS_INLINE inline __attribute__((always_inline))

/* `rank` rows of `bytes`, one after the other. */
static inline void load(uint32_t spm, const fx_t *from, uint32_t stride, uint32_t rank,
                        uint32_t bytes)
{
    for (; rank != 0; --rank, spm += bytes, from += stride) {
        kmemld(spm, from, bytes);
    }
}

static inline void prepare_left(const struct fx_rank_update *update, uint32_t bytes)
{
    vcu_set_mvsize(bytes);
    ksrav(VCU_SPM(3), VCU_SPM(3), FX_PRE_SHIFT_A);
    if (update->scaled) {
        ksvmulrf(VCU_SPM(3), VCU_SPM(3), update->factor);
        ksrav(VCU_SPM(3), VCU_SPM(3), update->shift);
        ksrav(VCU_SPM(3), VCU_SPM(3), FX_PRE_SHIFT_A);
    }
}

/* Adds the scaled rows to a group of rows; returns the address of the next group's scalars. */
static ALWAYS_INLINE uint32_t update_lot(uint32_t row, uint32_t end, uint32_t bytes,
                                         uint32_t scalar, uint32_t scalar_stride, uint32_t rank,
                                         int subtract)
{
    do {
        ksvmulsc(SUM, VCU_SPM(1), scalar);
        if (rank != 1u) {
            const uint32_t products = VCU_SPM(1) + rank * bytes;
            uint32_t right = VCU_SPM(1) + bytes, of_left = scalar + scalar_stride;
            for (; right != products; right += bytes, of_left += scalar_stride) {
                ksvmulsc(products, right, of_left);
                kaddv(SUM, SUM, products);
            }
        }
        scalar += 4;
        FX_HERE(scalar);
        ksrav(SUM, SUM, FX_POST_SHIFT);
        if (subtract) {
            ksubv(row, row, SUM);
        } else {
            kaddv(row, row, SUM);
        }
        row += bytes;
    } while (row != end);
    return scalar;
}

/*
 * Rows from a to out, `left` bytes of them, `stride` bytes apart. Each group is computed while the
 * one before is stored. All values of the loop must be in registers: a load would wait for the
 * active transfer. So this is inlined with constants for values that callers know.
 */
static ALWAYS_INLINE void stream_rows(const char *a, char *out, uint32_t left, uint32_t bytes,
                                      uint32_t stride, uint32_t scalar_stride, uint32_t rank,
                                      int subtract)
{
    uint32_t here = VCU_SPM(0), other = VCU_SPM(2), size = bytes, lot = bytes;
    kmemld(here, a, size);
    vcu_set_mvsize(size);
    while (stride == bytes && 2u * lot <= smaller(LOT_BYTES, VCU_SPM_BYTES)) {
        lot *= 2u;
    }
    uint32_t scalar =
        update_lot(here, here + size, bytes, VCU_SPM(3), scalar_stride, rank, subtract);
    for (;;) {
        const uint32_t advance = stride == bytes ? size : stride;
        left -= size;
        const uint32_t next = smaller(lot, left);
        if (next == 0) {
            break;
        }
        a += advance;
        kmemld(other, a, next);
        kmemstr(out, here, size);
        out += advance;
        scalar = update_lot(other, other + next, bytes, scalar, scalar_stride, rank, subtract);
        const uint32_t swap = here;
        here = other;
        other = swap;
        size = next;
    }
    kmemstr(out, here, size);
}

/* Operands that do not fit the scratchpads in one piece. */
static __attribute__((noinline)) void update_tiles(const struct fx_rank_update *update,
                                                   uint32_t height, uint32_t width)
{
    const uint32_t rank = update->rank, columns = update->columns;
    for (uint32_t i = 0; i < update->rows; i += height) {
        const uint32_t rows = smaller(height, update->rows - i);
        load(VCU_SPM(3), update->left + i, update->rows, rank, 4u * rows);
        prepare_left(update, 4u * rows * rank);
        for (uint32_t j = 0; j < columns; j += width) {
            const uint32_t bytes = 4u * smaller(width, columns - j);
            load(VCU_SPM(1), update->right + j, columns, rank, bytes);
            vcu_set_mvsize(rank * bytes);
            ksrav(VCU_SPM(1), VCU_SPM(1), FX_PRE_SHIFT_B);
            stream_rows((const char *)(update->a + i * columns + j),
                        (char *)(update->out + i * columns + j), rows * bytes, bytes,
                        4u * columns, 4u * rows, rank, update->subtract);
        }
    }
}

/* One piece. Only code that the first transfers need precedes them. */
static ALWAYS_INLINE void update_whole(const struct fx_rank_update *update, uint32_t rank,
                                       int subtract)
{
    const uint32_t rows_bytes = 4u * update->rows, bytes = 4u * update->columns;
    kmemld(VCU_SPM(3), update->left, rank * rows_bytes);
    const uint32_t left = update->rows * bytes;
    kmemld(VCU_SPM(1), update->right, rank * bytes);
    prepare_left(update, rank * rows_bytes); /* while right is loaded */
    vcu_set_mvsize(rank * bytes);
    ksrav(VCU_SPM(1), VCU_SPM(1), FX_PRE_SHIFT_B);
    stream_rows((const char *)update->a, (char *)update->out, left, bytes, bytes, rows_bytes,
                rank, subtract);
}

void fx_rank_update_vector(const struct fx_rank_update *update)
{
    const uint32_t rank = update->rank, rows = update->rows, columns = update->columns;
    vcu_set_mvtype(VCU_32_BIT);
    if (rows == 0 || columns == 0) {
        return;
    }
    if (rank == 1u && rows <= HALF_WORDS && columns <= HALF_WORDS) {
        if (update->subtract) {
            update_whole(update, 1u, 1);
        } else {
            update_whole(update, 1u, 0);
        }
    } else if (rank * rows <= HALF_WORDS && (rank + 1u) * columns <= FX_SPM_WORDS &&
               columns <= HALF_WORDS) {
        update_whole(update, rank, update->subtract);
    } else {
        const uint32_t room = rank == 1u ? FX_SPM_WORDS : FX_SPM_WORDS / (rank + 1u);
        update_tiles(update, smaller(rows, HALF_WORDS / rank),
                     smaller(columns, smaller(HALF_WORDS, room)));
    }
}
