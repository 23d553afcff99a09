/* A dot product, step by step: move both vectors into scratchpads, multiply and add, move back. */
#include "gallery.h"

#ifndef N
#define N 256
#endif
static int a[N], b[N];

GNOMON_REGION int work(void)
{
#if VECTOR
    static volatile int sum;
    vcu_set_mvtype(VCU_32_BIT);           /* 1. elements of 32 bits */
    vcu_set_mvsize(4 * N);                /* 2. N of them */
    kmemld(VCU_SPM(0), a, 4 * N);         /* 3. each operand in a scratchpad of its own: */
    kmemld(VCU_SPM(1), b, 4 * N);         /*    both are read in the same cycle */
    kdotp(VCU_SPM(2), VCU_SPM(0), VCU_SPM(1)); /* 4. waits for the transfers by itself */
    kmemstr((void *)&sum, VCU_SPM(2), 4); /* 5. the result is one word */
    return sum;                           /* 6. a load waits for the transfers before it */
#else
    int sum = 0;
    for (int k = 0; k < N; k++) sum += a[k] * b[k];
    return sum;
#endif
}

int main(void)
{
    unsigned seed = 1;
    for (int k = 0; k < N; k++) a[k] = draw(&seed, 1024);
    for (int k = 0; k < N; k++) b[k] = draw(&seed, 1024);
    printf("%d\n", work());
    return 0;
}
