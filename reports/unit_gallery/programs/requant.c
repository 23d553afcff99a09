/* A dense layer of an int8 network, 32 inputs and 32 outputs, requantized to signed bytes. */
#include "data.h"

enum { INPUTS = 32, OUTPUTS = 32, SHIFT = 6, ZERO = 3 };
static int8_t inputs[INPUTS], weights[OUTPUTS][INPUTS];
static int32_t scales[OUTPUTS], outputs[OUTPUTS];

static inline int32_t requantize(int32_t sum, int32_t scale)
{
#ifdef UNIT_HAS_REQUANT
    return (int32_t)requant((uint32_t)sum, (uint32_t)scale, ZERO << 8 | SHIFT);
#else
    const int shift = 31 + SHIFT;
    const int64_t value = (((int64_t)sum * scale + (1ll << (shift - 1))) >> shift) + ZERO;
    return value > 127 ? 127 : value < -128 ? -128 : (int32_t)value;
#endif
}

GNOMON_REGION void work(void)
{
    for (int o = 0; o < OUTPUTS; o++) {
        int32_t sum = 0;
        for (int i = 0; i < INPUTS; i++) sum += weights[o][i] * inputs[i];
        outputs[o] = requantize(sum, scales[o]);
    }
}

int main(void)
{
    for (int i = 0; i < INPUTS; i++) inputs[i] = (int8_t)draw();
    for (int o = 0; o < OUTPUTS; o++) {
        scales[o] = 1 << 30 | (int32_t)(draw() >> 2);
        for (int i = 0; i < INPUTS; i++) weights[o][i] = (int8_t)draw();
    }
    work();
    print_check(outputs, OUTPUTS);
    return 0;
}
