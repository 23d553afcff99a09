#include "gnomon.h"
#include "units.h"
#include "vcu.h"

/* WIDE: the same numbers as 32-bit words, for the vector instructions of any machine. */
#ifdef WIDE
typedef int32_t number;
#else
typedef int8_t number;
#endif
#define N 256

static number x[N] __attribute__((aligned(4))), y[N] __attribute__((aligned(4)));
static int32_t sum;

__attribute__((noinline)) int32_t dot(void)
{
#if defined(WIDE) || defined(UNIT_HAS_KDOT8)
    kmemld(VCU_SPM(0), x, sizeof(x));
    kmemld(VCU_SPM(1), y, sizeof(y));
    vcu_set_mvsize(sizeof(x));
#ifdef WIDE
    vcu_set_mvtype(VCU_32_BIT);
    kdotp(VCU_SPM(2), VCU_SPM(0), VCU_SPM(1));
#else
    vcu_set_mvtype(VCU_8_BIT);
    kdot8(VCU_SPM(2), VCU_SPM(0), VCU_SPM(1));
#endif
    kmemstr(&sum, VCU_SPM(2), 4);
#else
    int32_t total = 0;
    for (int k = 0; k < N; k++) total += x[k] * y[k];
    sum = total;
#endif
    return *(volatile int32_t *)&sum; /* waits for the transfer */
}

int main(void)
{
    for (int k = 0; k < N; k++) {
        x[k] = (int8_t)(k * 37 - 100);
        y[k] = (int8_t)(k * 91 + 5);
    }
    gnomon_print((uint32_t)dot());
    return 0;
}
