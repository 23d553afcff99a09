/* Sums of products and updates in place of generated learners; sizes and shifts are constants. */
#ifndef ONCE_PRODUCTS_H
#define ONCE_PRODUCTS_H

#include "once.h"

/* Adds a product to a sum: its upper word, all of it, or its part of `macq`, shifted right. */
#define ONCE_ADD_high(sum, a, b, down) ((sum) += once_high(a, b) >> (down))
#define ONCE_ADD_wide(sum, a, b, down) ((sum) += once_wide(a, b) >> (down))
#define ONCE_ADD_mac(sum, a, b, down) ((void)(down), (sum) = once_mac(sum, a, b))

/* Column j of two rows of a lower half; x[j] is loaded once for both. */
#define ONCE_COLUMN(inner, j)                                                                      \
    do {                                                                                           \
        const fx_t word = x[j];                                                                    \
        ONCE_ADD_##inner(left, row[j], word, down);                                                \
        ONCE_ADD_##inner(right, next[j], word, down);                                              \
    } while (0)

/*
 * once_quad_KIND_INNER: sum over rows i of x_i (A_ii x_i + 2 sum over j < i of A_ij x_j), from the
 * lower half of A, which is stored alone if `packed`; sums of a row are of the kind INNER.
 * once_half_KIND: A x from a packed lower half, each element off the diagonal for two rows.
 */
#define ONCE_DEFINE_QUAD(kind, inner, total)                                                       \
    ONCE_INLINE total once_quad_##kind##_##inner(const fx_t *row, const fx_t *x, uint32_t n,       \
                                                 uint32_t packed, uint32_t down, uint32_t outer)   \
    {                                                                                              \
        total sum = 0;                                                                             \
        uint32_t i = 0;                                                                            \
        for (; i + 1 < n; i += 2) {                                                                \
            const fx_t *const next = row + (packed ? i + 1 : n);                                   \
            fx_t left = 0, right = 0;                                                              \
            uint32_t j = 0;                                                                        \
            for (; j + 4 <= i; j += 4) {                                                           \
                ONCE_COLUMN(inner, j);                                                             \
                ONCE_COLUMN(inner, j + 1);                                                         \
                ONCE_COLUMN(inner, j + 2);                                                         \
                ONCE_COLUMN(inner, j + 3);                                                         \
            }                                                                                      \
            if (j < i) {                                                                           \
                ONCE_COLUMN(inner, j);                                                             \
                ONCE_COLUMN(inner, j + 1);                                                         \
            }                                                                                      \
            ONCE_ADD_##inner(right, next[i], x[i], down);                                          \
            left *= 2;                                                                             \
            right *= 2;                                                                            \
            ONCE_ADD_##inner(left, row[i], x[i], down);                                            \
            ONCE_ADD_##inner(right, next[i + 1], x[i + 1], down);                                  \
            ONCE_ADD_##kind(sum, left, x[i], outer);                                               \
            ONCE_ADD_##kind(sum, right, x[i + 1], outer);                                          \
            row = next + (packed ? i + 2 : n);                                                     \
        }                                                                                          \
        if (i < n) {                                                                               \
            fx_t left = 0;                                                                         \
            for (uint32_t j = 0; j < i; ++j) {                                                     \
                ONCE_ADD_##inner(left, row[j], x[j], down);                                        \
            }                                                                                      \
            left *= 2;                                                                             \
            ONCE_ADD_##inner(left, row[i], x[i], down);                                            \
            ONCE_ADD_##kind(sum, left, x[i], outer);                                               \
        }                                                                                          \
        return sum;                                                                                \
    }

#define ONCE_DEFINE_HALF(kind, total)                                                              \
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
                ONCE_ADD_##kind(first, above, word, down);                                         \
                ONCE_ADD_##kind(second, below, word, down);                                        \
                total sum = sums[j];                                                               \
                ONCE_ADD_##kind(sum, above, one, down);                                            \
                ONCE_ADD_##kind(sum, below, other, down);                                          \
                sums[j] = sum;                                                                     \
            }                                                                                      \
            ONCE_ADD_##kind(first, row[i], one, down);                                             \
            ONCE_ADD_##kind(first, next[i], other, down);                                          \
            ONCE_ADD_##kind(second, next[i], one, down);                                           \
            ONCE_ADD_##kind(second, next[i + 1], other, down);                                     \
            sums[i] = first;                                                                       \
            sums[i + 1] = second;                                                                  \
            row = next + i + 2;                                                                    \
        }                                                                                          \
        if (i < n) {                                                                               \
            total first = 0;                                                                       \
            for (uint32_t j = 0; j < i; ++j) {                                                     \
                total sum = sums[j];                                                               \
                ONCE_ADD_##kind(first, row[j], x[j], down);                                        \
                ONCE_ADD_##kind(sum, row[j], x[i], down);                                          \
                sums[j] = sum;                                                                     \
            }                                                                                      \
            ONCE_ADD_##kind(first, row[i], x[i], down);                                            \
            sums[i] = first;                                                                       \
        }                                                                                          \
    }

ONCE_DEFINE_QUAD(high, high, fx_t)
ONCE_DEFINE_QUAD(wide, high, int64_t)
ONCE_DEFINE_HALF(high, fx_t)
ONCE_DEFINE_HALF(wide, int64_t)
#ifdef ONCE_MACQ
ONCE_DEFINE_QUAD(mac, high, fx_t)
ONCE_DEFINE_QUAD(mac, mac, fx_t)
ONCE_DEFINE_QUAD(high, mac, fx_t)
ONCE_DEFINE_QUAD(wide, mac, int64_t)
ONCE_DEFINE_HALF(mac, fx_t)
#endif

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
