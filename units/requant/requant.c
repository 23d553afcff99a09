UNIT(requant)
{
    const uint32_t shift = 31 + (c & 31);
    const int64_t product = (int64_t)(int32_t)a * (int32_t)b + (1ll << (shift - 1));
    const int64_t value = (product >> shift) + (int8_t)(c >> 8);
    return (uint32_t)(value > 127 ? 127 : value < -128 ? -128 : value);
}
