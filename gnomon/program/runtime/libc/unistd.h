/* The console as a file descriptor; there is no operating system. */
#ifndef GNOMON_UNISTD_H
#define GNOMON_UNISTD_H

#include <stddef.h>
#include <sys/types.h>

#include "gnomon.h"

#define STDIN_FILENO 0
#define STDOUT_FILENO 1
#define STDERR_FILENO 2

ssize_t write(int file, const void *from, size_t size);
static inline __attribute__((noreturn)) void _exit(int code) { gnomon_exit(code); }

#endif
