/*
 * Inverse and products of matrices as in CMSIS-DSP, single precision. WRITTEN HERE from the reference of
 * CMSIS-DSP 1.14; no line is Arm's. On a core without a floating-point unit each operation is a call of
 * the compiler's library.
 */
#ifndef F32_H
#define F32_H

#include <stdint.h>

/* arm_mat_vec_mult_f32. */
static inline void f32_mat_vec_mult(const float *m, const float *v, float *out, uint32_t n)
{
    for (uint32_t i = 0; i < n; ++i, m += n) {
        float sum = 0.0f;
        for (uint32_t j = 0; j < n; ++j) {
            sum += m[j] * v[j];
        }
        out[i] = sum;
    }
}

/* arm_dot_prod_f32. */
static inline float f32_dot(const float *a, const float *b, uint32_t n)
{
    float sum = 0.0f;
    for (uint32_t i = 0; i < n; ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

static inline void f32_swap_rows(float *m, uint32_t a, uint32_t b, uint32_t n)
{
    for (uint32_t j = 0; j < n; ++j) {
        const float kept = m[a * n + j];
        m[a * n + j] = m[b * n + j];
        m[b * n + j] = kept;
    }
}

/* arm_mat_inverse_f32: row operations that make a the identity, by Gauss and Jordan, applied to an
 * identity. The pivot is the largest number of its column. a is lost. Returns 0 if a is singular. */
static inline int f32_inverse(float *a, float *out, uint32_t n)
{
    for (uint32_t i = 0; i < n * n; ++i) {
        out[i] = i % (n + 1) == 0 ? 1.0f : 0.0f;
    }
    for (uint32_t c = 0; c < n; ++c) {
        uint32_t pivot = c;
        float largest = 0.0f;
        for (uint32_t i = c; i < n; ++i) {
            const float value = a[i * n + c], size = value < 0.0f ? -value : value;
            if (size > largest) {
                largest = size;
                pivot = i;
            }
        }
        if (largest == 0.0f) {
            return 0;
        }
        if (pivot != c) {
            f32_swap_rows(a, c, pivot, n);
            f32_swap_rows(out, c, pivot, n);
        }
        const float scale = 1.0f / a[c * n + c];
        for (uint32_t j = 0; j < n; ++j) {
            a[c * n + j] *= scale;
            out[c * n + j] *= scale;
        }
        for (uint32_t i = 0; i < n; ++i) {
            const float factor = a[i * n + c];
            if (i == c) {
                continue;
            }
            for (uint32_t j = c; j < n; ++j) {
                a[i * n + j] -= factor * a[c * n + j];
            }
            for (uint32_t j = 0; j < n; ++j) {
                out[i * n + j] -= factor * out[c * n + j];
            }
        }
    }
    return 1;
}

#endif
