/*
 * Host: the same functions, computed bit by bit as the hardware does. One context, no harts;
 * all translation units of a program share it. Scratchpads start as zeros (in the hardware their
 * contents are undefined), MVSIZE 0, MVTYPE 32 bit, MPSCLFAC 0.
 *
 * What the hardware would trap, and what its timing would decide, is never computed: it calls
 * vcu_host_fault(code) and the instruction has no effect. The default prints and aborts. To do
 * something else, define `void vcu_host_fault(uint32_t code)` in a source file of your own that
 * does not include this header.
 *
 * Division and post-scaled products give the intended results: a machine whose file asks for
 * the defects of the public Morph RTL differs.
 *
 * One file, as vcu.h is: a program needs no other to run on a computer.
 *
 * Limits: no quirk that needs more than one hart. With VCU_SPM_COUNT < 4 the hardware does not
 * notice addresses outside the scratchpads; here they are faults.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if !defined(VCU_SIMD) || (VCU_SIMD != 1 && VCU_SIMD != 2 && VCU_SIMD != 4 && VCU_SIMD != 8)
#error "vcu.h: define VCU_SIMD as 1, 2, 4 or 8: sums of 8 and 16 bit elements depend on it"
#endif
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "vcu.h: the host emulation needs a little-endian host"
#endif

#define VCU_HOST_INLINE static inline __attribute__((always_inline))

/* Codes of vcu_host_fault. Below 0x1000: what mcause would hold. From 0x1000: this host only. */
enum vcu_fault {
    VCU_FAULT_LOAD_MISALIGNED = 4,
    VCU_FAULT_STORE_MISALIGNED = 6,
    VCU_FAULT_SIZE = 0x100,
    VCU_FAULT_NOT_SCRATCHPAD = 0x101,
    VCU_FAULT_OVERRUN = 0x102,
    VCU_FAULT_SAME_SCRATCHPAD = 0x103,
    VCU_HOST_UNALIGNED = 0x1000,
    VCU_HOST_OVERLAP = 0x1001,
    VCU_HOST_SCALAR = 0x1002,
    VCU_HOST_TYPE = 0x1003,
    VCU_HOST_SIZE = 0x1004,
    VCU_HOST_NARROW = 0x1005
};

struct vcu_host_registers {
    uint32_t mvsize_bytes;
    uint32_t mvtype;
    uint32_t mpsclfac;
    const char *instruction; /* the last one executed, for messages */
};

__attribute__((weak)) struct vcu_host_registers vcu_host = {0, VCU_32_BIT, 0, "none"};
__attribute__((weak)) uint32_t vcu_host_spm[VCU_SPM_COUNT][VCU_SPM_BYTES / 4];

static inline const char *vcu_host_fault_text(uint32_t code)
{
    switch (code) {
    case VCU_FAULT_LOAD_MISALIGNED: return "memory address to load from is not word aligned";
    case VCU_FAULT_STORE_MISALIGNED: return "memory address to store to is not word aligned";
    case VCU_FAULT_SIZE: return "MVSIZE is not a multiple of the element size";
    case VCU_FAULT_NOT_SCRATCHPAD: return "address is not in a scratchpad";
    case VCU_FAULT_OVERRUN: return "vector runs past the end of its scratchpad";
    case VCU_FAULT_SAME_SCRATCHPAD: return "both source vectors are in the same scratchpad";
    case VCU_HOST_UNALIGNED: return "scratchpad address is not word aligned: no trap, wrong data";
    case VCU_HOST_OVERLAP: return "result overwrites source words still to be read";
    case VCU_HOST_SCALAR:
        return "scalar is outside the scratchpads, or in that of the vector: no trap, wrong data";
    case VCU_HOST_TYPE: return "MVTYPE 3 is undefined";
    case VCU_HOST_SIZE: return "size beyond what the hardware checks: no trap, wrong data";
    case VCU_HOST_NARROW: return "division and post-scaled products take 32-bit elements only";
    default: return "unknown code";
    }
}

