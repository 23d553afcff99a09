/* Four executions of one instruction of a unit per turn, REPEATS turns; CHOICE is the instruction. */
#include <stdint.h>

#include "units.h"

#define HIGH_HALF(x) ((uint32_t)((int32_t)(x) >> 16))

#if CHOICE == 0
#define EXECUTE c += a ^ b;
#elif CHOICE == 1
#define EXECUTE c += popcount(a);
#elif CHOICE == 2
#define EXECUTE c += mulr(a, b);
#elif CHOICE == 3
#define EXECUTE c = macq(c, HIGH_HALF(a), HIGH_HALF(b));
#elif CHOICE == 4
#define EXECUTE c += requant(a, HIGH_HALF(b), 0);
#elif CHOICE == 5
#define EXECUTE c = crc32b(c, a);
#else
#define EXECUTE c += cordic_step();
#endif
#define NEXT \
    a ^= a << 13; \
    a ^= a >> 17; \
    a ^= a << 5; \
    b += a; \
    EXECUTE

int main(void)
{
    uint32_t a = 1, b = 7, c = 0;
    for (uint32_t k = 0; k < REPEATS; k++) {
#if CHOICE == 6
        if (k % 8 == 0) cordic_load(a >> 3);
#endif
        NEXT NEXT NEXT NEXT
    }
    return (int)c;
}
