#include "gnomon.h"
#include "units.h"

static uint32_t seed = 1;
static uint32_t next(void)
{
    seed = seed * 1664525u + 1013904223u;
    const uint32_t value = seed;
    seed = seed * 1664525u + 1013904223u;
    return value >> (seed >> 27);
}

int main(void)
{
    for (int k = 0; k < 60; k++) {
        const uint32_t a = next(), b = next(), c = next();
        gnomon_print(popcount(a));
        gnomon_print(mulr(a, b));
        gnomon_print(mulrs(c, a, b));
        gnomon_print(mulq(a, b));
        gnomon_print(macq(c, a, b));
        gnomon_print(requant(a, b, c));
        gnomon_print(crc32b(c, a));
        gnomon_print(crc32w(c, a));
        cordic_load(a >> 3);
        uint32_t rest = 0;
        for (int step = 0; step < 24; step++) rest = cordic_step();
        gnomon_print(rest);
        gnomon_print(cordic_cos());
        gnomon_print(cordic_sin());
    }
    return 0;
}
