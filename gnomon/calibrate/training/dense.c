// Two scalar products of 16 dense words in 64-bit sums.
static int left[16], right[16];
int main(void) {
    unsigned next = 2463534242u;
    for (int k = 0; k < 16; k++) {
        next ^= next << 13, next ^= next >> 17, next ^= next << 5;
        left[k] = (int)next;
        right[k] = (int)~(next << 7 ^ next >> 11);
    }
    long long sum = 0;
    for (int k = 0; k < 16; k++) sum += (long long)left[k] * right[k] >> 8;
    for (int k = 0; k < 16; k++) sum -= (long long)left[k] * right[15 - k] >> 8;
    return (int)(sum >> 32 ^ sum) & 0xff;
}
