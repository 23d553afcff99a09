/* <stdlib.h>, <inttypes.h>, and time. Weak: functions of a program replace them. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#define WEAK __attribute__((weak))

WEAK int abs(int value) { return value < 0 ? -value : value; }
WEAK long labs(long value) { return value < 0 ? -value : value; }
WEAK long long llabs(long long value) { return value < 0 ? -value : value; }
WEAK intmax_t imaxabs(intmax_t value) { return value < 0 ? -value : value; }
WEAK div_t div(int number, int by) { return (div_t){number / by, number % by}; }
WEAK ldiv_t ldiv(long number, long by) { return (ldiv_t){number / by, number % by}; }
WEAK lldiv_t lldiv(long long number, long long by) { return (lldiv_t){number / by, number % by}; }

/* Return the start of the digits; set the sign and the base. */
static const char *begin(const char *at, int *base, int *negative) {
    while (isspace((unsigned char)*at)) at++;
    *negative = *at == '-';
    if (*at == '-' || *at == '+') at++;
    const int hexadecimal = at[0] == '0' && (at[1] | 32) == 'x' && isxdigit((unsigned char)at[2]);
    if ((*base == 0 || *base == 16) && hexadecimal) {
        *base = 16;
        return at + 2;
    }
    if (*base == 0) *base = *at == '0' ? 8 : 10;
    return at;
}

static int digit(char c) {
    if (isdigit((unsigned char)c)) return c - '0';
    return isalpha((unsigned char)c) ? (c | 32) - 'a' + 10 : 99;
}

/* Return the number, at most `most`; `end` is its end, or the text if there is no number. */
static uint32_t number(const char *text, char **end, int base, int *negative, uint32_t most) {
    const char *at = begin(text, &base, negative);
    uint32_t value = 0;
    int any = 0, over = 0;
    if (*negative && most == INT32_MAX) most = (uint32_t)INT32_MAX + 1;
    for (int next; (next = digit(*at)) < base; at++, any = 1) {
        if (over || value > (most - (unsigned)next) / (unsigned)base) over = 1;
        else value = value * (unsigned)base + (unsigned)next;
    }
    if (end) *end = (char *)(uintptr_t)(any ? at : text);
    if (!over) return value;
    errno = ERANGE;
    return most;
}

static uint64_t wide(const char *text, char **end, int base, int *negative, uint64_t most) {
    const char *at = begin(text, &base, negative);
    uint64_t value = 0;
    int any = 0, over = 0;
    if (*negative && most == INT64_MAX) most = (uint64_t)INT64_MAX + 1;
    for (int next; (next = digit(*at)) < base; at++, any = 1) {
        if (over || value > (most - (unsigned)next) / (unsigned)base) over = 1;
        else value = value * (unsigned)base + (unsigned)next;
    }
    if (end) *end = (char *)(uintptr_t)(any ? at : text);
    if (!over) return value;
    errno = ERANGE;
    return most;
}

WEAK long strtol(const char *restrict text, char **restrict end, int base) {
    int negative;
    const uint32_t value = number(text, end, base, &negative, INT32_MAX);
    return (long)(negative ? 0u - value : value);
}

WEAK unsigned long strtoul(const char *restrict text, char **restrict end, int base) {
    int negative;
    const uint32_t value = number(text, end, base, &negative, UINT32_MAX);
    return negative && value != UINT32_MAX ? 0u - value : value;
}

WEAK long long strtoll(const char *restrict text, char **restrict end, int base) {
    int negative;
    const uint64_t value = wide(text, end, base, &negative, INT64_MAX);
    return (long long)(negative ? 0u - value : value);
}

WEAK unsigned long long strtoull(const char *restrict text, char **restrict end, int base) {
    int negative;
    const uint64_t value = wide(text, end, base, &negative, UINT64_MAX);
    return negative && value != UINT64_MAX ? 0u - value : value;
}

WEAK intmax_t strtoimax(const char *restrict text, char **restrict end, int base) {
    return strtoll(text, end, base);
}

WEAK uintmax_t strtoumax(const char *restrict text, char **restrict end, int base) {
    return strtoull(text, end, base);
}

WEAK int atoi(const char *text) { return (int)strtol(text, NULL, 10); }
WEAK long atol(const char *text) { return strtol(text, NULL, 10); }
WEAK long long atoll(const char *text) { return strtoll(text, NULL, 10); }

/* The generator that the C standard gives as an example. */
static uint32_t seed_of_rand = 1;
WEAK void srand(unsigned seed) { seed_of_rand = seed; }
WEAK int rand(void) {
    seed_of_rand = seed_of_rand * 1103515245u + 12345u;
    return (int)(seed_of_rand >> 16 & RAND_MAX);
}

static void swap(char *a, char *b, size_t size) {
    for (; size; size--, a++, b++) {
        const char byte = *a;
        *a = *b;
        *b = byte;
    }
}

/* A heap sort: no growing stack, no slow case. Equal elements may change places. */
WEAK void qsort(void *base, size_t count, size_t size, int (*order)(const void *, const void *)) {
    char *const first = base;
    size_t start = count / 2, end = count;
    while (end > 1) {
        if (start) start--;
        else swap(first, first + --end * size, size);
        for (size_t root = start, child; (child = 2 * root + 1) < end; root = child) {
            if (child + 1 < end && order(first + child * size, first + (child + 1) * size) < 0)
                child++;
            if (order(first + root * size, first + child * size) >= 0) break;
            swap(first + root * size, first + child * size, size);
        }
    }
}

WEAK void *bsearch(const void *key, const void *base, size_t count, size_t size,
                   int (*order)(const void *, const void *)) {
    const char *from = base;
    while (count) {
        const char *middle = from + count / 2 * size;
        const int found = order(key, middle);
        if (!found) return (void *)(uintptr_t)middle;
        if (found > 0) {
            from = middle + size;
            count--;
        }
        count /= 2;
    }
    return NULL;
}

WEAK char *getenv(const char *name) {
    (void)name;
    return NULL;
}

WEAK time_t time(time_t *to) {
    if (to) *to = -1;
    return -1;
}
