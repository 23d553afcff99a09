// Powers modulo a prime of 16 bits: shared keys of two pairs.
static volatile unsigned base = 5;
static __attribute__((noinline)) unsigned power(unsigned x, unsigned exponent) {
    unsigned product = 1;
    for (; exponent; exponent >>= 1) {
        if (exponent & 1) product = product * x % 64997u;
        x = x * x % 64997u;
    }
    return product;
}
int main(void) {
    unsigned equal = 0, a = 101, b = 77;
    for (int k = 0; k < 2; k++) {
        equal += power(power(base, a), b) == power(power(base, b), a);
        a = a * 3 & 0x7f;
        b = b * 5 & 0x7f;
    }
    return (int)equal;
}
