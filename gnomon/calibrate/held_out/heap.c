// Thirty events through a heap of times, the earliest first.
static unsigned heap[32];
static int size;
static __attribute__((noinline)) void add(unsigned time) {
    int at = size++;
    while (at && heap[(at - 1) >> 1] > time) {
        heap[at] = heap[(at - 1) >> 1];
        at = (at - 1) >> 1;
    }
    heap[at] = time;
}
static __attribute__((noinline)) unsigned take(void) {
    unsigned first = heap[0], last = heap[--size];
    int at = 0;
    for (int child = 1; child < size; child = 2 * at + 1) {
        if (child + 1 < size && heap[child + 1] < heap[child]) child++;
        if (heap[child] >= last) break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = last;
    return first;
}
int main(void) {
    unsigned now = 1000, sum = 0;
    for (int k = 0; k < 30; k++) {
        now = now * 75 % 65537;
        add(now);
        if (k & 1) sum += take();
    }
    while (size) sum ^= take();
    return sum & 0xff;
}
