/*
 * One dot product per row of a. The rows stream through two scratchpads: while one is loaded, the
 * one before is shifted and multiplied. A transfer can only start when the vector unit is idle,
 * but an active transfer and the vector unit do not delay each other; with four lanes or more a row
 * costs the cycles of its transfer: one per word and two.
 *
 * Scratchpads 0 and 2: rows of a, in turn. 1: x. 3: the result; its upper half takes the dot
 * products of later parts of rows longer than a scratchpad.
 */
#include "fx_vector.h"
#include "matvec.h"

#define HALF_WORDS (FX_SPM_WORDS / 2u)

static uint32_t smaller(uint32_t x, uint32_t y)
{
    return x < y ? x : y;
}

static inline void dot(uint32_t to, uint32_t row)
{
    if (FX_PRE_SHIFT_B != 0) {
        ksrav(row, row, FX_PRE_SHIFT_B);
    }
    kdotp(to, VCU_SPM(1), row);
}

/* Dot products of x and `rows` rows of `bytes` each, `stride` bytes apart. */
static inline void multiply_rows(const char *from, uint32_t stride, const fx_t *x, uint32_t to,
                                 uint32_t rows, uint32_t bytes)
{
    kmemld(VCU_SPM(1), x, bytes);
    vcu_set_mvsize(bytes);
    kmemld(VCU_SPM(0), from, bytes);
    ksrav(VCU_SPM(1), VCU_SPM(1), FX_PRE_SHIFT_A); /* while the first row is loaded */
    for (;;) {
        if (--rows == 0) {
            dot(to, VCU_SPM(0));
            return;
        }
        from += stride;
        kmemld(VCU_SPM(2), from, bytes);
        dot(to, VCU_SPM(0));
        to += 4;
        FX_HERE(to);
        if (--rows == 0) {
            dot(to, VCU_SPM(2));
            return;
        }
        from += stride;
        kmemld(VCU_SPM(0), from, bytes);
        dot(to, VCU_SPM(2));
        to += 4;
        FX_HERE(to);
    }
}

static inline void store(fx_t *out, uint32_t rows)
{
    vcu_set_mvsize(4u * rows);
    ksrav(VCU_SPM(3), VCU_SPM(3), FX_POST_SHIFT);
    kmemstr(out, VCU_SPM(3), 4u * rows);
}

static __attribute__((noinline)) void multiply_parts(const fx_t *a, const fx_t *x, fx_t *out,
                                                     uint32_t rows, uint32_t columns)
{
    const uint32_t depth = smaller(columns, FX_SPM_WORDS);
    for (uint32_t i = 0; i < rows; i += HALF_WORDS) {
        const uint32_t part_rows = smaller(HALF_WORDS, rows - i);
        for (uint32_t k = 0; k < columns; k += depth) {
            const uint32_t to = k == 0 ? VCU_SPM(3) : VCU_SPM(3) + 4u * HALF_WORDS;
            const char *const from = (const char *)&a[i * columns + k];
            const uint32_t bytes = 4u * smaller(depth, columns - k);
            multiply_rows(from, 4u * columns, &x[k], to, part_rows, bytes);
            if (k != 0) { /* both sums are in one scratchpad, which an addition cannot read */
                vcu_set_mvsize(4u * part_rows);
                kvcp(VCU_SPM(0), to);
                kaddv(VCU_SPM(3), VCU_SPM(3), VCU_SPM(0));
            }
        }
        store(&out[i], part_rows);
    }
}

void fx_matvec_vector_floor_wrap(const fx_t *a, const fx_t *x, fx_t *out, uint32_t rows,
                                 uint32_t columns)
{
    if (rows == 0 || columns == 0) {
        return;
    }
    vcu_set_mvtype(VCU_32_BIT);
    if (columns <= FX_SPM_WORDS && rows <= FX_SPM_WORDS) {
        multiply_rows((const char *)a, 4u * columns, x, VCU_SPM(3), rows, 4u * columns);
        store(out, rows);
    } else {
        multiply_parts(a, x, out, rows, columns);
    }
}
