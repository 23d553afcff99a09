/* Rounds of a cipher on a block of 16 bytes: bytes by a table, a permutation, sums with a key. */
#include "gnomon.h"

static uint8_t box[64];
static uint8_t block[16], moved[16], key[16];

int main(void) {
    for (int k = 0; k < 64; k++) box[k] = (uint8_t)k;
    uint32_t state = 77;
    for (int k = 63; k > 0; k--) {
        state = state * 1103515245u + 12345u;
        uint32_t other = (state >> 16) & 63;
        uint8_t held = box[k];
        box[k] = box[other];
        box[other] = held;
    }
    for (int k = 0; k < 16; k++) {
        block[k] = (uint8_t)(17 * k);
        key[k] = (uint8_t)(state >> k);
    }
    for (int round = 0; round < 6; round++) {
        for (int k = 0; k < 16; k++) moved[(k * 5) & 15] = box[(block[k] ^ key[k]) & 63];
        for (int k = 0; k < 16; k++) {
            block[k] = (uint8_t)(moved[k] << 1 ^ (moved[k] >> 5) * 27 ^ moved[(k + 4) & 15]);
        }
    }
    int sum = 0;
    for (int k = 0; k < 16; k++) sum += block[k];
    return sum & 127;
}
