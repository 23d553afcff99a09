/*
 * Output to the simulator's console, for integers and text: %d %i %u %x %X %o %c %s %p %%, with
 * width, - and 0; h and l are read over. A conversion that is not there (%f, %lld) is named and
 * ends the program. A device has no such register. Printing takes cycles: keep it out of what is measured.
 */
#ifndef GNOMON_STDIO_H
#define GNOMON_STDIO_H

#include <stdarg.h>
#include <stddef.h>

#include "gnomon.h"

#define EOF (-1)

static inline int putchar(int character) {
    gnomon_put(character);
    return (unsigned char)character;
}

/* Weak, so that several sources that print have one. */
__attribute__((weak, noinline)) int gnomon_write(const char *text, int size, int width, char pad) {
    int written = 0;
    const int sign = pad == '0' && size && *text == '-';
    if (sign) gnomon_put(*text);
    for (; width - written > size; written++) gnomon_put(pad);
    for (int k = sign; k < size; k++) gnomon_put(text[k]);
    for (written += size; written < -width; written++) gnomon_put(' ');
    return written;
}

__attribute__((weak, noinline)) int vprintf(const char *format, va_list arguments) {
    int written = 0;
    for (; *format; format++) {
        if (*format != '%') {
            gnomon_put(*format);
            written++;
            continue;
        }
        const char *start = format++;
        int left = 0, width = 0;
        char pad = ' ', digits[12], *text = digits + sizeof digits;
        for (; *format == '-' || *format == '0'; format++) {
            if (*format == '-') left = 1;
            else pad = '0';
        }
        for (; *format >= '0' && *format <= '9'; format++) width = 10 * width + *format - '0';
        if (*format == 'h' || *format == 'l') format++;
        const char kind = *format;
        int size = 0;
        if (kind == '%' || kind == 'c') {
            *--text = kind == '%' ? '%' : (char)va_arg(arguments, int);
        } else if (kind == 's') {
            text = va_arg(arguments, char *);
            while (text[size]) size++;
        } else if (kind == 'd' || kind == 'i' || kind == 'u' || kind == 'x' || kind == 'X' ||
                   kind == 'o' || kind == 'p') {
            unsigned value = va_arg(arguments, unsigned);
            const int negative = (kind == 'd' || kind == 'i') && (int)value < 0;
            const unsigned base = kind == 'o' ? 8 : kind == 'd' || kind == 'i' || kind == 'u' ? 10 : 16;
            if (negative) value = 0u - value;
            do {
                const unsigned digit = value % base;
                *--text = (char)(digit < 10 ? '0' + digit : (kind == 'X' ? 'A' : 'a') + digit - 10);
                value /= base;
            } while (value);
            if (kind == 'p') *--text = 'x', *--text = '0';
            if (negative) *--text = '-';
        } else {
            gnomon_write("printf: no ", 11, 0, ' ');
            gnomon_write(start, (int)(format - start) + (kind != 0), 0, ' ');
            gnomon_put('\n');
            gnomon_abort();
        }
        if (kind != 's') size = (int)(digits + sizeof digits - text);
        written += gnomon_write(text, size, left ? -width : width, left ? ' ' : pad);
    }
    return written;
}

__attribute__((weak, noinline, format(printf, 1, 2))) int printf(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int written = vprintf(format, arguments);
    va_end(arguments);
    return written;
}

static inline int puts(const char *text) {
    return printf("%s\n", text);
}

#endif
