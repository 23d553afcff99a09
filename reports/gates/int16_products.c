/* Products and sums of half words on the vector unit, compared with plain C. Returns 0 if equal. */
#include "gnomon.h"
#include "vcu.h"

#define LENGTH 128

static int16_t a[LENGTH] __attribute__((aligned(4)));
static int16_t b[LENGTH] __attribute__((aligned(4)));
static int16_t result[LENGTH] __attribute__((aligned(4)));

GNOMON_REGION void products(void) {
    kmemld(VCU_SPM(0), a, sizeof a);
    kmemld(VCU_SPM(1), b, sizeof b);
    vcu_set_mvtype(VCU_16_BIT);
    vcu_set_mvsize(sizeof a);
    kvmul(VCU_SPM(2), VCU_SPM(0), VCU_SPM(1));
    kaddv(VCU_SPM(3), VCU_SPM(2), VCU_SPM(0));
    kmemstr(result, VCU_SPM(3), sizeof result);
}

int main(void) {
    uint32_t state = 1;
    for (int k = 0; k < LENGTH; k++) {
        state = state * 1664525u + 1013904223u;
        a[k] = (int16_t)(state >> 16);
        state = state * 1664525u + 1013904223u;
        b[k] = (int16_t)(state >> 24);
    }
    products();
    int wrong = 0;
    for (int k = 0; k < LENGTH; k++) {
        uint32_t wanted = (uint32_t)a[k] * (uint32_t)b[k] + (uint32_t)a[k];
        wrong += (int16_t)wanted != ((volatile int16_t *)result)[k];
    }
    return wrong;
}
