/* The part of the C library that programs for the machines have. */
#ifndef GNOMON_STRING_H
#define GNOMON_STRING_H

#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int byte, size_t size);
int memcmp(const void *left, const void *right, size_t size);

static inline size_t strlen(const char *text) {
    const char *end = text;
    while (*end) end++;
    return (size_t)(end - text);
}

static inline int strncmp(const char *left, const char *right, size_t size) {
    for (; size; size--, left++, right++)
        if (*left != *right || !*left) return (unsigned char)*left - (unsigned char)*right;
    return 0;
}

static inline int strcmp(const char *left, const char *right) {
    return strncmp(left, right, (size_t)-1);
}

static inline char *strcpy(char *restrict to, const char *restrict from) {
    return memcpy(to, from, strlen(from) + 1);
}

static inline char *strcat(char *restrict to, const char *restrict from) {
    strcpy(to + strlen(to), from);
    return to;
}

static inline char *strchr(const char *text, int wanted) {
    for (; *text != (char)wanted; text++)
        if (!*text) return NULL;
    return (char *)text;
}

#endif
