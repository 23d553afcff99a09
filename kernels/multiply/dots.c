/*
 * One dot product per element of the result: a single vector instruction for all of `inner`
 * products, so its start-up is paid once. Columns of b must be contiguous for that, and the
 * vector unit cannot transpose; the integer core gathers the next four columns while the dot
 * products of the current four run. Four, because a row of four is then read and written with
 * constant offsets, and because the core starts an instruction only every third cycle: with one
 * column at a time it could not set up operands as fast as the vector unit finishes.
 *
 * Scratchpad 0: rows of a. 1 and 2: four columns of b each, in turn; the upper half of 2 takes
 * the dot products of later parts of a long `inner`. 3: the result.
 */
#include "fx_vector.h"
#include "multiply.h"

#define GROUP 4u
/* Offsets within `columns` must fit the 12 bits of a store. */
#define DEPTH_LIMIT 128u
#define DEPTH_MAX (FX_SPM_WORDS / GROUP < DEPTH_LIMIT ? FX_SPM_WORDS / GROUP : DEPTH_LIMIT)
#define HALF_WORDS (FX_SPM_WORDS / 2u)

#if VCU_SPM_BYTES < 64
#error "multiply/dots.c: a scratchpad must have at least 64 bytes"
#endif

/* The next columns of b, each contiguous. */
static fx_t columns_of_b[GROUP][DEPTH_LIMIT];

static uint32_t smaller(uint32_t x, uint32_t y)
{
    return x < y ? x : y;
}

static inline void gather_four(const fx_t *from, uint32_t k)
{
    const fx_t b0 = from[0], b1 = from[1], b2 = from[2], b3 = from[3];
    columns_of_b[0][k] = b0;
    columns_of_b[1][k] = b1;
    columns_of_b[2][k] = b2;
    columns_of_b[3][k] = b3;
}

/* Rows first .. depth - 1 of `width` columns. */
static void gather(const fx_t *from, uint32_t stride, uint32_t width, uint32_t first,
                   uint32_t depth)
{
    from += first * stride;
    if (width == GROUP) {
        uint32_t k = first;
        for (; k + 4u <= depth; k += 4u, from += stride) { /* four rows share one loop */
            gather_four(from, k);
            from += stride;
            gather_four(from, k + 1u);
            from += stride;
            gather_four(from, k + 2u);
            from += stride;
            gather_four(from, k + 3u);
        }
        for (; k < depth; ++k, from += stride) {
            gather_four(from, k);
        }
        return;
    }
    for (uint32_t k = first; k < depth; ++k, from += stride) {
        for (uint32_t j = 0; j < width; ++j) {
            columns_of_b[j][k] = from[j];
        }
    }
}

static void load_columns(uint32_t spm, const fx_t *from, uint32_t width, uint32_t depth)
{
    const uint32_t bytes = 4u * depth;
    uint32_t at = spm;
    for (uint32_t j = 0; j < width; ++j, at += bytes, from += DEPTH_LIMIT) {
        kmemld(at, from, bytes);
    }
    vcu_set_mvsize(width * bytes);
    ksrav(spm, spm, FX_PRE_SHIFT_B);
    vcu_set_mvsize(bytes);
}

/* rows x width dot products, without concurrent scalar work. */
static void dots(uint32_t spm, uint32_t row, uint32_t to, uint32_t to_stride, uint32_t rows,
                 uint32_t width, uint32_t depth)
{
    const uint32_t bytes = 4u * depth, last = spm + width * bytes;
    for (uint32_t i = 0; i < rows; ++i, row += bytes, to += to_stride) {
        uint32_t at = to, column = spm;
        do {
            kdotp(at, row, column);
            at += 4;
            column += bytes;
            FX_HERE(at);
            FX_HERE(column);
        } while (column != last);
    }
}

/* Pointers that the loop below advances from row to row. */
struct beside {
    uint32_t row, to[GROUP]; /* a row of a, and the address of its dot products */
    const char *from;        /* four elements of a row of b, for the next columns */
    fx_t *into;
};

