/* Check sums of a message by a table of 16 words, which the program computes first. */
#include "gnomon.h"

#define LENGTH 60

static uint32_t table[16];
static uint8_t message[LENGTH];

int main(void) {
    for (uint32_t k = 0; k < 16; k++) {
        uint32_t rest = k << 28;
        for (int bit = 0; bit < 4; bit++) {
            rest = rest & 0x80000000u ? rest << 1 ^ 0x04C11DB7u : rest << 1;
        }
        table[k] = rest;
    }
    uint32_t state = 12345;
    for (int k = 0; k < LENGTH; k++) {
        state = state * 69069u + 1u;
        message[k] = (uint8_t)(state >> 20);
    }
    uint32_t sum = 0xFFFFFFFFu;
    for (int round = 0; round < 2; round++) {
        for (int k = 0; k < LENGTH; k++) {
            sum = sum << 4 ^ table[sum >> 28 ^ message[k] >> 4];
            sum = sum << 4 ^ table[sum >> 28 ^ (message[k] & 15)];
        }
    }
    return (int)(sum & 127);
}
