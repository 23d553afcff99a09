#include "gnomon.h"
#include "operands.h"

int main(void)
{
    uint32_t hash[RESULTS] = {0};
    for (uint32_t round = 0; round < ROUNDS; round++) {
        hash_results(round, hash);
        if ((round + 1) % PER_HASH == 0)
            for (int k = 0; k < RESULTS; k++) {
                gnomon_print(hash[k]);
                hash[k] = 0;
            }
    }
    return 0;
}