/*
 * Four dot products of one row of a, and one row of the next four columns of b. A dot product of
 * 32 elements and four lanes takes five issue slots of the hart, or 15 cycles: so three or four
 * instructions, placed by hand, stand between it and the next.
 */
static inline __attribute__((always_inline)) void row_and_gather(
    struct beside *at, uint32_t c0, uint32_t c1, uint32_t c2, uint32_t c3, uint32_t bytes,
    uint32_t to_stride, uint32_t stride_bytes, uint32_t k)
{
    const volatile fx_t *const from = (const volatile fx_t *)at->from;
    volatile fx_t *const into = (volatile fx_t *)at->into + k;
    kdotp(at->to[0], at->row, c0);
    const fx_t b0 = from[0], b1 = from[1], b2 = from[2];
    kdotp(at->to[1], at->row, c1);
    const fx_t b3 = from[3];
    into[0] = b0;
    into[DEPTH_LIMIT] = b1;
    FX_ADD_HERE(at->to[0], to_stride);
    kdotp(at->to[2], at->row, c2);
    into[2 * DEPTH_LIMIT] = b2;
    into[3 * DEPTH_LIMIT] = b3;
    FX_ADD_HERE(at->from, stride_bytes);
    FX_ADD_HERE(at->to[1], to_stride);
    kdotp(at->to[3], at->row, c3);
    FX_ADD_HERE(at->row, bytes);
    FX_ADD_HERE(at->to[2], to_stride);
    FX_ADD_HERE(at->to[3], to_stride);
}

/* `rows` times four dot products and, concurrently, `rows` rows of the next four columns. */
static void dots_and_gather(uint32_t spm, uint32_t row, uint32_t to, uint32_t to_stride,
                            uint32_t rows, uint32_t depth, const fx_t *from, uint32_t stride)
{
    const uint32_t bytes = 4u * depth;
    const uint32_t c0 = spm, c1 = c0 + bytes, c2 = c1 + bytes, c3 = c2 + bytes;
    struct beside at = {row, {to, to + 4u, to + 8u, to + 12u}, (const char *)from,
                        columns_of_b[0]};
    const fx_t *const end = at.into + (rows & ~1u);
    while (at.into != end) { /* two rows share one loop */
        row_and_gather(&at, c0, c1, c2, c3, bytes, to_stride, 4u * stride, 0);
        row_and_gather(&at, c0, c1, c2, c3, bytes, to_stride, 4u * stride, 1);
        at.into += 2;
        FX_HERE(at.into);
    }
    if ((rows & 1u) != 0) {
        row_and_gather(&at, c0, c1, c2, c3, bytes, to_stride, 4u * stride, 0);
    }
}

/* Dot products of the rows in scratchpad 0 and columns of b, to a scratchpad. */
static __attribute__((noinline)) void multiply_tile(const fx_t *b, uint32_t stride, uint32_t to,
                                                    uint32_t rows, uint32_t columns,
                                                    uint32_t depth)
{
    const uint32_t to_stride = 4u * columns;
    uint32_t here = VCU_SPM(1), other = VCU_SPM(2);
    uint32_t width = smaller(columns, GROUP);
    if (stride == 1u) { /* a single column is contiguous */
        load_columns(here, b, 1u, depth);
        dots(here, VCU_SPM(0), to, to_stride, rows, 1u, depth);
        return;
    }
    gather(b, stride, width, 0, depth);
    while (columns != 0) {
        load_columns(here, columns_of_b[0], width, depth);
        columns -= width;
        b += width;
        const uint32_t next = smaller(columns, GROUP);
        uint32_t beside = 0;
        if (next == GROUP) { /* then this group is full, too */
            beside = smaller(rows, depth);
            dots_and_gather(here, VCU_SPM(0), to, to_stride, beside, depth, b, stride);
        }
        if (beside < rows) {
            dots(here, VCU_SPM(0) + 4u * depth * beside, to + to_stride * beside, to_stride,
                 rows - beside, width, depth);
        }
        if (beside < depth) {
            gather(b, stride, next, beside, depth);
        }
        to += 4u * width;
        width = next;
        const uint32_t swap = here;
        here = other;
        other = swap;
    }
}

