// A Walsh-Hadamard transform of 32 words and its energy.
static int values[32];
static volatile int step = 73;
int main(void) {
    for (int k = 0; k < 32; k++) values[k] = (k * step & 63) - 32;
    for (int half = 1; half < 32; half <<= 1)
        for (int block = 0; block < 32; block += 2 * half)
            for (int k = block; k < block + half; k++) {
                int a = values[k], b = values[k + half];
                values[k] = a + b;
                values[k + half] = a - b;
            }
    unsigned sum = 0;
    for (int k = 0; k < 32; k++) sum += (unsigned)(values[k] < 0 ? -values[k] : values[k]);
    return (int)(sum & 0xff);
}
