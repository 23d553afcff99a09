// Bytes and words are copied, reversed and compared.
static unsigned char from[48], to[48];
int main(void) {
    for (int k = 0; k < 48; k++) from[k] = (unsigned char)(k * 37);
    int equal = 0;
    for (int round = 0; round < 3; round++) {
        for (int k = 0; k < 12; k++) ((unsigned *)(void *)to)[k] = ((const unsigned *)(const void *)from)[11 - k];
        for (int low = 0, high = 47; low < high; low++, high--) {
            unsigned char kept = to[low];
            to[low] = to[high];
            to[high] = kept;
        }
        for (int k = 0; k < 48; k++) equal += to[k] == from[k];
        from[round]++;
    }
    return equal & 0xff;
}