/* A tile of a, its rows one after the other. */
static void load_rows(const fx_t *a, uint32_t stride, uint32_t rows, uint32_t depth)
{
    const uint32_t bytes = 4u * depth;
    if (stride == depth) {
        kmemld(VCU_SPM(0), a, rows * bytes);
    } else {
        uint32_t at = VCU_SPM(0);
        for (uint32_t i = 0; i < rows; ++i, at += bytes, a += stride) {
            kmemld(at, a, bytes);
        }
    }
    vcu_set_mvsize(rows * bytes);
    ksrav(VCU_SPM(0), VCU_SPM(0), FX_PRE_SHIFT_A);
}

static void store_tile(fx_t *out, uint32_t stride, uint32_t rows, uint32_t columns)
{
    const uint32_t bytes = 4u * columns;
    vcu_set_mvsize(rows * bytes);
    ksrav(VCU_SPM(3), VCU_SPM(3), FX_POST_SHIFT);
    if (stride == columns) {
        kmemstr(out, VCU_SPM(3), rows * bytes);
        return;
    }
    uint32_t at = VCU_SPM(3);
    for (uint32_t i = 0; i < rows; ++i, at += bytes, out += stride) {
        kmemstr(out, at, bytes);
    }
}

/* Whole parts of `limit` or less, as equal as possible. */
static uint32_t part(uint32_t size, uint32_t limit)
{
    if (size <= limit) {
        return size;
    }
    const uint32_t parts = (size + limit - 1u) / limit;
    return (size + parts - 1u) / parts;
}

/* Matrices of which one does not fit a scratchpad: one tile after the other. */
static __attribute__((noinline)) void multiply_tiles(const fx_t *a, const fx_t *b, fx_t *out,
                                                     uint32_t rows, uint32_t inner,
                                                     uint32_t columns)
{
    const uint32_t half = smaller(DEPTH_LIMIT, HALF_WORDS / GROUP);
    /* Columns of a long `inner` leave half a scratchpad to the dot products of later parts. */
    const uint32_t depth = inner <= DEPTH_MAX ? inner : part(inner, half);
    const uint32_t room = inner <= DEPTH_MAX ? FX_SPM_WORDS : HALF_WORDS;
    const uint32_t width = part(columns, room);
    const uint32_t height = smaller(FX_SPM_WORDS / depth, room / width);
    for (uint32_t i = 0; i < rows; i += height) {
        const uint32_t tile_rows = smaller(height, rows - i);
        for (uint32_t j = 0; j < columns; j += width) {
            const uint32_t tile_columns = smaller(width, columns - j);
            for (uint32_t k = 0; k < inner; k += depth) {
                const uint32_t tile_depth = smaller(depth, inner - k);
                const uint32_t to = k == 0 ? VCU_SPM(3) : VCU_SPM(2) + 4u * HALF_WORDS;
                load_rows(&a[i * inner + k], inner, tile_rows, tile_depth);
                multiply_tile(&b[k * columns + j], columns, to, tile_rows, tile_columns,
                              tile_depth);
                if (k != 0) {
                    vcu_set_mvsize(4u * tile_rows * tile_columns);
                    kaddv(VCU_SPM(3), VCU_SPM(3), to);
                }
            }
            store_tile(&out[i * columns + j], columns, tile_rows, tile_columns);
        }
    }
}

void fx_multiply_dots_floor_wrap(const fx_t *a, const fx_t *b, fx_t *out, uint32_t rows,
                                 uint32_t inner, uint32_t columns)
{
    if (rows == 0 || columns == 0) {
        return;
    }
    vcu_set_mvtype(VCU_32_BIT);
    if (inner <= DEPTH_MAX && rows * inner <= FX_SPM_WORDS && rows * columns <= FX_SPM_WORDS) {
        load_rows(a, inner, rows, inner);
        multiply_tile(b, columns, VCU_SPM(3), rows, columns, inner);
        store_tile(out, columns, rows, columns);
    } else {
        multiply_tiles(a, b, out, rows, inner, columns);
    }
}
