/* Scalar integer work with long inner loops: 48 x 48 matrix product, REPEATS times. */
#include <stdint.h>

#define N 48

static int32_t a[N][N], b[N][N], c[N][N];

int main(int hart)
{
    (void)hart;
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            a[i][j] = 7 * i - 3 * j + 1;
            b[i][j] = 5 * j - 2 * i + 1;
        }
    }
    uint32_t sum = 0;
    for (int r = 0; r < REPEATS; r++) {
        for (int i = 0; i < N; i++) {
            for (int j = 0; j < N; j++) {
                int32_t dot = 0;
                for (int k = 0; k < N; k++) {
                    dot += a[i][k] * b[k][j];
                }
                c[i][j] = dot;
            }
        }
        a[r % N][r % 7] += c[3][r % N];
        sum = 31 * sum + (uint32_t)c[r % N][5];
    }
    return (int)(sum & 0x7fffffff);
}