__attribute__((weak)) void vcu_host_fault(uint32_t code);
__attribute__((weak)) void vcu_host_fault(uint32_t code)
{
    fprintf(stderr, "vcu: %s: %s (code 0x%x, MVSIZE %u, MVTYPE %u)\n", vcu_host.instruction,
            vcu_host_fault_text(code), (unsigned)code, (unsigned)vcu_host.mvsize_bytes,
            (unsigned)vcu_host.mvtype);
    abort();
}

/* Number of the scratchpad, or VCU_SPM_COUNT. With 5 to 7 of them the hardware's code for
 * "none" is that of scratchpad 4. */
VCU_HOST_INLINE uint32_t vcu_host_scratchpad(uint32_t address)
{
    const uint32_t offset = address - (uint32_t)(VCU_SPM_BASE);
    const uint32_t index = offset / (uint32_t)(VCU_SPM_BYTES);
    if (index >= VCU_SPM_COUNT || (VCU_SPM_COUNT > 4 && VCU_SPM_COUNT < 8 && index == 4)) {
        return VCU_SPM_COUNT;
    }
    return index;
}

VCU_HOST_INLINE uint32_t vcu_host_offset(uint32_t address)
{
    return (address - (uint32_t)(VCU_SPM_BASE)) & ((uint32_t)(VCU_SPM_BYTES)-1);
}

VCU_HOST_INLINE uint32_t *vcu_host_word(uint32_t address)
{
    return &vcu_host_spm[vcu_host_scratchpad(address)][vcu_host_offset(address) / 4];
}

VCU_HOST_INLINE uint32_t vcu_host_words(uint32_t bytes)
{
    return (bytes + 3) / 4;
}

/* ---- transfers ---------------------------------------------------------------------------- */

/* Checks in the order of the hardware, whose overrun check sees the low bits of the size only. */
static inline uint32_t vcu_host_check_transfer(uint32_t spm, uintptr_t memory, uint32_t bytes,
                                               uint32_t misaligned)
{
    const uint32_t size = VCU_SPM_BYTES;
    if (vcu_host_scratchpad(spm) == VCU_SPM_COUNT) return VCU_FAULT_NOT_SCRATCHPAD;
    if ((memory & 3) != 0) return misaligned;
    if (vcu_host_offset(spm) + ((bytes - 1) & (size - 1)) >= size) return VCU_FAULT_OVERRUN;
    return bytes > size ? VCU_HOST_SIZE : 0;
}

/* The bytes above the end of a partial last word are those of the word before it. Of a single
 * partial word they are left-overs in the hardware; 0xa5 here, so that using them shows. */
static inline void vcu_host_load(uint32_t spm, const void *memory, uint32_t bytes)
{
    bytes &= 2 * (uint32_t)(VCU_SPM_BYTES)-1;
    if (bytes == 0) return;
    const uint32_t code =
        vcu_host_check_transfer(spm, (uintptr_t)memory, bytes, VCU_FAULT_LOAD_MISALIGNED);
    if (code != 0) {
        vcu_host_fault(code);
        return;
    }
    uint32_t *words = vcu_host_word(spm);
    const uint32_t full = bytes / 4;
    memcpy(words, memory, (size_t)full * 4);
    if (bytes % 4 != 0) {
        uint32_t last = full > 0 ? words[full - 1] : 0xa5a5a5a5u;
        memcpy(&last, (const char *)memory + (size_t)full * 4, bytes % 4);
        words[full] = last;
    }
}

static inline void vcu_host_store(void *memory, uint32_t spm, uint32_t bytes)
{
    bytes &= 2 * (uint32_t)(VCU_SPM_BYTES)-1;
    if (bytes == 0) return;
    const uint32_t code =
        vcu_host_check_transfer(spm, (uintptr_t)memory, bytes, VCU_FAULT_STORE_MISALIGNED);
    if (code != 0) {
        vcu_host_fault(code);
        return;
    }
    memcpy(memory, vcu_host_word(spm), (size_t)vcu_host_words(bytes) * 4);
}
