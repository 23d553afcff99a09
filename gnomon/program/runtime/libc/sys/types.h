/* Types of POSIX. */
#ifndef GNOMON_SYS_TYPES_H
#define GNOMON_SYS_TYPES_H

#include <stddef.h>
#include <stdint.h>

typedef int32_t ssize_t;
typedef int32_t off_t;
typedef int32_t pid_t;
typedef uint32_t mode_t;
typedef unsigned char u_char;
typedef unsigned short u_short;
typedef unsigned int u_int;
typedef unsigned long u_long;

#endif
