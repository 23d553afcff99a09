#include "once_exp.h"

#undef FX_FRACTION_BITS
#define FX_FRACTION_BITS 24
#define fx_exp_of_minus once_exp_of_size
#include "fx_exp.c"

fx_t once_exp_of_minus(int64_t size)
{
    return once_exp_of_size(size < 0 ? 0 : size > INT32_MAX ? INT32_MAX : (uint32_t)size);
}
