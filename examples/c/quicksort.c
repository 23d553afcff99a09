/*
 * Quicksort, shared by all harts that run: hart 0 splits, each sorts its part. There is no vector
 * version: it branches on every element, and the unit can neither gather nor compress.
 */
#include "gallery.h"

#ifndef N
#define N 300
#endif
static int x[N];

static void sort(int *low, int *high) /* both inside */
{
    while (low < high) {
        const int pivot = low[(high - low) / 2];
        int *a = low, *b = high;
        while (a <= b) {
            while (*a < pivot) a++;
            while (*b > pivot) b--;
            if (a > b) break;
            const int t = *a;
            *a++ = *b;
            *b-- = t;
        }
        if (b - low < high - a) { /* the shorter part first: the stack stays small */
            sort(low, b);
            low = a;
        } else {
            sort(a, high);
            high = b;
        }
    }
}

/* What is less than the pivot goes to the front; returns the end of that. */
static int *split(int *low, int *end, int pivot)
{
    for (int *place = low; place < end; place++)
        if (*place < pivot) {
            const int t = *place;
            *place = *low;
            *low++ = t;
        }
    return low;
}

GNOMON_REGION void work(int hart)
{
    static int *part[GNOMON_ACTIVE_HARTS + 1];
    if (!hart) {
        int sample[4 * GNOMON_ACTIVE_HARTS];
        for (int k = 0; k < 4 * GNOMON_ACTIVE_HARTS; k++) sample[k] = x[k * (N / (4 * GNOMON_ACTIVE_HARTS))];
        sort(sample, sample + 4 * GNOMON_ACTIVE_HARTS - 1);
        part[0] = x;
        for (int k = 1; k < GNOMON_ACTIVE_HARTS; k++) part[k] = split(part[k - 1], x + N, sample[4 * k]);
        part[GNOMON_ACTIVE_HARTS] = x + N;
    }
    meet(hart);
    sort(part[hart], part[hart + 1] - 1);
    meet(hart);
}

int main(int hart)
{
    unsigned seed = 5, check = 0;
    if (!hart)
        for (int n = 0; n < N; n++) x[n] = draw(&seed, 16384);
    meet(hart);
    work(hart);
    for (int n = 0; !hart && n < N; n++) check = 31 * check + (unsigned)x[n];
    if (!hart) printf("%08x\n", check);
    if (hart) gnomon_park();
    return 0;
}
