/* Each hart changes its own state and that of all, and reads what another hart writes. */
#include "gnomon.h"
#include "units.h"

static volatile uint32_t board[8];

int main(int hart)
{
    const uint32_t other = (uint32_t)(hart + 1) % HARTS;
    uint32_t s = (uint32_t)hart * 977u + SEED;
    for (uint32_t k = 1; k <= ROUNDS; k++) {
        s = s * 1664525u + 1013904223u;
        s ^= tally(s >> 7);
        if (k % BOARD_EVERY == 0) {
            board[hart] = tally(k);
            s += board[other];
        }
        if ((k + (uint32_t)hart) % SHARED_EVERY == 0) s += latest(s);
        if (s & 8) s += tally(1);
    }
    gnomon_print(s);
    gnomon_print(tally(0));
    return 0;
}
