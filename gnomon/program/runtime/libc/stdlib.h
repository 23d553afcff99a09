/* The part of the C library that needs no floating point and no heap. */
#ifndef GNOMON_STDLIB_H
#define GNOMON_STDLIB_H

#include <stddef.h>

#include "gnomon.h"

#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#define RAND_MAX 0x7fff

typedef struct { int quot, rem; } div_t;
typedef struct { long quot, rem; } ldiv_t;
typedef struct { long long quot, rem; } lldiv_t;

static inline __attribute__((noreturn)) void exit(int code) { gnomon_exit(code); }
static inline __attribute__((noreturn)) void _Exit(int code) { gnomon_exit(code); }
#define abort() gnomon_abort() /* a macro, so that the line is the caller's */

int abs(int value);
long labs(long value);
long long llabs(long long value);
div_t div(int number, int by);
ldiv_t ldiv(long number, long by);
lldiv_t lldiv(long long number, long long by);

int atoi(const char *text);
long atol(const char *text);
long long atoll(const char *text);
long strtol(const char *restrict text, char **restrict end, int base);
unsigned long strtoul(const char *restrict text, char **restrict end, int base);
long long strtoll(const char *restrict text, char **restrict end, int base);
unsigned long long strtoull(const char *restrict text, char **restrict end, int base);

int rand(void);
void srand(unsigned seed);
void qsort(void *base, size_t count, size_t size, int (*order)(const void *, const void *));
void *bsearch(const void *key, const void *base, size_t count, size_t size,
              int (*order)(const void *, const void *));
char *getenv(const char *name);

/* Not in the library: a program that calls one does not link, unless it defines it. */
void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void *realloc(void *block, size_t size);
void *aligned_alloc(size_t alignment, size_t size);
void free(void *block);
double atof(const char *text);
double strtod(const char *restrict text, char **restrict end);
float strtof(const char *restrict text, char **restrict end);
int atexit(void (*function)(void));
int system(const char *command);

#endif
