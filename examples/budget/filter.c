/* A moving average over samples, as a sensor node would run it. */
#include <stdint.h>

#define SAMPLES 256
#define TAPS 8

static int32_t samples[SAMPLES];
static int32_t smooth[SAMPLES];

__attribute__((noinline)) void filter(int count)
{
    int32_t window[TAPS] = {0};
    int32_t sum = 0;
    for (int i = 0; i < count; i++) {
        int place = i % TAPS;
        sum += samples[i] - window[place];
        window[place] = samples[i];
        smooth[i] = sum / TAPS;
    }
}

int main(int hart)
{
    (void)hart;
    uint32_t noise = 1;
    for (int i = 0; i < SAMPLES; i++) {
        noise = noise * 1664525u + 1013904223u;
        samples[i] = (int32_t)(noise >> 20);
    }
    filter(SAMPLES);
    return smooth[SAMPLES - 1];
}
