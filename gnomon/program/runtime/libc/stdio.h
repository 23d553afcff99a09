/*
 * Output to the simulator's console: printf for integers and text, complete; no floating point, no
 * files, no input. A build with a format with another conversion fails and names its line; if the
 * format is unknown before the run, the run ends there. Printing takes cycles: keep it out of
 * measured regions. A device has no such console.
 */
#ifndef GNOMON_STDIO_H
#define GNOMON_STDIO_H

#include <stdarg.h>
#include <stddef.h>

#include "gnomon.h"

#define EOF (-1)
#define BUFSIZ 256

typedef struct gnomon_file FILE; /* all files are the console */
extern FILE *const stdin, *const stdout, *const stderr;

int printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
int fprintf(FILE *file, const char *format, ...) __attribute__((format(printf, 2, 3)));
int sprintf(char *to, const char *format, ...) __attribute__((format(printf, 2, 3)));
int snprintf(char *to, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
int vprintf(const char *format, va_list arguments) __attribute__((format(printf, 1, 0)));
int vfprintf(FILE *file, const char *format, va_list arguments) __attribute__((format(printf, 2, 0)));
int vsprintf(char *to, const char *format, va_list arguments) __attribute__((format(printf, 2, 0)));
int vsnprintf(char *to, size_t size, const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0)));

int putchar(int character);
int putc(int character, FILE *file);
int fputc(int character, FILE *file);
int puts(const char *text);
int fputs(const char *text, FILE *file);
size_t fwrite(const void *from, size_t size, size_t count, FILE *file);
int fflush(FILE *file);
int ferror(FILE *file);
int feof(FILE *file);
void perror(const char *text);

/* There is no input: these report the end of the file. */
int getchar(void);
int getc(FILE *file);
int fgetc(FILE *file);
char *fgets(char *to, int size, FILE *file);

/* Not in the library: a program that calls one does not link, unless it defines it. */
FILE *fopen(const char *name, const char *mode);
int fclose(FILE *file);
size_t fread(void *to, size_t size, size_t count, FILE *file);
int scanf(const char *format, ...);
int fscanf(FILE *file, const char *format, ...);
int sscanf(const char *text, const char *format, ...);

#endif
