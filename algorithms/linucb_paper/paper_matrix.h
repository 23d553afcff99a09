/*
 * The matrix library of the paper code: one function per operation and shape, as instances of C++
 * templates would be.
 *
 * Matrices are structures, passed and returned by value. Results start as zeros. Sizes are names
 * of constants, so multiply_d_k_one multiplies a d x k matrix by a k x 1 one. Each function stays
 * a function, so that its calls and copies match the source, and its cycles are visible.
 *
 * With LEARNER_VECTOR sum, product, division and inverse run on the vector unit; the rest stays.
 */
#ifndef PAPER_MATRIX_H
#define PAPER_MATRIX_H

#include "paper_fixed.h"
#include "paper_loop.h"
#if LEARNER_VECTOR
#include "paper_vector_inverse.h"
#endif

#define PAPER_KERNEL static __attribute__((noinline))

/*
 * The caller must copy the operand, as the language requires: the compiler may not see that
 * the function leaves it alone. No instruction of its own.
 */
#define OWN(operand) __asm__("" : "+m"(operand))

#define MATRIX(r, c) struct matrix_##r##_##c

#define DEFINE_MATRIX(r, c)                                                                \
    MATRIX(r, c)                                                                           \
    {                                                                                      \
        fx_t at[r][c];                                                                     \
    };

#define DEFINE_ELEMENTWISE_(name, operation, r, c)                                         \
    PAPER_KERNEL MATRIX(r, c) name##_##r##_##c(MATRIX(r, c) a, MATRIX(r, c) b)             \
    {                                                                                      \
        OWN(a); OWN(b);                                                                    \
        MATRIX(r, c) result = {0};                                                         \
        FOR(i, r) FOR(j, c) result.at[i][j] = operation(a.at[i][j], b.at[i][j]);           \
        return result;                                                                     \
    }

#define DEFINE_SUBTRACT(r, c) DEFINE_ELEMENTWISE_(subtract, paper_subtract, r, c)

#define DEFINE_BY_SCALAR_(name, operation, r, c)                                           \
    PAPER_KERNEL MATRIX(r, c) name##_##r##_##c(MATRIX(r, c) a, fx_t scalar)                \
    {                                                                                      \
        OWN(a);                                                                            \
        MATRIX(r, c) result = {0};                                                         \
        FOR(i, r) FOR(j, c) result.at[i][j] = operation(a.at[i][j], scalar);               \
        return result;                                                                     \
    }

#define DEFINE_SCALE(r, c) DEFINE_BY_SCALAR_(scale, paper_multiply, r, c)

#define DEFINE_TRANSPOSE(r, c)                                                             \
    PAPER_KERNEL MATRIX(c, r) transpose_##r##_##c(MATRIX(r, c) a)                          \
    {                                                                                      \
        OWN(a);                                                                            \
        MATRIX(c, r) result = {0};                                                         \
        FOR(i, r) FOR(j, c) result.at[j][i] = a.at[i][j];                                  \
        return result;                                                                     \
    }

/* Row by row, as a column of n = r * c elements. */
#define DEFINE_RESHAPE(r, c, n)                                                            \
    PAPER_KERNEL MATRIX(n, one) reshape_##r##_##c(MATRIX(r, c) a)                          \
    {                                                                                      \
        OWN(a);                                                                            \
        MATRIX(n, one) result = {0};                                                       \
        FOR(i, r) FOR(j, c) result.at[i * c + j][0] = a.at[i][j];                          \
        return result;                                                                     \
    }

#if LEARNER_VECTOR

#define DEFINE_ADD(r, c)                                                                   \
    PAPER_KERNEL MATRIX(r, c) add_##r##_##c(MATRIX(r, c) a, MATRIX(r, c) b)                \
    {                                                                                      \
        OWN(a); OWN(b);                                                                    \
        MATRIX(r, c) result = {0};                                                         \
        vector_add(&a.at[0][0], &b.at[0][0], &result.at[0][0], r * c);                     \
        return result;                                                                     \
    }

#define DEFINE_DIVIDE(r, c)                                                                \
    PAPER_KERNEL MATRIX(r, c) divide_##r##_##c(MATRIX(r, c) a, fx_t scalar)                \
    {                                                                                      \
        OWN(a);                                                                            \
        MATRIX(r, c) result = {0};                                                         \
        vector_divide(&a.at[0][0], scalar, &result.at[0][0], r * c);                       \
        return result;                                                                     \
    }

#define DEFINE_MULTIPLY(r, m, c)                                                           \
    PAPER_KERNEL MATRIX(r, c) multiply_##r##_##m##_##c(MATRIX(r, m) a, MATRIX(m, c) b)     \
    {                                                                                      \
        _Static_assert((int)(m) <= (int)SPM_WORDS, "a column must fit a scratchpad");      \
        OWN(a); OWN(b);                                                                    \
        MATRIX(r, c) result = {0};                                                         \
        vector_multiply(&a.at[0][0], &b.at[0][0], &result.at[0][0], r, m, c);              \
        return result;                                                                     \
    }

