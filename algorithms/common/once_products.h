/* Sums of products and updates in place of generated learners; sizes and shifts are constants. */
#ifndef ONCE_PRODUCTS_H
#define ONCE_PRODUCTS_H

#include "once.h"

/* A term of a sum: the upper word of a product, or all of it, shifted right. */
#define ONCE_TERM(kind, a, b, down) (once_##kind(a, b) >> (down))

/* Column j of two rows of a lower half; x[j] is loaded once for both. */
#define ONCE_COLUMN(j)                                                                             \
    do {                                                                                           \
        const fx_t word = x[j];                                                                    \
        left += ONCE_TERM(high, row[j], word, down);                                               \
        right += ONCE_TERM(high, next[j], word, down);                                             \
    } while (0)

/*
 * once_quad_KIND: sum over rows i of x_i (A_ii x_i + 2 sum over j < i of A_ij x_j), from the lower
 * half of A, which is stored alone if `packed`. once_half_KIND: A x from a packed lower half, each
 * element off the diagonal for two rows.
 */
#define ONCE_DEFINE_SUMS(kind, total)                                                              \
    ONCE_INLINE total once_quad_##kind(const fx_t *row, const fx_t *x, uint32_t n,                 \
                                       uint32_t packed, uint32_t down, uint32_t outer)             \
    {                                                                                              \
        total sum = 0;                                                                             \
        uint32_t i = 0;                                                                            \
        for (; i + 1 < n; i += 2) {                                                                \
            const fx_t *const next = row + (packed ? i + 1 : n);                                   \
            fx_t left = 0, right = 0;                                                              \
            uint32_t j = 0;                                                                        \
            for (; j + 4 <= i; j += 4) {                                                           \
                ONCE_COLUMN(j);                                                                    \
                ONCE_COLUMN(j + 1);                                                                \
                ONCE_COLUMN(j + 2);                                                                \
                ONCE_COLUMN(j + 3);                                                                \
            }                                                                                      \
            if (j < i) {                                                                           \
                ONCE_COLUMN(j);                                                                    \
                ONCE_COLUMN(j + 1);                                                                \
            }                                                                                      \
            right += ONCE_TERM(high, next[i], x[i], down);                                         \
            left = 2 * left + ONCE_TERM(high, row[i], x[i], down);                                 \
            right = 2 * right + ONCE_TERM(high, next[i + 1], x[i + 1], down);                      \
            sum += ONCE_TERM(kind, left, x[i], outer);                                             \
            sum += ONCE_TERM(kind, right, x[i + 1], outer);                                        \
            row = next + (packed ? i + 2 : n);                                                     \
        }                                                                                          \
        if (i < n) {                                                                               \
            fx_t left = 0;                                                                         \
            for (uint32_t j = 0; j < i; ++j) {                                                     \
                left += ONCE_TERM(high, row[j], x[j], down);                                       \
            }                                                                                      \
            left = 2 * left + ONCE_TERM(high, row[i], x[i], down);                                 \
            sum += ONCE_TERM(kind, left, x[i], outer);                                             \
        }                                                                                          \
        return sum;                                                                                \
    }                                                                                              \
    ONCE_INLINE void once_half_##kind(total *sums, const fx_t *row, const fx_t *x, uint32_t n,     \
                                      uint32_t down)                                               \
    {                                                                                              \
        uint32_t i = 0;                                                                            \
        for (; i + 1 < n; i += 2) {                                                                \
            const fx_t *const next = row + i + 1;                                                  \
            const fx_t one = x[i], other = x[i + 1];                                               \
            total first = 0, second = 0;                                                           \
            for (uint32_t j = 0; j < i; ++j) {                                                     \
                const fx_t word = x[j], above = row[j], below = next[j];                           \
                first += ONCE_TERM(kind, above, word, down);                                       \
                second += ONCE_TERM(kind, below, word, down);                                      \
                sums[j] +=                                                                         \
                    ONCE_TERM(kind, above, one, down) + ONCE_TERM(kind, below, other, down);       \
            }                                                                                      \
            first += ONCE_TERM(kind, row[i], one, down) + ONCE_TERM(kind, next[i], other, down);   \
            second +=                                                                              \
                ONCE_TERM(kind, next[i], one, down) + ONCE_TERM(kind, next[i + 1], other, down);   \
            sums[i] = first;                                                                       \
            sums[i + 1] = second;                                                                  \
            row = next + i + 2;                                                                    \
        }                                                                                          \
        if (i < n) {                                                                               \
            total first = 0;                                                                       \
            for (uint32_t j = 0; j < i; ++j) {                                                     \
                first += ONCE_TERM(kind, row[j], x[j], down);                                      \
                sums[j] += ONCE_TERM(kind, row[j], x[i], down);                                    \
            }                                                                                      \
            sums[i] = first + ONCE_TERM(kind, row[i], x[i], down);                                 \
        }                                                                                          \
    }

