/* Scalar work on every hart: each multiplies its own 32 x 32 matrices, REPEATS times. */
#include <stdint.h>

#include "gnomon.h"

#define N 32

static int32_t a[GNOMON_ACTIVE_HARTS][N][N], b[GNOMON_ACTIVE_HARTS][N][N];
static int32_t c[GNOMON_ACTIVE_HARTS][N][N];
static volatile uint32_t result[GNOMON_ACTIVE_HARTS], done[GNOMON_ACTIVE_HARTS];

static uint32_t work(int hart)
{
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            a[hart][i][j] = 7 * i - 3 * j + hart;
            b[hart][i][j] = 5 * j - 2 * i + 1;
        }
    }
    uint32_t sum = 0;
    for (int r = 0; r < REPEATS; r++) {
        for (int i = 0; i < N; i++) {
            for (int j = 0; j < N; j++) {
                int32_t dot = 0;
                for (int k = 0; k < N; k++) {
                    dot += a[hart][i][k] * b[hart][k][j];
                }
                c[hart][i][j] = dot;
            }
        }
        a[hart][r % N][r % 7] += c[hart][3][r % N];
        sum = 31 * sum + (uint32_t)c[hart][r % N][5];
    }
    return sum;
}

int main(int hart)
{
    result[hart] = work(hart);
    done[hart] = 1;
    uint32_t sum = 0;
    for (int h = 0; hart == 0 && h < GNOMON_ACTIVE_HARTS; h++) {
        while (!done[h]) { /* the program ends when hart 0 returns */
        }
        sum = 31 * sum + result[h];
    }
    return (int)(sum & 0x7fffffff);
}
