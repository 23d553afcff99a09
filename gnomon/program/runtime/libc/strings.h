/* Text and memory, as in POSIX. */
#ifndef GNOMON_STRINGS_H
#define GNOMON_STRINGS_H

#include <stddef.h>

int strcasecmp(const char *left, const char *right);
int strncasecmp(const char *left, const char *right, size_t size);
int bcmp(const void *left, const void *right, size_t size);
void bcopy(const void *from, void *to, size_t size);
void bzero(void *to, size_t size);
char *index(const char *text, int wanted);
char *rindex(const char *text, int wanted);
int ffs(int value);

#endif
