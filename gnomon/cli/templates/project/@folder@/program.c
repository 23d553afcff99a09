/* An example program to edit: gnomon run program.c --arch MACHINE */
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
    return hart == 0 ? sum : 0; /* the exit code is the return value of hart 0 */
}
