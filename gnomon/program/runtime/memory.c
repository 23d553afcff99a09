/*
 * The four memory functions that compilers call implicitly. They are gnomon's, so that the cycles
 * of a program do not depend on the library of the compiler. Weak: those of a program replace them.
 */
#include <stddef.h>
#include <stdint.h>

#define WEAK_ALIAS(of) __attribute__((weak, alias(#of)))

/* A word that may alias anything. */
typedef uint32_t __attribute__((may_alias)) word_t;

static int both_aligned(const void *a, const void *b) {
    return (((uintptr_t)a | (uintptr_t)b) & 3u) == 0;
}

static void *copy(void *restrict to, const void *restrict from, size_t size) {
    unsigned char *d = to;
    const unsigned char *s = from;
    if (both_aligned(d, s)) {
        for (; size >= 4; size -= 4, d += 4, s += 4) {
            *(word_t *)d = *(const word_t *)s;
        }
    }
    while (size--) {
        *d++ = *s++;
    }
    return to;
}

void *memcpy(void *restrict to, const void *restrict from, size_t size) WEAK_ALIAS(copy);

__attribute__((weak)) void *memmove(void *to, const void *from, size_t size) {
    unsigned char *d = to;
    const unsigned char *s = from;
    if (d <= s || d >= s + size) {
        return copy(to, from, size);
    }
    while (size--) {
        d[size] = s[size];
    }
    return to;
}

__attribute__((weak)) void *memset(void *to, int byte, size_t size) {
    unsigned char *d = to;
    if (both_aligned(d, d)) {
        uint32_t word = (unsigned char)byte * 0x01010101u;
        for (; size >= 4; size -= 4, d += 4) {
            *(word_t *)d = word;
        }
    }
    while (size--) {
        *d++ = (unsigned char)byte;
    }
    return to;
}

__attribute__((weak)) int memcmp(const void *left, const void *right, size_t size) {
    const unsigned char *a = left, *b = right;
    for (; size; size--, a++, b++) {
        if (*a != *b) {
            return *a - *b;
        }
    }
    return 0;
}
