/* A step of disjoint LinUCB: scores theta . x + the square of the confidence width x . A^-1 x of
 * each arm, and the arm with the highest sum; integers, so that both ways agree bit by bit. */
#include "gnomon.h"
#include "vcu.h"

#define ARMS 4
#define D 16

static int32_t inverse[ARMS][D][D], theta[ARMS][D], x[D], scores[ARMS][2];

GNOMON_REGION void score(void) {
    vcu_set_mvtype(VCU_32_BIT);
    vcu_set_mvsize(sizeof x);
    kmemld(VCU_SPM(1), x, sizeof x);
    for (int arm = 0; arm < ARMS; arm++) {
        kmemld(VCU_SPM(0), inverse[arm], sizeof inverse[arm]);
        kmemld(VCU_SPM(3), theta[arm], sizeof theta[arm]);
        for (int row = 0; row < D; row++) {
            kdotp(VCU_SPM(2) + 4 * row, VCU_SPM(0) + 4 * D * row, VCU_SPM(1));
        }
        kdotp(VCU_SPM(3) + 4 * D, VCU_SPM(3), VCU_SPM(1));
        kdotp(VCU_SPM(3) + 4 * D + 4, VCU_SPM(2), VCU_SPM(1));
        kmemstr(scores[arm], VCU_SPM(3) + 4 * D, sizeof scores[arm]);
    }
}

int main(void) {
    for (int i = 0; i < D; i++) {
        x[i] = i - 5;
        for (int arm = 0; arm < ARMS; arm++) {
            theta[arm][i] = 3 * arm - i;
            for (int j = 0; j < D; j++) {
                inverse[arm][i][j] = (i == j) * (arm + 2) - (i + j) % 3;
            }
        }
    }
    score();
    int wrong = 0;
    for (int arm = 0; arm < ARMS; arm++) {
        int32_t mean = 0, width = 0;
        for (int i = 0; i < D; i++) {
            mean += theta[arm][i] * x[i];
            for (int j = 0; j < D; j++) {
                width += x[i] * inverse[arm][i][j] * x[j];
            }
        }
        volatile int32_t *told = scores[arm];
        wrong += told[0] != mean || told[1] != width;
    }
    return wrong;
}
