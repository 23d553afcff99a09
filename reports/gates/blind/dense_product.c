/* Products of vectors on the vector unit: words at random. */
#include "gnomon.h"
#include "vcu.h"

#define LENGTH 64
#define ROWS 3

static int32_t matrix[ROWS][LENGTH], vector[LENGTH], products[ROWS], scaled[LENGTH];

int main(void) {
    uint32_t state = 4242;
    for (int k = 0; k < LENGTH; k++) {
        state = state * 1664525u + 1013904223u;
        vector[k] = (int32_t)state >> 4;
        for (int row = 0; row < ROWS; row++) {
            state = state * 1664525u + 1013904223u;
            matrix[row][k] = (int32_t)state >> 4;
        }
    }
    vcu_set_mvtype(VCU_32_BIT);
    vcu_set_mvsize(sizeof vector);
    kmemld(VCU_SPM(1), vector, sizeof vector);
    for (int round = 0; round < 4; round++) {
        for (int row = 0; row < ROWS; row++) {
            kmemld(VCU_SPM(0), matrix[row], sizeof vector);
            kdotp(VCU_SPM(2) + 4 * row, VCU_SPM(0), VCU_SPM(1));
            kvmul(VCU_SPM(3), VCU_SPM(0), VCU_SPM(1));
        }
        kmemstr(products, VCU_SPM(2), sizeof products);
        kmemstr(scaled, VCU_SPM(3), sizeof scaled);
    }
    uint32_t sum = 0;
    for (int row = 0; row < ROWS; row++) sum += (uint32_t)((volatile int32_t *)products)[row];
    return (int)(sum >> 16 & 127);
}
