/*
 * Inverse by LU factorisation on the vector unit. Matrices are n x n words in memory.
 *
 * Where n x n words fit a scratchpad, rows are resident: all of U in A, all of the transpose of L
 * in B. Where they do not, a row is brought in where it is used.
 */
#ifndef PAPER_VECTOR_INVERSE_H
#define PAPER_VECTOR_INVERSE_H

#include "paper_vector.h"

/*
 * Row i, at `own` in a scratchpad, less the multiples of rows k < i of `rows` (held in spm) by
 * column i of `others` (held in spm_others).
 */
PAPER_INLINE void vector_eliminate(uint32_t own, uint32_t i, uint32_t n, const fx_t *rows,
                                   uint32_t spm, const fx_t *others, uint32_t spm_others)
{
    const int resident = n * n <= SPM_WORDS;
    const uint32_t bytes = 4 * n;
    FOR(inner, i)
    {
        const uint32_t row = spm + (resident ? inner : 1) * bytes;
        const uint32_t coefficient = spm_others + (resident ? inner * bytes + 4 * i : bytes);
        if (!resident) {
            kmemld(row, rows + inner * n, bytes);
            kmemld(coefficient, others + inner * n + i, 4);
        }
        vcu_set_mvsize(4);
        ksrav(SPM_C, coefficient, THIRD_SHIFT);
        vcu_set_mvsize(bytes);
        ksrav(SPM_D, row, THIRD_SHIFT);
        ksvmulsc(SPM_D, SPM_D, SPM_C);
        ksrav(SPM_D, SPM_D, THIRD_SHIFT);
        ksubv(own, own, SPM_D);
    }
}

/*
 * upper: the matrix, becomes U. lower: its transpose, becomes that of L but for its diagonal.
 * Elements below the diagonal of either are unused.
 */
PAPER_INLINE void vector_factor(fx_t *upper, fx_t *lower, uint32_t n)
{
    const int resident = n * n <= SPM_WORDS;
    const uint32_t bytes = 4 * n;
    if (resident) {
        kmemld(SPM_A, upper, n * bytes);
        kmemld(SPM_B, lower, n * bytes);
    }
    FOR(i, n)
    {
        fx_t *const own_upper = upper + i * n, *const own_lower = lower + i * n;
        const uint32_t upper_at = SPM_A + (resident ? i * bytes : 0);
        const uint32_t lower_at = SPM_B + (resident ? i * bytes : 0);
        if (!resident) {
            kmemld(upper_at, own_upper, bytes);
            kmemld(lower_at, own_lower, bytes);
        }
        vector_eliminate(upper_at, i, n, upper, SPM_A, lower, SPM_B);
        kmemstr(own_upper, upper_at, bytes);
        vector_eliminate(lower_at, i, n, lower, SPM_B, upper, SPM_A);
#ifdef PAPER_SOFTWARE_DIVISION
        kmemstr(own_lower, lower_at, bytes);
        divide_words(own_lower + i, own_lower + i, own_upper[i], n - i);
        kmemld(lower_at, own_lower, bytes);
#else
        vcu_set_mvsize(4 * (n - i));
        vector_quotient(lower_at + 4 * i, lower_at + 4 * i, own_upper[i]);
        kmemstr(own_lower, lower_at, bytes);
#endif
    }
}

/*
 * Solves triangle X = right, column by column, and writes X transposed. The sums run over all n
 * terms: those of rows that are still to come, and the diagonal one, meet a zero. A: triangle,
 * B: the column so far.
 */
PAPER_INLINE void vector_substitute(const fx_t *triangle, const fx_t *right, fx_t *transposed,
                                    uint32_t n, int from_last)
{
    const int resident = n * n <= SPM_WORDS;
    const uint32_t bytes = 4 * n, total = SPM_C + bytes;
    if (resident) {
        kmemld(SPM_A, triangle, n * bytes);
        vcu_set_mvsize(n * bytes);
        ksrav(SPM_A, SPM_A, THIRD_SHIFT);
    }
    FOR(j, n)
    {
        fx_t *const column = transposed + j * n;
        vcu_set_mvsize(bytes);
        kbcast(SPM_B, 0);
        FOR(step, n)
        {
            const uint32_t i = from_last ? n - 1 - step : step;
            const uint32_t row = SPM_A + (resident ? i * bytes : 0);
            fx_t sum;
            vcu_set_mvsize(bytes);
            if (!resident) {
                kmemld(row, triangle + i * n, bytes);
                ksrav(row, row, THIRD_SHIFT);
            }
            ksrav(SPM_D, SPM_B, THIRD_SHIFT);
            vcu_set_mvsize(4);
            kbcast(total, 0);
            vcu_set_mvsize(bytes);
            kvmul(SPM_C, row, SPM_D);
            ksrav(SPM_C, SPM_C, THIRD_SHIFT);
            kvred(total, SPM_C);
            kmemstr(&sum, total, 4);
            const uint32_t rest = (uint32_t)right[i * n + j] - (uint32_t)sum;
#ifdef PAPER_SOFTWARE_DIVISION
            column[i] = paper_divide((fx_t)rest, triangle[i * n + i]);
            kmemld(SPM_B + 4 * i, &column[i], 4);
#else
            column[i] = (fx_t)(rest << DIVIDEND_SHIFT);
            kmemld(SPM_B + 4 * i, &column[i], 4);
            vcu_set_mvsize(4);
            kbcast(SPM_D, scaled_divisor(triangle[i * n + i]));
            kvdiv(SPM_B + 4 * i, SPM_B + 4 * i, SPM_D);
#endif
        }
        kmemstr(column, SPM_B, bytes);
    }
}

PAPER_INLINE void transpose_words(const fx_t *a, fx_t *out, uint32_t n)
{
    FOR(i, n) FOR(j, n) out[j * n + i] = a[i * n + j];
}

PAPER_INLINE void transpose_in_place(fx_t *a, uint32_t n)
{
    FOR(i, n) FOR(j, i)
    {
        const fx_t other = a[i * n + j];
        a[i * n + j] = a[j * n + i];
        a[j * n + i] = other;
    }
}

/* upper, lower, z: room. identity: the matrix of that name. inverse: also room for transposes. */
PAPER_INLINE void vector_inverse(const fx_t *a, fx_t *upper, fx_t *lower, fx_t *z,
                                 const fx_t *identity, fx_t *inverse, uint32_t n)
{
    FOR(i, n * n) upper[i] = a[i];
    transpose_words(a, inverse, n);
    vector_factor(upper, inverse, n);
    transpose_words(inverse, lower, n);
    FOR(i, n) lower[i * n + i] = FX_ONE;
    vector_substitute(lower, identity, inverse, n, 0);
    transpose_words(inverse, z, n);
    vector_substitute(upper, z, inverse, n, 1);
    transpose_in_place(inverse, n);
}

#endif
