/* Rotation mode, 29 fraction bits, 24 steps; x begins with the product of the scale factors. */
typedef struct Cordic { uint32_t x, y, z, step; } Cordic;
static const uint32_t cordic_angles[24] = {
    0x1921FB54, 0x0ED63383, 0x07D6DD7E, 0x03FAB753, 0x01FF55BB, 0x00FFEAAE,
    0x007FFD55, 0x003FFFAB, 0x001FFFF5, 0x000FFFFF, 0x00080000, 0x00040000,
    0x00020000, 0x00010000, 0x00008000, 0x00004000, 0x00002000, 0x00001000,
    0x00000800, 0x00000400, 0x00000200, 0x00000100, 0x00000080, 0x00000040,
};
static inline uint32_t cordic_shift(uint32_t value, uint32_t count)
{
    return (uint32_t)((int32_t)value >> count);
}
/* Random signs make branches slow in a simulation: sign is 0, or all ones to negate the value. */
static inline uint32_t cordic_negate(uint32_t value, uint32_t sign)
{
    return (value ^ sign) - sign;
}
UNIT(cordic_load)
{
    *(Cordic *)state = (Cordic){.x = 0x136E9DB5, .z = a};
    return 0;
}
UNIT(cordic_step)
{
    Cordic *s = state;
    if (s->step == 24) return s->z;
    const uint32_t x = s->x, y = s->y, i = s->step, back = cordic_shift(s->z, 31);
    s->x = x - cordic_negate(cordic_shift(y, i), back);
    s->y = y + cordic_negate(cordic_shift(x, i), back);
    s->z -= cordic_negate(cordic_angles[i], back);
    s->step = i + 1;
    return s->z;
}
UNIT(cordic_cos) { return ((Cordic *)state)->x; }
UNIT(cordic_sin) { return ((Cordic *)state)->y; }
