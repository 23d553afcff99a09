// Insertion sort of 24 words.
static int words[24];
int main(void) {
    unsigned next = 12345;
    for (int k = 0; k < 24; k++, next = next * 1103515245u + 12345u) words[k] = (int)next >> 8;
    for (int k = 1; k < 24; k++) {
        int word = words[k], at = k;
        for (; at > 0 && words[at - 1] > word; at--) words[at] = words[at - 1];
        words[at] = word;
    }
    int rising = 1;
    for (int k = 1; k < 24; k++) rising &= words[k - 1] <= words[k];
    return rising;
}
