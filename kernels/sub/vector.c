#include "fx_elementwise.h"
#include "sub.h"

void fx_sub_vector_wrap(const fx_t *a, const fx_t *b, fx_t *out, uint32_t count)
{
    fx_elementwise(a, b, out, count, 1);
}