#define DEFINE_INVERSE(n)                                                                  \
    PAPER_KERNEL MATRIX(n, n) inverse_##n##_##n(MATRIX(n, n) a)                            \
    {                                                                                      \
        _Static_assert(2 * (n) <= (int)SPM_WORDS, "two rows must fit a scratchpad");       \
        OWN(a);                                                                            \
        MATRIX(n, n) upper = {0}, lower = {0}, inverse = {0}, identity = {0}, z = {0};     \
        FOR(i, n) identity.at[i][i] = FX_ONE;                                              \
        vector_inverse(&a.at[0][0], &upper.at[0][0], &lower.at[0][0], &z.at[0][0],         \
                       &identity.at[0][0], &inverse.at[0][0], n);                          \
        return inverse;                                                                    \
    }

#else

#define DEFINE_ADD(r, c) DEFINE_ELEMENTWISE_(add, paper_add, r, c)
#define DEFINE_DIVIDE(r, c) DEFINE_BY_SCALAR_(divide, paper_divide, r, c)

/* Dot products, b walked down its columns: r m c multiplications and additions. */
#define DEFINE_MULTIPLY(r, m, c)                                                           \
    PAPER_KERNEL MATRIX(r, c) multiply_##r##_##m##_##c(MATRIX(r, m) a, MATRIX(m, c) b)     \
    {                                                                                      \
        OWN(a); OWN(b);                                                                    \
        MATRIX(r, c) result = {0};                                                         \
        FOR(i, r) FOR(j, c) FOR(inner, m) result.at[i][j] =                                \
            paper_add(result.at[i][j], paper_multiply(a.at[i][inner], b.at[inner][j]));    \
        return result;                                                                     \
    }

/*
 * Inverse by LU factorisation without pivoting (Doolittle), then L Z = I and U X = Z. The sums of
 * both substitutions run over all n terms but the diagonal one, whether they are zero or not.
 * n (n^2 - 1) / 6 + n (n - 1) (n - 2) / 6 + 2 n^2 (n - 1) multiplications and additions,
 * n + n (n - 1) / 2 + 2 n^2 divisions.
 */
#define DEFINE_INVERSE(n)                                                                  \
    PAPER_KERNEL MATRIX(n, n) inverse_##n##_##n(MATRIX(n, n) a)                            \
    {                                                                                      \
        OWN(a);                                                                            \
        MATRIX(n, n) upper = {0}, lower = {0}, inverse = {0}, identity = {0}, z = {0};     \
        FOR(j, n) upper.at[0][j] = a.at[0][j];                                             \
        FOR(i, n) lower.at[i][0] = paper_divide(a.at[i][0], upper.at[0][0]);               \
        FOR(i, n) lower.at[i][i] = identity.at[i][i] = FX_ONE;                             \
        FOR(i, n) FOR(j, n)                                                                \
        {                                                                                  \
            fx_t sum = 0;                                                                  \
            if (i <= j) {                                                                  \
                FOR(inner, i) sum = paper_add(                                             \
                    sum, paper_multiply(lower.at[i][inner], upper.at[inner][j]));          \
                upper.at[i][j] = paper_subtract(a.at[i][j], sum);                          \
            } else {                                                                       \
                FOR(inner, j) sum = paper_add(                                             \
                    sum, paper_multiply(lower.at[i][inner], upper.at[inner][j]));          \
                lower.at[i][j] =                                                           \
                    paper_divide(paper_subtract(a.at[i][j], sum), upper.at[j][j]);         \
            }                                                                              \
        }                                                                                  \
        FOR(j, n) FOR(i, n)                                                                \
        {                                                                                  \
            fx_t sum = 0;                                                                  \
            FOR(inner, n) if (inner != i) sum =                                            \
                paper_add(sum, paper_multiply(lower.at[i][inner], z.at[inner][j]));        \
            z.at[i][j] =                                                                   \
                paper_divide(paper_subtract(identity.at[i][j], sum), lower.at[i][i]);      \
        }                                                                                  \
        FOR(j, n) FOR_DOWN(i, n)                                                           \
        {                                                                                  \
            fx_t sum = 0;                                                                  \
            FOR(inner, n) if (inner != i) sum = paper_add(                                 \
                sum, paper_multiply(upper.at[i][inner], inverse.at[inner][j]));            \
            inverse.at[i][j] =                                                             \
                paper_divide(paper_subtract(z.at[i][j], sum), upper.at[i][i]);             \
        }                                                                                  \
        return inverse;                                                                    \
    }

#endif /* LEARNER_VECTOR */

#endif
