// A filter of four taps in Q16.15 over 8 samples.
static int samples[12], taps[4] = {1200, -3400, 21000, 5600};
static volatile int first = 30000;
int main(void) {
    for (int k = 0; k < 12; k++) samples[k] = (k * 5923 & 0xffff) - first;
    int peak = 0;
    for (int at = 0; at < 8; at++) {
        long long sum = 0;
        for (int k = 0; k < 4; k++) sum += (long long)taps[k] * samples[at + k];
        int out = (int)(sum >> 15);
        if (out > peak) peak = out;
    }
    return peak & 0xff;
}
