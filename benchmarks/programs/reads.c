/* One load in four instructions, of a table that STEP words apart walks through WORDS words at TABLE. */
#include <stdint.h>

int main(void)
{
    volatile uint32_t *table = (volatile uint32_t *)TABLE;
    uint32_t sum = 0, at = 0;
    for (uint32_t turn = 0; turn < TURNS; turn++) {
        sum += table[at];
        sum ^= sum << 7;
        sum += turn;
        at = (at + STEP) & (WORDS - 1);
    }
    return (int)(sum & 0xFF);
}
