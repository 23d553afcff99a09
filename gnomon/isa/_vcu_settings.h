#include <stdint.h>

/* 1 with a vector unit. Without one it is 0, and each function below is an error if it is used. */
#define VCU_AVAILABLE 1

/*
 * The scratchpads of the machine: VCU_SPM_COUNT of VCU_SPM_BYTES each, from address VCU_SPM_BASE
 * up; on the host also VCU_SIMD. Define them, or include gnomon's machine.h.
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
#ifdef GNOMON_VCU_HAS_KDIV
#define VCU_HAS_DIVIDE 1
#endif
#ifdef GNOMON_VCU_HAS_KPS
#define VCU_HAS_POSTSCALE 1
#endif
#ifdef GNOMON_VCU_HAS_KDIVPS
#define VCU_HAS_DIVIDE_PRESHIFT 1
#endif
#ifdef GNOMON_VCU_POSTSCALE_SHIFT
#define VCU_POSTSCALE_SHIFT GNOMON_VCU_POSTSCALE_SHIFT
#endif
#ifdef GNOMON_VCU_DIVIDE_BY_ZERO_RISCV
#define VCU_DIVIDE_BY_ZERO_RISCV GNOMON_VCU_DIVIDE_BY_ZERO_RISCV
#endif
#endif

/* Optional instructions of the machine, which the public T13x does not have. */
#ifndef VCU_HAS_DIVIDE
#define VCU_HAS_DIVIDE 0
#endif
#ifndef VCU_HAS_POSTSCALE
#define VCU_HAS_POSTSCALE 0
#endif
#ifndef VCU_HAS_DIVIDE_PRESHIFT
#define VCU_HAS_DIVIDE_PRESHIFT 0
#endif

/* The toolchain has the name ksvmulpsrf; the published text has kvmulpsrf. */
#if VCU_HAS_POSTSCALE
#define kvmulpsrf ksvmulpsrf
#endif

/* Right shift of the post-scaled products, 0 to 31; -1 = the value of MPSCLFAC. */
#ifndef VCU_POSTSCALE_SHIFT
#define VCU_POSTSCALE_SHIFT 15
#endif
#if VCU_POSTSCALE_SHIFT < -1 || VCU_POSTSCALE_SHIFT > 31
#error "vcu.h: VCU_POSTSCALE_SHIFT must be 0 to 31, or -1 for MPSCLFAC"
#endif

/* x / 0: 0 = 0, and 0 as the remainder; 1 = as in RISC-V, -1 and x. */
#ifndef VCU_DIVIDE_BY_ZERO_RISCV
#define VCU_DIVIDE_BY_ZERO_RISCV 0
#endif

#if !defined(VCU_SPM_COUNT) || !defined(VCU_SPM_BYTES) || !defined(VCU_SPM_BASE)
#error "vcu.h: define VCU_SPM_COUNT, VCU_SPM_BYTES and VCU_SPM_BASE: the scratchpads of the machine"
#endif
#if VCU_SPM_COUNT < 1 || VCU_SPM_BYTES < 4 || (VCU_SPM_BYTES & (VCU_SPM_BYTES - 1)) != 0
#error "vcu.h: VCU_SPM_COUNT must be at least 1 and VCU_SPM_BYTES a power of two, at least 4"
#endif

/* Address of scratchpad i. Only the instructions below can access it, not pointers. */
#define VCU_SPM(i) ((uint32_t)(VCU_SPM_BASE) + (uint32_t)(i) * (uint32_t)(VCU_SPM_BYTES))

/* Element width, as MVTYPE takes it. */
enum vcu_type { VCU_8_BIT = 0, VCU_16_BIT = 1, VCU_32_BIT = 2 };
