// Counts of 64 bytes by their high bits, and the fullest bin.
static unsigned char bytes[64];
static int bins[16];
int main(void) {
    unsigned state = 1;
    for (int k = 0; k < 64; k++) {
        state = state << 1 ^ (state & 0x80 ? 0x11d : 0);
        bytes[k] = (unsigned char)state;
    }
    for (int k = 0; k < 64; k++) bins[bytes[k] >> 4]++;
    int fullest = 0;
    for (int k = 1; k < 16; k++) fullest = bins[k] > bins[fullest] ? k : fullest;
    return fullest * 16 + bins[fullest];
}
