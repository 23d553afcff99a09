/*
 * Chooses between the two variants by an estimate of the cycles of each: vector
 * instructions start every third cycle and take 4 (kdotp: 6) cycles besides their beats; the
 * loops around them need 15 and 17 cycles at least. A wrong choice costs time, never a bit.
 *
 * Measured on the T13 (4 KiB scratchpads, zig 0.17.0 -O2), wall cycles of n = 8, 16, 32:
 *             SIMD 1             SIMD 2            SIMD 4            SIMD 8
 *   rows      2300 12020 84824   1602 8874 47514   1571 5963 35099   1410 5898 23130
 *   dots      2585  9388 48809   2469 7187 32736   2453 6907 23879   2445 6875 23127
 * and, if the compiler places the dot products and the scalar instructions between them:
 *   dots      2519  9141 49403   2391 7387 31965   2351 7035 25331   2343 6859 24243
 *   gathered  2755 11232 56776   2579 9265 41984   2563 8625 34576   2555 8593 32093
 *   kdotpps   2615  9852 51107   2487 7675 34920   2375 7323 26291   2367 7003 25203
 * "gathered" is dots with all columns gathered before, not during, the dot products,
 * "kdotpps" is dots with that instruction instead of kdotp: it shifts each product, which gives
 * more range and loses up to a step of each.
 */
#include "fx_vector.h"
#include "multiply.h"

#ifndef VCU_SIMD
#define VCU_SIMD 4 /* only the choice depends on it */
#endif

/* Up to here the rows win, and the estimate itself would cost more than it gains. */
#define SMALL_PRODUCTS 512u

static uint32_t larger(uint32_t x, uint32_t y)
{
    return x > y ? x : y;
}

static uint32_t beats(uint32_t words)
{
    return (words + VCU_SIMD - 1u) / VCU_SIMD;
}

/* Cycles of the two variants for large matrices, without the cycles that both need. */
static int rows_are_faster(uint32_t rows, uint32_t inner, uint32_t columns)
{
    const uint32_t pair = larger(15u, (beats(columns) + 7u) / 3u * 6u); /* product and sum */
    const uint32_t dot = larger(16u, beats(inner) + 9u);
    const uint32_t not_hidden = inner > rows ? 10u * (inner - rows) : 0;
    const uint32_t odd_columns = 20u * inner * (columns % 4u);
    const uint32_t start = 37u * inner + 600u;
    return rows * inner * pair <
           columns * (rows * dot + not_hidden + inner) + odd_columns + start;
}

void fx_multiply_vector_floor_wrap(const fx_t *a, const fx_t *b, fx_t *out, uint32_t rows,
                                   uint32_t inner, uint32_t columns)
{
    const uint32_t a_words = rows * inner, b_words = inner * columns, out_words = rows * columns;
    /* One column of b is contiguous as it is, so the dot products have nothing to gather. */
    if (columns > 1u && a_words <= FX_SPM_WORDS && b_words <= FX_SPM_WORDS &&
        out_words <= FX_SPM_WORDS &&
        (a_words * columns <= SMALL_PRODUCTS || rows_are_faster(rows, inner, columns))) {
        fx_multiply_rows_floor_wrap(a, b, out, rows, inner, columns);
    } else {
        fx_multiply_dots_floor_wrap(a, b, out, rows, inner, columns);
    }
}
