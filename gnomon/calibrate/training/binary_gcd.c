// Greatest common divisors of ten pairs by shifts and differences.
int main(void) {
    unsigned sum = 0;
    for (unsigned k = 1; k <= 10; k++) {
        unsigned x = 9240u * k + 60u, y = 5544u * k * k + 12u, twos = 0;
        while (!((x | y) & 1u)) x >>= 1, y >>= 1, twos++;
        while (x) {
            while (!(x & 1u)) x >>= 1;
            while (!(y & 1u)) y >>= 1;
            if (x >= y) x = (x - y) >> 1;
            else y = (y - x) >> 1;
        }
        sum += y << twos;
    }
    return sum & 0xff;
}
