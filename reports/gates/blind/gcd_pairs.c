/* Greatest common divisors of pairs of numbers, by remainders and by differences. */
#include "gnomon.h"

static uint32_t by_remainders(uint32_t a, uint32_t b) {
    while (b) {
        uint32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static uint32_t by_differences(uint32_t a, uint32_t b) {
    while (a != b) {
        if (a > b) a -= b;
        else b -= a;
    }
    return a;
}

int main(void) {
    uint32_t state = 99, sum = 0;
    for (int k = 0; k < 7; k++) {
        state = state * 1664525u + 1013904223u;
        uint32_t a = (state >> 8) | 1;
        state = state * 1664525u + 1013904223u;
        uint32_t b = (state >> 12) | 1;
        sum += by_remainders(a, b);
        sum += by_differences(a & 1023, (b & 511) | 1);
    }
    return (int)(sum & 127);
}
