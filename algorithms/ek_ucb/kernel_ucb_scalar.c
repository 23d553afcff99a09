/* Rows times a vector on the scalar core: a triangle takes half of the products. */
#include "kernel_ucb.h"

static inline void rows_times(fx_t a[MOST][MOST], const fx_t *x, fx_t *out, int whole)
{
    const uint32_t m = learner_model.anchors;
    for (uint32_t i = 0; i < m; ++i) {
        out[i] = fx_wide_floor_wrap(fx_wide_dot(0, a[i], x, whole ? m : i + 1));
    }
}