ONCE_DEFINE_SUMS(high, fx_t)
ONCE_DEFINE_SUMS(wide, int64_t)

/* own + sign (left right 2^-32) 2^-down, at most `limit` in magnitude. */
ONCE_INLINE fx_t once_changed_high(fx_t own, fx_t left, fx_t right, int32_t down, int32_t sign,
                                   fx_t limit)
{
    const fx_t change = sign * (once_high(left, right) >> down);
    if (limit < (fx_t)1 << 30) { /* own and change are below 2^30 */
        return once_clamp(own + change, limit);
    }
    return once_fit((int64_t)own + change, limit);
}

/* own + sign (left right) 2^-down, at most `limit` in magnitude. */
ONCE_INLINE fx_t once_changed_wide(fx_t own, fx_t left, fx_t right, int32_t down, int32_t sign,
                                   fx_t limit)
{
    const int64_t product = once_wide(left, right);
    const int64_t change = down < 0 ? once_up(product, (uint32_t)-down) : product >> down;
    return once_fit(own + sign * change, limit);
}

/*
 * once_half_outer_KIND: A + sign w y^T of a packed lower half. once_outer_KIND: the same of a whole
 * matrix; of its lower half, which is copied to the upper one, if `mirror`. w is shifted left by
 * `up`, then right by `pre`.
 */
#define ONCE_DEFINE_UPDATES(kind)                                                                  \
    ONCE_INLINE void once_half_outer_##kind(fx_t *row, const fx_t *w, const fx_t *y, uint32_t n,   \
                                            uint32_t up, uint32_t pre, int32_t down,               \
                                            int32_t sign, fx_t limit)                              \
    {                                                                                              \
        uint32_t i = 0;                                                                            \
        for (; i + 1 < n; i += 2) {                                                                \
            fx_t *const next = row + i + 1;                                                        \
            const fx_t left = once_left(w[i], up) >> pre;                                          \
            const fx_t below = once_left(w[i + 1], up) >> pre;                                     \
            for (uint32_t j = 0; j <= i; ++j) {                                                    \
                const fx_t right = y[j];                                                           \
                row[j] = once_changed_##kind(row[j], left, right, down, sign, limit);              \
                next[j] = once_changed_##kind(next[j], below, right, down, sign, limit);           \
            }                                                                                      \
            next[i + 1] = once_changed_##kind(next[i + 1], below, y[i + 1], down, sign, limit);    \
            row = next + i + 2;                                                                    \
        }                                                                                          \
        if (i < n) {                                                                               \
            const fx_t left = once_left(w[i], up) >> pre;                                          \
            for (uint32_t j = 0; j <= i; ++j) {                                                    \
                row[j] = once_changed_##kind(row[j], left, y[j], down, sign, limit);               \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    ONCE_INLINE void once_outer_##kind(fx_t *a, const fx_t *w, const fx_t *y, uint32_t rows,       \
                                       uint32_t columns, uint32_t mirror, uint32_t up,             \
                                       uint32_t pre, int32_t down, int32_t sign, fx_t limit)       \
    {                                                                                              \
        fx_t *row = a;                                                                             \
        for (uint32_t i = 0; i < rows; ++i, row += columns) {                                      \
            const fx_t left = once_left(w[i], up) >> pre;                                          \
            const uint32_t end = mirror ? i + 1 : columns;                                         \
            for (uint32_t j = 0; j < end; ++j) {                                                   \
                row[j] = once_changed_##kind(row[j], left, y[j], down, sign, limit);               \
                if (mirror) {                                                                      \
                    a[j * columns + i] = row[j];                                                   \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
    }

ONCE_DEFINE_UPDATES(high)
ONCE_DEFINE_UPDATES(wide)

#endif
