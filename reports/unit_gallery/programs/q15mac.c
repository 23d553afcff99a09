/* An FIR filter of 16 taps in Q15 over 64 samples; each sum saturates at 32 bits. */
#include "data.h"

enum { TAPS = 16, SAMPLES = 64 };
static int32_t input[SAMPLES + TAPS - 1], output[SAMPLES], taps[TAPS];

static inline int32_t accumulate(int32_t sum, int32_t a, int32_t b)
{
#ifdef UNIT_HAS_MACQ
    return (int32_t)macq((uint32_t)sum, (uint32_t)a, (uint32_t)b);
#else
    const int64_t value = (((int64_t)a * b) >> 15) + sum;
    return value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : (int32_t)value;
#endif
}

GNOMON_REGION void work(void)
{
    for (int n = 0; n < SAMPLES; n++) {
        int32_t sum = 0;
        for (int k = 0; k < TAPS; k++) sum = accumulate(sum, taps[k], input[n + k]);
        output[n] = sum;
    }
}

int main(void)
{
    for (int k = 0; k < TAPS; k++) taps[k] = draw_signed(16);
    for (int n = 0; n < SAMPLES + TAPS - 1; n++) input[n] = draw_signed(30);
    work();
    print_check(output, SAMPLES);
    return 0;
}
