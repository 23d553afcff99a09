/*
 * forgetting.h on the vector unit, for A^-1 as cyclic diagonals: one product of all of them by 1 / gamma,
 * the products of w and u diagonal by diagonal, and one subtraction. The scalar core gathers u from memory
 * and computes w and theta. w and u have 45 fraction bits together, so 22 and 23 of them are left.
 */
#ifndef FORGETTING_VECTOR_H
#define FORGETTING_VECTOR_H

#include "forgetting.h"

/* u, twice, Q23; w, Q22; and theta. */
static void renew_weights(struct arm *arm, uint32_t turn, fx_t *column, int32_t *weight)
{
    for (uint32_t k = 0; k < DIAGONALS; ++k) {
        const uint32_t after = turn + k < d ? turn + k : turn + k - d;
        const uint32_t before = turn >= k ? turn - k : turn + d - k;
        column[after] = grown(arm->inverse[k][turn]);
        column[before] = grown(arm->inverse[k][before]);
    }
    const int32_t gain = gain_of_renewal(column[turn], arm->scale);
    const fx_t own = arm->theta[turn];
    for (uint32_t i = 0; i < d; ++i) {
        const int32_t w = weight_of_renewal(gain, column[i]);
        forget_weight(&arm->theta[i], w, own);
        weight[i] = w >> 9;
        column[i] >>= 7;
        column[d + i] = column[i];
    }
}

static void forget_diagonals(struct arm *arm, uint32_t turn)
{
    static fx_t column[2 * SCALED_D];
    static int32_t weight[SCALED_D];
    renew_weights(arm, turn, column, weight);
    vcu_set_mvtype(VCU_32_BIT);
    kmemld(TWICE, column, 2 * VECTOR);
    kmemld(W, weight, VECTOR);
    vcu_set_mvsize(VECTOR);
    kmemld(VCU_SPM(0), arm, DIAGONALS * VECTOR);
    outer_diagonals(PRODUCTS, W, 0, DIAGONALS);
    vcu_set_mvsize(DIAGONALS * VECTOR);
    ksvmulpsrf(VCU_SPM(1), VCU_SPM(0), LEARNER_FORGETTING);
    kaddv(VCU_SPM(0), VCU_SPM(0), VCU_SPM(1));
    ksubv(VCU_SPM(0), VCU_SPM(0), PRODUCTS);
    vcu_set_mvsize(VECTOR);
    ksrav(PRODUCTS, VCU_SPM(0), 30 - TRACE_BITS);
    kvred(RESULT, PRODUCTS);
    if (results().first >= LARGEST_TRACE && arm->scale > 0) {
        vcu_set_mvsize(DIAGONALS * VECTOR);
        ksrav(VCU_SPM(0), VCU_SPM(0), 2);
        --arm->scale;
    }
    kmemstr(arm, VCU_SPM(0), DIAGONALS * VECTOR);
}

#endif
