#include <stdint.h>

#if !defined(VCU_SPM_COUNT) || !defined(VCU_SPM_BYTES) || !defined(VCU_SPM_BASE)
#error "vcu.h: define VCU_SPM_COUNT, VCU_SPM_BYTES and VCU_SPM_BASE: the scratchpads of the machine"
#endif
#if VCU_SPM_COUNT < 1 || VCU_SPM_BYTES < 4 || (VCU_SPM_BYTES & (VCU_SPM_BYTES - 1)) != 0
#error "vcu.h: VCU_SPM_COUNT must be at least 1 and VCU_SPM_BYTES a power of two, at least 4"
#endif

/* Address of scratchpad i. Only the instructions below reach it; a pointer to it is useless. */
#define VCU_SPM(i) ((uint32_t)(VCU_SPM_BASE) + (uint32_t)(i) * (uint32_t)(VCU_SPM_BYTES))

/* Element width, as MVTYPE takes it. */
enum vcu_type { VCU_8_BIT = 0, VCU_16_BIT = 1, VCU_32_BIT = 2 };
