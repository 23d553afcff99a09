// Primes below 120 by a sieve of bytes.
static unsigned char crossed[120];
int main(void) {
    int primes = 0;
    for (int k = 2; k < 120; k++) {
        if (crossed[k]) continue;
        primes++;
        for (int at = k + k; at < 120; at += k) crossed[at] = 1;
    }
    return primes;
}
