/* Branchy scalar work: random numbers, CRC-32, quicksort and Euclid, REPEATS times. */
#include <stdint.h>

#define N 256

static int32_t numbers[N];

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static uint32_t crc32(const uint8_t *bytes, uint32_t count)
{
    uint32_t crc = 0xffffffffu;
    for (uint32_t i = 0; i < count; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++) {
            crc = (crc >> 1) ^ (crc & 1u ? 0xedb88320u : 0u);
        }
    }
    return ~crc;
}

static void sort(int32_t *first, int32_t *last)
{
    while (first < last) {
        int32_t pivot = *last, *mid = first;
        for (int32_t *p = first; p < last; p++) {
            if (*p < pivot) {
                int32_t t = *p;
                *p = *mid;
                *mid++ = t;
            }
        }
        *last = *mid;
        *mid = pivot;
        sort(first, mid - 1);
        first = mid + 1;
    }
}

static uint32_t gcd(uint32_t x, uint32_t y)
{
    while (y) {
        uint32_t t = x % y;
        x = y;
        y = t;
    }
    return x;
}

int main(int hart)
{
    (void)hart;
    uint32_t state = 1, sum = 0;
    for (int r = 0; r < REPEATS; r++) {
        for (int i = 0; i < N; i++) {
            numbers[i] = (int32_t)next_random(&state);
        }
        sum ^= crc32((const uint8_t *)numbers, N);
        sort(numbers, numbers + N - 1);
        for (int i = 1; i < N; i++) {
            sum += gcd((uint32_t)numbers[i], (uint32_t)numbers[i - 1] | 1u);
        }
    }
    return (int)(sum & 0x7fffffff);
}
