/* The part of the C library that programs for the machines have. */
#ifndef GNOMON_STDLIB_H
#define GNOMON_STDLIB_H

#include <stddef.h>

#include "gnomon.h"

#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1

static inline __attribute__((noreturn)) void exit(int code) { gnomon_exit(code); }
#define abort() gnomon_abort() /* no function, so that the line is the caller's */
static inline int abs(int value) { return value < 0 ? -value : value; }

#define GNOMON_NO_HEAP                                                                     \
    __attribute__((error("there is no heap: what memory a program needs is known when it " \
                         "is built; use static arrays, sized by macros (-D N=32)")))
GNOMON_NO_HEAP void *malloc(size_t size);
GNOMON_NO_HEAP void *calloc(size_t count, size_t size);
GNOMON_NO_HEAP void *realloc(void *block, size_t size);
GNOMON_NO_HEAP void free(void *block);

#endif
