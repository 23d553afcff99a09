/* Three multiplications of large numbers per turn of a short loop, REPEATS times. */
#include <stdint.h>

int main(int hart)
{
    (void)hart;
    uint32_t a = 3, b = 5, c = 7; /* odd, as their products are */
    for (int r = 0; r < REPEATS; r++) {
        a *= b;
        b *= c;
        c *= a;
    }
    return (int)((a ^ b ^ c) & 0x7fffffff);
}
