/* The nearest of 32 hypervectors of 256 bits to each of 8 queries, by Hamming distance. */
#include "data.h"

enum { QUERIES = 8, CLASSES = 32, WORDS = 8 };
static uint32_t queries[QUERIES][WORDS], classes[CLASSES][WORDS], nearest[QUERIES];

static inline uint32_t ones(uint32_t word)
{
#ifdef UNIT_HAS_POPCOUNT
    return popcount(word);
#else
    word -= (word >> 1) & 0x55555555u;
    word = (word & 0x33333333u) + ((word >> 2) & 0x33333333u);
    return (((word + (word >> 4)) & 0x0f0f0f0fu) * 0x01010101u) >> 24;
#endif
}

GNOMON_REGION void work(void)
{
    for (int q = 0; q < QUERIES; q++) {
        uint32_t least = 32 * WORDS + 1;
        for (uint32_t k = 0; k < CLASSES; k++) {
            uint32_t distance = 0;
            for (int i = 0; i < WORDS; i++) distance += ones(queries[q][i] ^ classes[k][i]);
            if (distance < least) {
                least = distance;
                nearest[q] = k;
            }
        }
    }
}

int main(void)
{
    for (int q = 0; q < QUERIES; q++)
        for (int i = 0; i < WORDS; i++) queries[q][i] = draw();
    for (int k = 0; k < CLASSES; k++)
        for (int i = 0; i < WORDS; i++) classes[k][i] = draw();
    work();
    print_check(nearest, QUERIES);
    return 0;
}
