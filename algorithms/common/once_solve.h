/*
 * Linear systems of generated learners: Gaussian elimination with partial pivoting.
 *
 * Matrix and right side are shifted so that their largest magnitudes have 27 bits, each by its own
 * number of bits. Elimination may raise magnitudes eightfold; beyond that they saturate.
 */
#ifndef ONCE_SOLVE_H
#define ONCE_SOLVE_H

#include "once.h"

#define ONCE_GROWN (((fx_t)1 << 30) - 1)

/* Left shifts that bring the largest of `count` magnitudes to 27 bits; below 0 to the right. */
static int32_t once_solve_room(const fx_t *words, uint32_t count)
{
    return (int32_t)fx_leading_zeros(once_bits(words, count)) - 5;
}

ONCE_INLINE fx_t once_solve_moved(fx_t word, int32_t up)
{
    return up >= 0 ? once_left(word, (uint32_t)up) : word >> -up;
}

ONCE_INLINE fx_t once_solve_size(fx_t word)
{
    return word < 0 ? -word : word;
}

/* Exchanges row `row` with the first of the rows from there on that is largest in its column. */
static void once_solve_pivot(fx_t *work, uint32_t n, uint32_t row)
{
    const uint32_t width = n + 1;
    uint32_t best = row;
    for (uint32_t i = row + 1; i < n; ++i) {
        const fx_t largest = once_solve_size(work[best * width + row]);
        best = once_solve_size(work[i * width + row]) > largest ? i : best;
    }
    if (best == row) {
        return;
    }
    for (uint32_t j = row; j <= n; ++j) {
        const fx_t word = work[row * width + j];
        work[row * width + j] = work[best * width + j];
        work[best * width + j] = word;
    }
}

/*
 * x with A x = b, at most `limit` in magnitude; A is n x n, its lower half alone if `packed`.
 * `work`: n (n + 1) words. `shift`: fraction bits of x and A, less those of b.
 */
static void once_solve(fx_t *x, const fx_t *a, const fx_t *b, fx_t *work, uint32_t n,
                       uint32_t packed, int32_t shift, fx_t limit)
{
    const uint32_t width = n + 1;
    const int32_t up = once_solve_room(a, packed ? n * width / 2 : n * n);
    const int32_t up_right = once_solve_room(b, n);
    for (uint32_t i = 0; i < n; ++i) {
        for (uint32_t j = 0; j < n; ++j) {
            const uint32_t half = j <= i ? i * (i + 1) / 2 + j : j * (j + 1) / 2 + i;
            work[i * width + j] = once_solve_moved(a[packed ? half : i * n + j], up);
        }
        work[i * width + n] = once_solve_moved(b[i], up_right);
    }
    for (uint32_t k = 0; k < n; ++k) {
        once_solve_pivot(work, n, k);
        const fx_t *const top = work + k * width;
        for (uint32_t i = k + 1; i < n && top[k] != 0; ++i) {
            fx_t *const row = work + i * width;
            const fx_t factor = once_divide((int64_t)row[k] * (1 << 30), top[k], 1 << 30);
            for (uint32_t j = k + 1; j <= n; ++j) {
                row[j] = once_fit(row[j] - (once_wide(factor, top[j]) >> 30), ONCE_GROWN);
            }
        }
    }
    const int32_t raise = shift + up - up_right;
    const int64_t most = (int64_t)1 << 62;
    for (uint32_t i = n; i-- > 0;) {
        const fx_t *const row = work + i * width;
        const int64_t right = row[n];
        int64_t total =
            raise >= 0 ? once_up(right, (uint32_t)raise) : right >> (raise < -63 ? 63 : -raise);
        for (uint32_t j = i + 1; j < n; ++j) {
            total -= once_wide(row[j], x[j]);
            total = total > most ? most : total < -most ? -most : total;
        }
        x[i] = once_divide(total, row[i], limit);
    }
}

#endif
