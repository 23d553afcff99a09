// A hash of 24 words by additions, rotations and exclusive ors.
static unsigned rotate(unsigned x, int by) { return x << by | x >> (32 - by); }
static volatile unsigned key = 0x3320646eu;
int main(void) {
    unsigned a = 0x61707865u, b = key, c = 0x79622d32u, d = 0x6b206574u;
    for (unsigned k = 0; k < 24; k++) {
        a += b ^ k * 0x9e37u;
        d = rotate(d ^ a, 16);
        c += d;
        b = rotate(b ^ c, 12);
        a += b;
        d = rotate(d ^ a, 8);
        c += d;
        b = rotate(b ^ c, 7);
    }
    return (int)((a ^ b ^ c ^ d) & 0xff);
}
