#include "stdint.h"
#include "units.h"
uint32_t checksum(int rounds);
uint32_t checksum(int rounds)
{
    uint32_t s = 1, check = 0;
    for (int k = 0; k < rounds; k++) {
        s = s * 1664525u + 1013904223u;
        const uint32_t a = s >> (s & 31);
        s = s * 1664525u + 1013904223u;
        check = check * 31 + popcount(a);
        check ^= mulr(a, s);
        check = mulrs(check, a, s);
        check = madd(check, a, s);
        check = shla(check, -5);
        check += tally(a);
    }
    return check;
}
