/* Features of ten seconds: a layer of 16 neurons over 32 inputs, then ReLU, Q15. */

#include <stdint.h>

#define INPUTS 32
#define NEURONS 16

static volatile int16_t weights[NEURONS][INPUTS];
static volatile int16_t inputs[INPUTS];
static volatile int16_t outputs[NEURONS];

__attribute__((noinline)) void infer(void) {
    for (int n = 0; n < NEURONS; n++) {
        int32_t sum = 0;
        for (int i = 0; i < INPUTS; i++)
            sum += weights[n][i] * inputs[i];
        sum >>= 15;
        outputs[n] = (int16_t)(sum > 0 ? sum : 0);
    }
}

int main(void) {
    for (int n = 0; n < NEURONS; n++)
        for (int i = 0; i < INPUTS; i++)
            weights[n][i] = (int16_t)(577 * (n + i) % 4096 - 2048);
    for (int i = 0; i < INPUTS; i++)
        inputs[i] = (int16_t)(331 * i % 4096 - 2048);
    infer();
    return outputs[5] & 0xff;
}
