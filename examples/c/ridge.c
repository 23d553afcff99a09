/*
 * Ridge regression: (X'X + l) w = X'y, by Gauss-Seidel steps. Numbers have 10 fraction bits, X lies
 * column by column. The vector version makes X'X and X'y.
 */
#include "gallery.h"

#define ROWS 96
#define COLUMNS 8
#define STEPS 12
#define RIDGE (4 << 10)
static int x[COLUMNS + 1][ROWS]; /* the last column is y */
static int gram[COLUMNS][COLUMNS + 1], w[COLUMNS];

static void products(void)
{
#if VECTOR
    vcu_set_mvtype(VCU_32_BIT);
    vcu_set_mvsize(sizeof x[0]);
    kmemld(VCU_SPM(0), x, sizeof x);
    kmemld(VCU_SPM(1), x, sizeof x);
    for (unsigned i = 0; i < COLUMNS; i++)
        for (unsigned j = 0; j <= COLUMNS; j++)
            kdotp(VCU_SPM(2) + 4 * ((COLUMNS + 1) * i + j), VCU_SPM(0) + sizeof x[0] * i,
                  VCU_SPM(1) + sizeof x[0] * j);
    kmemstr(gram, VCU_SPM(2), sizeof gram);
#else
    for (int i = 0; i < COLUMNS; i++)
        for (int j = 0; j <= COLUMNS; j++) {
            int sum = 0;
            for (int k = 0; k < ROWS; k++) sum += x[i][k] * x[j][k];
            gram[i][j] = sum;
        }
#endif
}

GNOMON_REGION void work(void)
{
    products();
    for (int i = 0; i < COLUMNS; i++) {
        for (int j = 0; j <= COLUMNS; j++) gram[i][j] >>= 10;
        gram[i][i] += RIDGE;
    }
    for (int step = 0; step < STEPS; step++)
        for (int i = 0; i < COLUMNS; i++) {
            int rest = gram[i][COLUMNS] << 10;
            for (int j = 0; j < COLUMNS; j++)
                if (j != i) rest -= gram[i][j] * w[j];
            w[i] = rest / gram[i][i];
        }
}

int main(void)
{
    unsigned seed = 6;
    for (int k = 0; k < ROWS; k++) {
        x[COLUMNS][k] = draw(&seed, 64);
        for (int i = 0; i < COLUMNS; i++) {
            x[i][k] = draw(&seed, 1024);
            x[COLUMNS][k] += (i - 4) * x[i][k] / 4; /* what is to be found, beside noise */
        }
    }
    work();
    for (int i = 0; i < COLUMNS; i++) printf("%d ", w[i]);
    return 0;
}
