/* First header of every C library of gnomon. They are freestanding: they include no libc header,
   and use only libc functions that a compiler may call implicitly; Python has them loaded. */
#ifndef GNOMON_NATIVE_H
#define GNOMON_NATIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef _WIN32
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__((visibility("default")))
#endif

void *memcpy(void *restrict to, const void *restrict from, size_t count);
void *memmove(void *to, const void *from, size_t count);
void *memset(void *to, int byte, size_t count);
int memcmp(const void *one, const void *other, size_t count);

/* A freestanding compiler calls memcpy for every size; this one is an instruction for a word. */
#define memcpy(to, from, count) __builtin_memcpy(to, from, count)

#endif
