/*
 * Rows of b stay in a scratchpad; rows of a come one by one. While the dot products of one row
 * run, the next one is loaded, and the result of the row before is stored.
 *
 * Scratchpad 1: b. One of the other three holds a row of a and one takes its results; the third
 * one is read by the store of the results before, then loaded with the next row. Vector unit and
 * transfer engine so never use the same scratchpad, where one of them would wait.
 */
#include "fx_vector.h"
#include "multiply_transposed.h"

static uint32_t smaller(uint32_t x, uint32_t y)
{
    return x < y ? x : y;
}

/* Dot products of one row of a and some rows of b. */
static inline void dots(uint32_t row, uint32_t to, uint32_t bytes, uint32_t of_b, uint32_t b_end)
{
    do {
        kdotp(to, row, of_b);
        to += 4;
        of_b += bytes;
        FX_HERE(to);
        FX_HERE(of_b);
    } while (of_b != b_end);
}

static inline void load_b(const fx_t *from, uint32_t stride, uint32_t columns, uint32_t bytes)
{
    uint32_t at = VCU_SPM(1);
    if (4u * stride == bytes) {
        kmemld(at, from, columns * bytes);
    } else {
        for (uint32_t j = 0; j < columns; ++j, at += bytes, from += stride) {
            kmemld(at, from, bytes);
        }
    }
    vcu_set_mvsize(columns * bytes);
    ksrav(VCU_SPM(1), VCU_SPM(1), FX_PRE_SHIFT_B);
    vcu_set_mvsize(bytes);
}

struct stream {
    const fx_t *a, *last; /* first and last row */
    fx_t *out;
    uint32_t a_stride, out_stride; /* in words */
    uint32_t columns, bytes;       /* results, and size, of a row of a */
    uint32_t b_half, b_end, to_half; /* ends of the first half of the rows of b, and of their results */
};

/*
 * One row in scratchpad `here`: its results go to `to` and on to memory, and `next` is loaded into
 * `other`. The store starts before
 * the dot products of the next row, the load of the row after that in their midst: it would have
 * to wait for the store otherwise, and all harts with it. The next row is shifted before the results
 * are, so that the integer core has time to advance its pointers.
 */
static inline void multiply_row(const struct stream *s, uint32_t here, uint32_t other, uint32_t to,
                                const fx_t *next, fx_t *out)
{
    const uint32_t bytes = s->bytes, out_bytes = 4u * s->columns;
    dots(here, to, bytes, VCU_SPM(1), s->b_half);
    if (next != 0) {
        kmemld(other, next, bytes);
    }
    if (s->b_half != s->b_end) {
        dots(here, to + s->to_half, bytes, s->b_half, s->b_end);
    }
    if (next != 0) {
        ksrav(other, other, FX_PRE_SHIFT_A);
    }
    if (bytes != out_bytes) {
        vcu_set_mvsize(out_bytes);
    }
    ksrav(to, to, FX_POST_SHIFT);
    if (bytes != out_bytes) {
        vcu_set_mvsize(bytes);
    }
    kmemstr(out, to, out_bytes);
}

/* One row; the three scratchpads change roles after it. True after the last one. */
static inline int step(const struct stream *s, const fx_t **a, fx_t **out, uint32_t here,
                       uint32_t to, uint32_t other)
{
    const fx_t *const row = *a, *const next = row != s->last ? row + s->a_stride : 0;
    fx_t *const results = *out;
    *a = next;
    *out = results + s->out_stride;
    multiply_row(s, here, other, to, next, results);
    return next == 0;
}

static inline void stream_rows(const struct stream *s)
{
    const fx_t *a = s->a;
    fx_t *out = s->out;
    kmemld(VCU_SPM(0), a, s->bytes);
    ksrav(VCU_SPM(0), VCU_SPM(0), FX_PRE_SHIFT_A);
    while (!step(s, &a, &out, VCU_SPM(0), VCU_SPM(2), VCU_SPM(3)) &&
           !step(s, &a, &out, VCU_SPM(3), VCU_SPM(0), VCU_SPM(2)) &&
           !step(s, &a, &out, VCU_SPM(2), VCU_SPM(3), VCU_SPM(0))) {
    }
}

/* `inner` fits a scratchpad: as many rows of b at a time as fit, too. */
static inline void multiply_whole(const fx_t *a, const fx_t *b, fx_t *out, uint32_t rows,
                                  uint32_t inner, uint32_t columns)
{
    const uint32_t width = smaller(columns, FX_SPM_WORDS / inner);
    for (uint32_t j = 0; j < columns; j += width, b += width * inner) {
        const uint32_t part = smaller(width, columns - j);
        const uint32_t half = (part + 1u) / 2u;
        const struct stream s = {
            .a = a,
            .last = a + (rows - 1u) * inner,
            .out = &out[j],
            .a_stride = inner,
            .out_stride = columns,
            .columns = part,
            .bytes = 4u * inner,
            .b_half = VCU_SPM(1) + 4u * half * inner,
            .b_end = VCU_SPM(1) + 4u * part * inner,
            .to_half = 4u * half,
        };
        load_b(b, inner, part, 4u * inner);
        stream_rows(&s);
    }
}

/* Parts of rows: dot products of one row of each, a scratchpad full of sums at a time. */
static __attribute__((noinline)) void multiply_parts(const fx_t *a, const fx_t *b, fx_t *out,
                                                     uint32_t rows, uint32_t inner,
                                                     uint32_t columns)
{
    const uint32_t part = FX_SPM_WORDS, sum = VCU_SPM(3), later = VCU_SPM(2);
    for (uint32_t i = 0; i < rows; ++i) {
        for (uint32_t j = 0; j < columns; ++j, ++out) {
            for (uint32_t k = 0; k < inner; k += part) {
                const uint32_t bytes = 4u * smaller(part, inner - k);
                load_b(&b[j * inner + k], inner, 1u, bytes);
                kmemld(VCU_SPM(0), &a[i * inner + k], bytes);
                ksrav(VCU_SPM(0), VCU_SPM(0), FX_PRE_SHIFT_A);
                kdotp(k == 0 ? sum : later, VCU_SPM(0), VCU_SPM(1));
                vcu_set_mvsize(4u);
                if (k != 0) {
                    kaddv(sum, sum, later);
                }
            }
            ksrav(sum, sum, FX_POST_SHIFT);
            kmemstr(out, sum, 4u);
        }
    }
}

void fx_multiply_transposed_vector_floor_wrap(const fx_t *a, const fx_t *b, fx_t *out,
                                              uint32_t rows, uint32_t inner, uint32_t columns)
{
    if (rows == 0 || inner == 0 || columns == 0) {
        return;
    }
    vcu_set_mvtype(VCU_32_BIT);
    if (inner <= FX_SPM_WORDS) {
        multiply_whole(a, b, out, rows, inner, columns);
    } else {
        multiply_parts(a, b, out, rows, inner, columns);
    }
}
