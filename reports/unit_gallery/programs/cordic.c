/* Cosine and sine of 16 angles by 24 CORDIC steps, 29 fraction bits. */
#include "data.h"

enum { ANGLES = 16, STEPS = 24 };
static int32_t angles[ANGLES], found[ANGLES][2];

#ifndef UNIT_HAS_CORDIC_STEP
static const int32_t rotations[STEPS] = {
    0x1921FB54, 0x0ED63383, 0x07D6DD7E, 0x03FAB753, 0x01FF55BB, 0x00FFEAAE,
    0x007FFD55, 0x003FFFAB, 0x001FFFF5, 0x000FFFFF, 0x00080000, 0x00040000,
    0x00020000, 0x00010000, 0x00008000, 0x00004000, 0x00002000, 0x00001000,
    0x00000800, 0x00000400, 0x00000200, 0x00000100, 0x00000080, 0x00000040,
};
#endif

static inline void rotate(int32_t angle, int32_t *result)
{
#ifdef UNIT_HAS_CORDIC_STEP
    cordic_load((uint32_t)angle);
#pragma GCC unroll 24
    for (int k = 0; k < STEPS; k++) (void)cordic_step();
    result[0] = (int32_t)cordic_cos();
    result[1] = (int32_t)cordic_sin();
#else
    int32_t x = 0x136E9DB5, y = 0, z = angle;
#pragma GCC unroll 24
    for (int k = 0; k < STEPS; k++) {
        const int32_t sign = z >> 31, across = y >> k, along = x >> k;
        x -= (across ^ sign) - sign;
        y += (along ^ sign) - sign;
        z -= (rotations[k] ^ sign) - sign;
    }
    result[0] = x;
    result[1] = y;
#endif
}

GNOMON_REGION void work(void)
{
    for (int i = 0; i < ANGLES; i++) rotate(angles[i], found[i]);
}

int main(void)
{
    for (int i = 0; i < ANGLES; i++) angles[i] = draw_signed(30);
    work();
    print_check(found, 2 * ANGLES);
    return 0;
}
