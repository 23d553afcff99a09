/* Products that are shifted by 15, and roots of reciprocals, on operands that come with the program. */
#include "fx_inverse_root.h"
#include "fx_postscale.h"
#include "gnomon.h"

enum { WORDS = 24, BYTES = 4 * WORDS };

struct {
    fx_t wide[WORDS], narrow[WORDS], number;
    uint32_t value, bits;
} inputs;

struct {
    fx_t scaled[WORDS], dots[2];
    struct fx_inverse_root root;
} outputs;

void run_once(void)
{
    const struct fx_postscale_vector v = {VCU_SPM(0), VCU_SPM(1), VCU_SPM(2)};
    const uint32_t narrow = VCU_SPM(3), result = narrow + BYTES, low = VCU_SPM(2) + BYTES;
    const uint32_t term = VCU_SPM(1) + BYTES;
    kmemld(v.whole, inputs.wide, BYTES);
    kmemld(narrow, inputs.narrow, BYTES);
    vcu_set_mvtype(VCU_32_BIT);
    vcu_set_mvsize(BYTES);
    fx_postscale_set_shift();
    fx_postscale_split(v);
    /* Lower words once in another scratchpad than the upper ones, once in the same. */
    fx_postscale_dot(result, low, term, v, narrow);
    vcu_set_mvsize(4u);
    fx_postscale_join(result, low, low);
    vcu_set_mvsize(BYTES);
    fx_postscale_dot(result + 4u, result + 8u, term, v, narrow);
    vcu_set_mvsize(4u);
    fx_postscale_join(result + 4u, result + 8u, low);
    kmemstr(outputs.dots, result, 8u);
    vcu_set_mvsize(BYTES);
    fx_postscale_number(result, low, v, inputs.number);
    kmemstr(outputs.scaled, result, BYTES);
    outputs.root = fx_inverse_root(inputs.value, fx_leading_zeros(inputs.value), inputs.bits);
}

#if !__STDC_HOSTED__
int main(int hart)
{
    (void)hart;
    run_once();
    return 0;
}
#endif
