/* y = a x + y, in chunks that fit the scratchpads of the machine that this is built for. */
#include "machine.h"
#include "vcu.h"

#ifndef N
#define N 512
#endif

static int x[N], y[N];

static void scale_add(int a)
{
#if GNOMON_HAS_VCU
    const unsigned chunk = GNOMON_SPM_BYTES / 4u;
    vcu_set_mvtype(VCU_32_BIT);
    for (unsigned first = 0; first < N; first += chunk) {
        const unsigned count = N - first < chunk ? N - first : chunk;
        vcu_set_mvsize(4u * count);
        kmemld(VCU_SPM(0), &x[first], 4u * count);
        kmemld(VCU_SPM(1), &y[first], 4u * count);
        ksvmulrf(VCU_SPM(0), VCU_SPM(0), (unsigned)a);
        kaddv(VCU_SPM(0), VCU_SPM(0), VCU_SPM(1));
        kmemstr(&y[first], VCU_SPM(0), 4u * count);
    }
#else
    for (int i = 0; i < N; i++) {
        y[i] += a * x[i];
    }
#endif
}

int main(void)
{
    int sum = 0;
    for (int i = 0; i < N; i++) {
        x[i] = i - N / 2;
        y[i] = i / 3;
    }
    scale_add(7);
    for (int i = 0; i < N; i++) {
        sum += y[i];
    }
    return sum & 0xFF;
}
