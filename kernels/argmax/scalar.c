/* A number that is not larger takes a load and a branch; one loop iteration reads four. */
#include "argmax.h"

void fx_argmax_scalar_exact(const fx_t *a, fx_t *index, uint32_t count)
{
    const fx_t *at = a, *largest = a;
    const fx_t *const end = a + count;
    fx_t value = count != 0 ? *a : 0;
    for (; end - at >= 4; at += 4) {
        for (uint32_t k = 0; k < 4u; ++k) {
            if (at[k] > value) {
                value = at[k];
                largest = at + k;
            }
        }
    }
    for (; at != end; ++at) {
        if (*at > value) {
            value = *at;
            largest = at;
        }
    }
    *index = (fx_t)(largest - a);
}
