/*
 * Hybrid LinUCB on the vector unit: its state, the layout of the scratchpads, and the short
 * vectors of a step.
 *
 * Component r of arm a is element a d + r. The covariance is symmetric: half of its cyclic
 * diagonals hold all of it, diagonal k having at i the element of row i and column (i + k) mod n,
 * for k from 0 to n / 2. The first d hold all the blocks P_aa; a selection needs no others.
 * A column of the matrix is a column of every diagonal and a slope, and for d neighbouring columns
 * d neighbours in each.
 *
 * Scratchpads 0 and 1: half of the model each. 2: a vector stored twice, then products.
 * 3: short vectors and results.
 */
#ifndef JOINT_VECTOR_H
#define JOINT_VECTOR_H

#include "joint.h"
#include "vcu.h"

#if !VCU_HAS_POSTSCALE || VCU_POSTSCALE_SHIFT != 15
#error "joint_vector.h: the machine needs post-scaled products (kps) of 15 bits"
#endif
#if VCU_SPM_COUNT < 4
#error "joint_vector.h: four scratchpads are needed"
#endif

enum {
    DIAGONALS = n / 2 + 1,
    OWN = d <= DIAGONALS ? d : DIAGONALS, /* that hold the blocks P_aa */
    LOW_DIAGONALS = (DIAGONALS + 1) / 2,
    BLOCK = 4 * d, /* bytes from here on */
    VECTOR = 4 * n,
    LOW = LOW_DIAGONALS * VECTOR,
    HIGH = (DIAGONALS - LOW_DIAGONALS) * VECTOR,
    LOT = OWN > LOW_DIAGONALS ? OWN : LOW_DIAGONALS,
    FEATURES = 4 * ARMS * f,
};

static struct {
    fx_t covariance[DIAGONALS][n];
    fx_t mean[n];
    fx_t scale[ARMS];
    fx_t features[ARMS][f]; /* that the model belongs to */
} learner_model;

#define TWICE VCU_SPM(2)
#define PRODUCTS (VCU_SPM(2) + 2 * VECTOR)
#define X VCU_SPM(3)
#define SUM (VCU_SPM(3) + VECTOR) /* and one more vector after it */
#define V (VCU_SPM(3) + 3 * VECTOR)
#define W (VCU_SPM(3) + 4 * VECTOR)
#define RESULT (VCU_SPM(3) + 5 * VECTOR)
#define PADDED (RESULT + 8 * ARMS) /* zeros, y, zeros */
#define Y (PADDED + BLOCK)
#define WEIGHTS (PADDED + 3 * BLOCK)

_Static_assert((LOT + 2) * VECTOR <= (int)VCU_SPM_BYTES &&
                   (OWN + 5) * VECTOR + 8 * ARMS + 3 * BLOCK <= (int)VCU_SPM_BYTES,
               "LEARNER_D, LEARNER_ARMS: half a model and two vectors must fit a scratchpad");

/* Computes x here: the compiler has no cost model of vector instructions. */
#define HERE(x) __asm__ volatile("" : "+r"(x))

/* For scale_exponent. */
INLINE uint32_t squares_of_context(void)
{
    uint32_t squares = 0;
    for (uint32_t i = 0; i < d; ++i) {
        const int64_t square = (int64_t)learner_context[i] * learner_context[i];
        squares += (uint32_t)((uint64_t)square >> 15);
    }
    return squares;
}

/* to = from 2^-right; a negative shift is a product. */
INLINE void vector_shift(uint32_t to, uint32_t from, int32_t right)
{
    if (right >= 0) {
        ksrav(to, from, (uint32_t)(right > 31 ? 31 : right));
    } else {
        ksvmulrf(to, from, 1u << -right);
    }
}

/* To nearest; right is 1 or more, numbers below 2^30. */
INLINE void vector_rounded(uint32_t to, uint32_t from, int32_t right)
{
    if (right > 31) {
        kbcast(to, 0);
        return;
    }
    ksvaddrf(to, from, 1u << (right - 1));
    ksrav(to, to, (uint32_t)right);
}

/* Context to X, and y with zeros around it to PADDED. */
INLINE void scale_context(int32_t k)
{
    vcu_set_mvsize(3 * BLOCK);
    kbcast(PADDED, 0);
    vcu_set_mvsize(BLOCK);
    vector_shift(Y, X, -k);
}

#endif
