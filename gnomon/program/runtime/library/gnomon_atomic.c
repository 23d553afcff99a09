/*
 * What compilers call for C11 atomics where there is no A extension. A hart performs its accesses
 * in the order of the program, each at once, so aligned loads and stores are atomic on every
 * machine; words are exchanged by amoswap.w, which the T13 has. Nothing else is here: what a
 * machine cannot do in one step does not link.
 */
#include <stdint.h>

#include "gnomon.h"

#define WEAK __attribute__((weak))
#define LOAD_AND_STORE(size, type)                                              \
    WEAK type __atomic_load_##size(const volatile void *from, int order) {      \
        (void)order;                                                            \
        return *(const volatile type *)from;                                    \
    }                                                                           \
    WEAK void __atomic_store_##size(volatile void *to, type value, int order) { \
        (void)order;                                                            \
        *(volatile type *)to = value;                                           \
    }

LOAD_AND_STORE(1, uint8_t)
LOAD_AND_STORE(2, uint16_t)
LOAD_AND_STORE(4, uint32_t)

#if GNOMON_CORE_T13
WEAK uint32_t __atomic_exchange_4(volatile void *place, uint32_t value, int order) {
    (void)order;
    return gnomon_swap(place, value);
}

/* The older name of GCC. */
WEAK uint32_t gnomon_lock(volatile void *place, uint32_t value) __asm__(
    "__sync_lock_test_and_set_4");
uint32_t gnomon_lock(volatile void *place, uint32_t value) { return gnomon_swap(place, value); }
#endif
