static inline uint32_t crc32_bits(uint32_t crc, int bits)
{
    for (int k = 0; k < bits; k++) crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320u : 0);
    return crc;
}
UNIT(crc32b) { return crc32_bits(c ^ (a & 0xFF), 8); }
UNIT(crc32w) { return crc32_bits(c ^ a, 32); }
