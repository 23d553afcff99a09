/* Three harts share one list through a lock of amoswap.w. Returns 0 if no entry is lost. */
#include "gnomon.h"

#define HARTS 3
#define TURNS 40

static volatile uint32_t started, lock, filled, finished;
static volatile uint32_t entries[HARTS * TURNS];

static void append(uint32_t value) {
    while (gnomon_swap(&lock, 1)) {
    }
    uint32_t place = filled;
    entries[place] = value;
    filled = place + 1;
    gnomon_swap(&lock, 0);
}

int main(int hart) {
    started = 1; /* before the first load or store, an amoswap.w of the T13 writes no byte */
    uint32_t state = 1u + (uint32_t)hart, sum = 0;
    for (int turn = 0; turn < TURNS; turn++) {
        state = state * 1664525u + 1013904223u;
        append(state);
        sum += state;
    }
    while (gnomon_swap(&lock, 1)) {
    }
    entries[0] -= hart == 0 ? 0 : sum; /* the list then sums to what hart 0 appended */
    finished = finished + 1;
    gnomon_swap(&lock, 0);
    if (hart != 0) {
        return 0;
    }
    while (finished != HARTS) {
    }
    uint32_t all = 0;
    for (int k = 0; k < HARTS * TURNS; k++) {
        all += entries[k];
    }
    return all != sum;
}
