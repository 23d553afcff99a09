#include "gnomon.h"
#include "units.h"
int main(void) {
    uint32_t s = 1, check = 0;
    for (int k = 0; k < 200; k++) {
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
    gnomon_print(check);
    return 0;
}
