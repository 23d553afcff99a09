#include <stdint.h>

/*
 * The scratchpads of the machine: VCU_SPM_COUNT of VCU_SPM_BYTES each, from address VCU_SPM_BASE
 * up; on the host also VCU_SIMD. Define them yourself, or have gnomon's machine.h do it.
 */
#if !defined(VCU_SPM_COUNT) && defined(__has_include)
#if __has_include("machine.h")
#include "machine.h"
#endif
#endif
#if !defined(VCU_SPM_COUNT) && defined(GNOMON_SPM_COUNT)
#define VCU_SPM_COUNT GNOMON_SPM_COUNT
#define VCU_SPM_BYTES GNOMON_SPM_BYTES
#define VCU_SPM_BASE GNOMON_SPM_BASE
#define VCU_SIMD GNOMON_SIMD
#endif

#if !defined(VCU_SPM_COUNT) || !defined(VCU_SPM_BYTES) || !defined(VCU_SPM_BASE)
#error "vcu.h: define VCU_SPM_COUNT, VCU_SPM_BYTES and VCU_SPM_BASE: the scratchpads of the machine"
#endif
#if VCU_SPM_COUNT < 1 || VCU_SPM_BYTES < 4 || (VCU_SPM_BYTES & (VCU_SPM_BYTES - 1)) != 0
#error "vcu.h: VCU_SPM_COUNT must be at least 1 and VCU_SPM_BYTES a power of two, at least 4"
#endif

/* Address of scratchpad i. Only the instructions below reach it; no pointer does. */
#define VCU_SPM(i) ((uint32_t)(VCU_SPM_BASE) + (uint32_t)(i) * (uint32_t)(VCU_SPM_BYTES))

/* Element width, as MVTYPE takes it. */
enum vcu_type { VCU_8_BIT = 0, VCU_16_BIT = 1, VCU_32_BIT = 2 };
