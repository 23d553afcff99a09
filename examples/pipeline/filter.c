/* Low-pass filter of one second of samples: 8 taps, Q15. */

#include <stdint.h>

#define SAMPLES 26
#define TAPS 8

static const int16_t taps[TAPS] = {655, 2490, 5570, 7669, 7669, 5570, 2490, 655};
static volatile int16_t input[SAMPLES + TAPS];
static volatile int16_t output[SAMPLES];

__attribute__((noinline)) void filter(void) {
    for (int i = 0; i < SAMPLES; i++) {
        int32_t sum = 1 << 14;
        for (int k = 0; k < TAPS; k++)
            sum += taps[k] * input[i + k];
        output[i] = (int16_t)(sum >> 15);
    }
}

int main(void) {
    for (int i = 0; i < SAMPLES + TAPS; i++)
        input[i] = (int16_t)(911 * i % 4096 - 2048);
    filter();
    return output[3] & 0xff;
}
