#include "fx_rank_vector.h"
#include "invert_symmetric/invert_symmetric.h"
#include "multiply/multiply.h"
#include "multiply_transposed/multiply_transposed.h"
#include "woodbury.h"

enum fx_status fx_woodbury_vector_floor_checked(const fx_t *a, const fx_t *u, fx_t *out,
                                                fx_t *work, uint32_t n, uint32_t rank)
{
    fx_t *const v = work, *const w = v + n * rank, *const s = w + n * rank;
    enum fx_status status = rank >= FX_SPM_WORDS / 2u ? FX_TOO_LARGE : FX_OK;
    if (status == FX_OK) {
        fx_multiply_transposed_vector_floor_wrap(u, a, v, rank, n, n);
        fx_multiply_transposed_vector_floor_wrap(u, v, s, rank, n, rank);
        for (uint32_t l = 0; l < rank; ++l) {
            s[l * rank + l] = fx_add_wrap(s[l * rank + l], FX_ONE);
        }
        status = fx_invert_symmetric_scalar_floor_checked(s, s, s + rank * rank, rank);
    }
    if (status != FX_OK) {
        for (uint32_t i = 0; a != out && i < n * n; ++i) {
            out[i] = a[i];
        }
        return status;
    }
    fx_multiply_vector_floor_wrap(s, v, w, rank, rank, n);
    const struct fx_rank_update update = {
        .a = a,
        .left = w,
        .right = v,
        .out = out,
        .rows = n,
        .columns = n,
        .rank = rank,
        .subtract = 1,
    };
    fx_rank_update_vector(&update);
    return FX_OK;
}
