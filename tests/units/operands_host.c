#include "stdint.h"
#include "operands.h"
void hashes(uint32_t rounds, uint32_t *found);
void hashes(uint32_t rounds, uint32_t *found)
{
    uint32_t hash[RESULTS] = {0};
    for (uint32_t round = 0; round < rounds; round++) {
        hash_results(round, hash);
        if ((round + 1) % PER_HASH == 0)
            for (int k = 0; k < RESULTS; k++) {
                *found++ = hash[k];
                hash[k] = 0;
            }
    }
}
