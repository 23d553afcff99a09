/* Text and memory. */
#ifndef GNOMON_STRING_H
#define GNOMON_STRING_H

#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int byte, size_t size);
int memcmp(const void *left, const void *right, size_t size);
void *memchr(const void *from, int byte, size_t size);

size_t strlen(const char *text);
size_t strnlen(const char *text, size_t most);
int strcmp(const char *left, const char *right);
int strncmp(const char *left, const char *right, size_t size);
int strcoll(const char *left, const char *right);
char *strcpy(char *restrict to, const char *restrict from);
char *strncpy(char *restrict to, const char *restrict from, size_t size);
char *strcat(char *restrict to, const char *restrict from);
char *strncat(char *restrict to, const char *restrict from, size_t size);
char *strchr(const char *text, int wanted);
char *strrchr(const char *text, int wanted);
char *strstr(const char *text, const char *wanted);
char *strpbrk(const char *text, const char *any);
size_t strspn(const char *text, const char *any);
size_t strcspn(const char *text, const char *any);
char *strtok(char *restrict text, const char *restrict between);
char *strtok_r(char *restrict text, const char *restrict between, char **restrict place);
char *strerror(int number);

/* Not in the library, as there is no heap. */
char *strdup(const char *text);
char *strndup(const char *text, size_t size);

#endif
