// Fibonacci numbers by recursion.
static __attribute__((noinline)) int value(int n) { return n < 2 ? n : value(n - 1) + value(n - 2); }
int main(void) { return value(9); }
