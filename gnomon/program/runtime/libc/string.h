/* The part of the C library that programs for the machines have. */
#ifndef GNOMON_STRING_H
#define GNOMON_STRING_H

#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int byte, size_t size);
int memcmp(const void *left, const void *right, size_t size);

#endif
