// Twenty searches by halving in 64 words.
static int words[64];
int main(void) {
    for (int k = 0; k < 64; k++) words[k] = k * k - 900;
    int found = 0;
    for (int wanted = -900; wanted < 1100; wanted += 100) {
        int low = 0, high = 64;
        while (low < high) {
            int middle = (low + high) >> 1;
            if (words[middle] < wanted) low = middle + 1;
            else high = middle;
        }
        found += low;
    }
    return found & 0xff;
}
