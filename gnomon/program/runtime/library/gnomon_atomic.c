/*
 * Functions that compilers call for C11 atomics without the A extension. A hart performs its
 * accesses in program order, each in one step, so aligned loads and stores are atomic on every
 * machine. Words are exchanged by amoswap.w, which the T13 has. Operations that a machine cannot
 * perform in one step are absent, so they do not link.
 */
#include <stddef.h>
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

/* Called by clang for an assignment. No linker sees the size, so a wide one ends the run. */
static void move(size_t size, volatile void *to, const volatile void *from, const void *caller) {
    if (size == 1) {
        *(volatile uint8_t *)to = *(const volatile uint8_t *)from;
    } else if (size == 2) {
        *(volatile uint16_t *)to = *(const volatile uint16_t *)from;
    } else if (size == 4) {
        *(volatile uint32_t *)to = *(const volatile uint32_t *)from;
    } else {
        for (const char *text = "atomics: no access of more than 4 bytes in one step\n"; *text;)
            gnomon_put(*text++);
        *(volatile uint32_t *)GNOMON_PRINT_ADDRESS = GNOMON_ABORTED;
        *(volatile uint32_t *)GNOMON_PRINT_ADDRESS = (uint32_t)(uintptr_t)caller - 4;
        gnomon_exit((int)(0xDEAD0000u | GNOMON_ABORTED));
    }
}

WEAK void gnomon_load(size_t size, const volatile void *from, void *to, int order) __asm__(
    "__atomic_load");
void gnomon_load(size_t size, const volatile void *from, void *to, int order) {
    (void)order;
    move(size, to, from, __builtin_return_address(0));
}

WEAK void gnomon_store(size_t size, volatile void *to, const void *from, int order) __asm__(
    "__atomic_store");
void gnomon_store(size_t size, volatile void *to, const void *from, int order) {
    (void)order;
    move(size, to, from, __builtin_return_address(0));
}

#if GNOMON_CORE_T13
WEAK uint32_t __atomic_exchange_4(volatile void *place, uint32_t value, int order) {
    (void)order;
    return gnomon_swap(place, value);
}

/* The older name in GCC. */
WEAK uint32_t gnomon_lock(volatile void *place, uint32_t value) __asm__(
    "__sync_lock_test_and_set_4");
uint32_t gnomon_lock(volatile void *place, uint32_t value) { return gnomon_swap(place, value); }
#endif
