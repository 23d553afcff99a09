/* A first program, to change: gnomon run program.c --arch MACHINE */
#include <stdint.h>

enum { LENGTH = 64 };

static int32_t a[LENGTH], b[LENGTH];

int main(int hart)
{
    int32_t sum = 0;
    for (int i = 0; i < LENGTH; ++i) {
        a[i] = i;
        b[i] = LENGTH - i;
    }
    for (int i = 0; i < LENGTH; ++i) {
        sum += a[i] * b[i];
    }
    return hart == 0 ? sum : 0; /* what hart 0 returns is the exit code */
}
