#include "fx_exp_vector.h"
#include "exp.h"

#define IN_RANGE (VCU_SPM(3) + VCU_SPM_BYTES - 4u) /* one word: how many */

enum fx_status fx_exp_vector_nearest_checked(const fx_t *a, fx_t *out, uint32_t count)
{
    static volatile uint32_t in_range;
    uint32_t found = 0;
    vcu_set_mvtype(VCU_32_BIT);
    for (uint32_t done = 0; done < count;) {
        const uint32_t most = FX_SPM_WORDS - 1u;
        const uint32_t words = count - done < most ? count - done : most;
        kmemld(FX_EXP_Y, a + done, 4u * words);
        vcu_set_mvsize(4u * words);
        ksvslt(FX_EXP_MASK, FX_EXP_Y, 1u);
        kvred(IN_RANGE, FX_EXP_MASK);
        fx_exp_chunk();
        kmemstr((void *)(uintptr_t)&in_range, IN_RANGE, 4u);
        kmemstr(out + done, FX_EXP_PRODUCT, 4u * words);
        found += in_range;
        done += words;
    }
    return found == count ? FX_OK : FX_UNDEFINED;
}
