#include "fx_elementwise.h"
#include "add.h"

void fx_add_vector_wrap(const fx_t *a, const fx_t *b, fx_t *out, uint32_t count)
{
    fx_elementwise(a, b, out, count, 0);
}
