/* Convert one second of a 3-axis accelerometer (26 samples) to magnitudes. */

#include <stdint.h>

#define SAMPLES 26

static volatile int16_t axes[SAMPLES][3]; /* filled by the sensor */
static volatile uint32_t squared[SAMPLES];

__attribute__((noinline)) void sample(void) {
    for (int i = 0; i < SAMPLES; i++) {
        int32_t x = axes[i][0], y = axes[i][1], z = axes[i][2];
        squared[i] = (uint32_t)(x * x + y * y + z * z);
    }
}

int main(void) {
    for (int i = 0; i < SAMPLES; i++)
        for (int k = 0; k < 3; k++)
            axes[i][k] = (int16_t)(37 * i * (k + 1) % 4096 - 2048);
    sample();
    return (int)(squared[7] & 0xff);
}
