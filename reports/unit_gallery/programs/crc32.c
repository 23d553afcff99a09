/* The CRC-32 of 256 bytes; without the unit by a table of 256 words. */
#include "data.h"

enum { WORDS = 64 };
static uint32_t message[WORDS], table[256], crc;

static inline uint32_t add_word(uint32_t before, uint32_t word)
{
#ifdef UNIT_HAS_CRC32W
    return crc32w(before, word);
#else
    before ^= word;
    for (int k = 0; k < 4; k++) before = before >> 8 ^ table[before & 255];
    return before;
#endif
}

GNOMON_REGION void work(void)
{
    crc = 0xffffffffu;
    for (int i = 0; i < WORDS; i++) crc = add_word(crc, message[i]);
    crc = ~crc;
}

int main(void)
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t value = i;
        for (int k = 0; k < 8; k++) value = value >> 1 ^ (value & 1 ? 0xedb88320u : 0);
        table[i] = value;
    }
    for (int i = 0; i < WORDS; i++) message[i] = draw();
    work();
    print_check(&crc, 1);
    return 0;
}
