// Square roots of ten numbers, bit by bit.
static volatile unsigned step = 19088743u;
int main(void) {
    unsigned sum = 0;
    for (unsigned k = 1; k <= 10; k++) {
        unsigned rest = k * step, root = 0;
        for (unsigned bit = 1u << 30; bit; bit >>= 2) {
            if (rest >= root + bit) {
                rest -= root + bit;
                root = (root >> 1) + bit;
            } else
                root >>= 1;
        }
        sum += root;
    }
    return sum & 0xff;
}
