/*
 * C11 atomics. The T13 has only amoswap.w: words are loaded, stored and exchanged, and a flag is a
 * word here, so that it can be set. Machines of core.model inorder, which have one hart, load and
 * store. Any other operation, such as atomic_fetch_add, does not link: guard it by a flag.
 */
#ifndef GNOMON_STDATOMIC_H
#define GNOMON_STDATOMIC_H

#if __STDC_HOSTED__
#include_next <stdatomic.h>
#else

#define atomic_flag gnomon_narrow_flag
#include_next <stdatomic.h>
#undef atomic_flag
#undef ATOMIC_FLAG_INIT
#undef atomic_flag_test_and_set
#undef atomic_flag_test_and_set_explicit
#undef atomic_flag_clear
#undef atomic_flag_clear_explicit

typedef struct { volatile unsigned word; } atomic_flag;

#define ATOMIC_FLAG_INIT {0}
#define atomic_flag_test_and_set_explicit(flag, order) \
    (__atomic_exchange_n(&(flag)->word, 1u, order) != 0)
#define atomic_flag_test_and_set(flag) atomic_flag_test_and_set_explicit(flag, __ATOMIC_SEQ_CST)
#define atomic_flag_clear_explicit(flag, order) __atomic_store_n(&(flag)->word, 0u, order)
#define atomic_flag_clear(flag) atomic_flag_clear_explicit(flag, __ATOMIC_SEQ_CST)

#endif
#endif
