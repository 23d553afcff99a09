/* <string.h>, <strings.h> and <ctype.h>. Weak: functions of a program replace them. */
#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

#define WEAK __attribute__((weak))

WEAK int islower(int c) { return (unsigned)c - 'a' < 26; }
WEAK int isupper(int c) { return (unsigned)c - 'A' < 26; }
WEAK int isalpha(int c) { return ((unsigned)c | 32) - 'a' < 26; }
WEAK int isdigit(int c) { return (unsigned)c - '0' < 10; }
WEAK int isalnum(int c) { return isalpha(c) || isdigit(c); }
WEAK int isblank(int c) { return c == ' ' || c == '\t'; }
WEAK int iscntrl(int c) { return (unsigned)c < 32 || c == 127; }
WEAK int isgraph(int c) { return (unsigned)c - 33 < 94; }
WEAK int isprint(int c) { return (unsigned)c - 32 < 95; }
WEAK int ispunct(int c) { return isgraph(c) && !isalnum(c); }
WEAK int isspace(int c) { return c == ' ' || (unsigned)c - '\t' < 5; }
WEAK int isxdigit(int c) { return isdigit(c) || ((unsigned)c | 32) - 'a' < 6; }
WEAK int tolower(int c) { return isupper(c) ? c + 32 : c; }
WEAK int toupper(int c) { return islower(c) ? c - 32 : c; }

WEAK size_t strnlen(const char *text, size_t most) {
    size_t size = 0;
    while (size < most && text[size]) size++;
    return size;
}

WEAK size_t strlen(const char *text) {
    const char *end = text;
    while (*end) end++;
    return (size_t)(end - text);
}

WEAK int strncmp(const char *left, const char *right, size_t size) {
    for (; size; size--, left++, right++)
        if (*left != *right || !*left) return (unsigned char)*left - (unsigned char)*right;
    return 0;
}

WEAK int strcmp(const char *left, const char *right) { return strncmp(left, right, SIZE_MAX); }
WEAK int strcoll(const char *left, const char *right) { return strcmp(left, right); }

WEAK char *strcpy(char *restrict to, const char *restrict from) {
    return memcpy(to, from, strlen(from) + 1);
}

WEAK char *strncpy(char *restrict to, const char *restrict from, size_t size) {
    const size_t length = strnlen(from, size);
    memset((char *)memcpy(to, from, length) + length, 0, size - length);
    return to;
}

WEAK char *strcat(char *restrict to, const char *restrict from) {
    strcpy(to + strlen(to), from);
    return to;
}

WEAK char *strncat(char *restrict to, const char *restrict from, size_t size) {
    const size_t length = strnlen(from, size);
    char *end = to + strlen(to);
    memcpy(end, from, length);
    end[length] = 0;
    return to;
}

WEAK char *strchr(const char *text, int wanted) {
    for (; *text != (char)wanted; text++)
        if (!*text) return NULL;
    return (char *)(uintptr_t)text;
}

WEAK char *strrchr(const char *text, int wanted) {
    const char *found = NULL;
    do
        if (*text == (char)wanted) found = text;
    while (*text++);
    return (char *)(uintptr_t)found;
}

WEAK void *memchr(const void *from, int byte, size_t size) {
    for (const unsigned char *at = from; size; size--, at++)
        if (*at == (unsigned char)byte) return (void *)(uintptr_t)at;
    return NULL;
}

WEAK char *strstr(const char *text, const char *wanted) {
    const size_t size = strlen(wanted);
    do
        if (!strncmp(text, wanted, size)) return (char *)(uintptr_t)text;
    while (*text++);
    return NULL;
}

WEAK size_t strspn(const char *text, const char *any) {
    size_t size = 0;
    while (text[size] && strchr(any, text[size])) size++;
    return size;
}

WEAK size_t strcspn(const char *text, const char *any) {
    size_t size = 0;
    while (text[size] && !strchr(any, text[size])) size++;
    return size;
}

WEAK char *strpbrk(const char *text, const char *any) {
    text += strcspn(text, any);
    return *text ? (char *)(uintptr_t)text : NULL;
}

WEAK char *strtok_r(char *restrict text, const char *restrict between, char **restrict place) {
    if (!text) text = *place;
    text += strspn(text, between);
    if (!*text) {
        *place = text;
        return NULL;
    }
    char *end = text + strcspn(text, between);
    if (*end) *end++ = 0;
    *place = end;
    return text;
}

WEAK char *strtok(char *restrict text, const char *restrict between) {
    static char *place;
    return strtok_r(text, between, &place);
}

WEAK int strncasecmp(const char *left, const char *right, size_t size) {
    for (; size; size--, left++, right++) {
        const int difference = tolower((unsigned char)*left) - tolower((unsigned char)*right);
        if (difference || !*left) return difference;
    }
    return 0;
}

WEAK int strcasecmp(const char *left, const char *right) {
    return strncasecmp(left, right, SIZE_MAX);
}

WEAK int bcmp(const void *left, const void *right, size_t size) {
    return memcmp(left, right, size);
}

WEAK void bcopy(const void *from, void *to, size_t size) { memmove(to, from, size); }
WEAK void bzero(void *to, size_t size) { memset(to, 0, size); }
WEAK char *index(const char *text, int wanted) { return strchr(text, wanted); }
WEAK char *rindex(const char *text, int wanted) { return strrchr(text, wanted); }

WEAK int ffs(int value) {
    for (int bit = 0; bit < 32; bit++)
        if ((unsigned)value >> bit & 1) return bit + 1;
    return 0;
}

WEAK int errno;

WEAK char *strerror(int number) {
    switch (number) {
    case 0: return "success";
    case EINVAL: return "invalid argument";
    case EDOM: return "outside the domain of the function";
    case ERANGE: return "result out of range";
    case ENOMEM: return "out of memory";
    default: return "error";
    }
}
