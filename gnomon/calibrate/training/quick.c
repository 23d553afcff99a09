// Quicksort of 28 half words.
static short words[28];
static volatile unsigned first = 4321;
static void swap(int a, int b) {
    short kept = words[a];
    words[a] = words[b];
    words[b] = kept;
}
static __attribute__((noinline)) void sort(int low, int high) {
    if (low >= high) return;
    int at = low;
    for (int k = low; k < high; k++)
        if (words[k] < words[high]) swap(k, at++);
    swap(at, high);
    sort(low, at - 1);
    sort(at + 1, high);
}
int main(void) {
    unsigned next = first;
    for (int k = 0; k < 28; k++, next = (next >> 1) ^ (next & 1 ? 0xb400u : 0)) words[k] = (short)next;
    sort(0, 27);
    int rising = 1;
    for (int k = 1; k < 28; k++) rising &= words[k - 1] <= words[k];
    return rising;
}
