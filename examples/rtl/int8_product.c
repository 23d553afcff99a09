/* Products of bytes: a vector times a matrix, on the vector unit and in plain C. Returns 0 if both
 * agree. Sums of a beat are modulo 2^16 (docs/notes/rtl-vector.md), so the elements are small. */
#include "gnomon.h"
#include "vcu.h"

#define ROWS 16
#define COLUMNS 64

static int8_t matrix[ROWS][COLUMNS] __attribute__((aligned(4)));
static int8_t vector[COLUMNS] __attribute__((aligned(4)));
static int32_t products[ROWS];

GNOMON_REGION void multiply(void) {
    kmemld(VCU_SPM(0), matrix, sizeof matrix);
    kmemld(VCU_SPM(1), vector, sizeof vector);
    vcu_set_mvtype(VCU_8_BIT);
    vcu_set_mvsize(sizeof vector);
    for (int row = 0; row < ROWS; row++) {
        kdotp(VCU_SPM(2) + 4 * row, VCU_SPM(0) + COLUMNS * row, VCU_SPM(1));
    }
    kmemstr(products, VCU_SPM(2), sizeof products);
}

int main(void) {
    for (int k = 0; k < COLUMNS; k++) {
        vector[k] = (int8_t)(k & 7);
        for (int row = 0; row < ROWS; row++) {
            matrix[row][k] = (int8_t)((row + 3 * k) & 15);
        }
    }
    multiply();
    int wrong = 0;
    for (int row = 0; row < ROWS; row++) {
        int32_t sum = 0;
        for (int k = 0; k < COLUMNS; k++) {
            sum += matrix[row][k] * vector[k];
        }
        wrong += sum != ((volatile int32_t *)products)[row];
    }
    return wrong;
}
