/* Divisions of random numbers of all lengths, signed and unsigned, REPEATS times. */
#include <stdint.h>

int main(int hart)
{
    (void)hart;
    uint32_t state = 1, sum = 0;
    for (int r = 0; r < REPEATS; r++) {
        state = state * 1664525u + 1013904223u;
        const uint32_t x = state >> (r & 15), y = (state * 40503u >> (r >> 4 & 31)) | 1u;
        sum += x / y;
        sum ^= (uint32_t)((int32_t)x % (int32_t)y);
    }
    return (int)(sum & 0x7fffffff);
}
