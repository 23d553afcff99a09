/* An FIR filter: y[n] = sum of h[k] x[n + k]. The vector version takes one tap for all n at once. */
#include "gallery.h"

#ifndef N
#define N 192
#endif
#define TAPS 16
static int x[N + TAPS - 1], y[N], h[TAPS];

GNOMON_REGION void work(void)
{
#if VECTOR
    vcu_set_mvtype(VCU_32_BIT);
    vcu_set_mvsize(4 * N);
    kmemld(VCU_SPM(0), x, sizeof x);
    ksvmulrf(VCU_SPM(2), VCU_SPM(0), (unsigned)h[0]);
    for (unsigned k = 1; k < TAPS; k++) {
        ksvmulrf(VCU_SPM(1), VCU_SPM(0) + 4 * k, (unsigned)h[k]);
        kaddv(VCU_SPM(2), VCU_SPM(2), VCU_SPM(1));
    }
    kmemstr(y, VCU_SPM(2), sizeof y);
#else
    for (int n = 0; n < N; n++) {
        int sum = 0;
        for (int k = 0; k < TAPS; k++) sum += h[k] * x[n + k];
        y[n] = sum;
    }
#endif
}

int main(void)
{
    unsigned seed = 2, check = 0;
    for (int k = 0; k < TAPS; k++) h[k] = draw(&seed, 128);
    for (int n = 0; n < N + TAPS - 1; n++) x[n] = draw(&seed, 2048);
    work();
    for (int n = 0; n < N; n++) check = 31 * check + (unsigned)y[n];
    printf("%08x\n", check);
    return 0;
}
