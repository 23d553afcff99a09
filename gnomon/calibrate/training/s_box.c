// Four rounds of substitution and rotation of 16 bytes, by a box of 64 entries.
static const unsigned char box[64] = {
    9,  52, 33, 14, 60, 21, 2,  47, 38, 57, 11, 28, 0,  43, 19, 62, 25, 6,  50, 35, 12, 59,
    41, 22, 5,  30, 55, 16, 48, 1,  36, 63, 27, 8,  45, 20, 58, 3,  31, 54, 13, 40, 61, 24,
    7,  49, 34, 10, 56, 23, 42, 15, 29, 4,  51, 37, 18, 46, 26, 53, 32, 17, 44, 39};
static unsigned char state[16];
int main(void) {
    for (int k = 0; k < 16; k++) state[k] = (unsigned char)(k * 29 + 101);
    for (int round = 0; round < 4; round++) {
        unsigned char carried = state[15];
        for (int k = 0; k < 16; k++) {
            unsigned char mixed = box[(state[k] ^ round) & 63];
            state[k] = (unsigned char)(mixed ^ carried << 1 ^ carried >> 7);
            carried = mixed;
        }
    }
    unsigned sum = 0;
    for (int k = 0; k < 16; k++) sum = sum * 3 + state[k];
    return sum & 0xff;
}
