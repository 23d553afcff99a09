/* Each element is one dot product. The columns of u are stored a second time, as rows of the
 * workspace: two pointers then walk through memory word by word, and offsets are constants. */
#include "fx_solve.h"
#include "lu.h"

enum fx_status fx_lu_scalar_floor_checked(const fx_t *a, fx_t *out, fx_t *work, uint32_t n)
{
    struct fx_range range = {0, 0};
    uint32_t failed = FX_OK;
    fx_t *row = out;
    for (uint32_t i = 0; i < n; ++i, a += n, row += n) {
        fx_t *column = work;
        for (uint32_t j = 0; j < i; ++j, column += n) {
            row[j] = fx_solve_row(a[j], row, column, j, column[j], &range, &failed);
        }
        for (uint32_t j = i; j < n; ++j, column += n) {
            row[j] = fx_wide_floor(fx_wide(a[j]) - fx_wide_dot(0, row, column, i), &range);
            column[i] = row[j];
        }
        enum fx_status status = fx_solve_status(&range, n, failed);
        const fx_t pivot = row[i];
        if ((uint32_t)(pivot ^ (pivot >> 31)) <= fx_pivot_error(work + i * n, i)) {
            status = FX_SINGULAR;
        }
        if (status != FX_OK) {
            fx_clear(out, n * n);
            return status;
        }
    }
    return FX_OK;
}
