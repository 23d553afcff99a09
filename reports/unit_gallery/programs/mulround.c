/* A rank-one update of a 16 x 16 matrix in 32 bits: A -= v v^T / 2^32, each product rounded. */
#include "data.h"

enum { N = 16, UPDATES = 4 };
static int32_t matrix[N][N], vectors[UPDATES][N];

static inline int32_t less_product(int32_t from, int32_t a, int32_t b)
{
#ifdef UNIT_HAS_MULRS
    return (int32_t)mulrs((uint32_t)from, (uint32_t)a, (uint32_t)b);
#else
    return (int32_t)((uint32_t)from - (uint32_t)(((int64_t)a * b + 0x80000000ll) >> 32));
#endif
}

GNOMON_REGION void work(void)
{
    for (int u = 0; u < UPDATES; u++) {
        const int32_t *const v = vectors[u];
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) matrix[i][j] = less_product(matrix[i][j], v[i], v[j]);
    }
}

int main(void)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) matrix[i][j] = draw_signed(30);
    for (int u = 0; u < UPDATES; u++)
        for (int i = 0; i < N; i++) vectors[u][i] = draw_signed(30);
    work();
    print_check(matrix, N * N);
    return 0;
}
