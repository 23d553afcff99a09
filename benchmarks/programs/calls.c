/* Many short calls: the hardest program for a profile that follows them. */

static volatile int seed = 1;

static int __attribute__((noinline)) leaf(int n) { return n * 3 + 1; }

static int __attribute__((noinline)) fib(int n)
{
    return n < 2 ? leaf(n) : fib(n - 1) + fib(n - 2);
}

int main(int hart)
{
    int sum = hart + seed;
    for (int k = 0; k < REPEATS; k++) sum += fib(14 + seed);
    return sum;
}
