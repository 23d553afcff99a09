// Greatest common divisors by remainders, of 12 pairs.
int main(void) {
    unsigned a = 360360, b = 30030, sum = 0;
    for (int k = 0; k < 12; k++) {
        unsigned x = a + 77u * k, y = b + 91u * k;
        while (y) {
            unsigned rest = x % y;
            x = y;
            y = rest;
        }
        sum += x;
    }
    return sum & 0xff;
}
