/* <stdio.h> and write(). Weak: functions of a program replace them. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define WEAK __attribute__((weak))

struct gnomon_file { int number; };
static const struct gnomon_file files[] = {{0}, {1}, {2}};
WEAK FILE *const stdin = (FILE *)(uintptr_t)&files[0];
WEAK FILE *const stdout = (FILE *)(uintptr_t)&files[1];
WEAK FILE *const stderr = (FILE *)(uintptr_t)&files[2];

/* Destination of characters: the console, or memory of `room` characters. */
struct sink {
    char *to;
    size_t room;
    int console, written;
};

static void put(struct sink *out, char character) {
    if (out->console) gnomon_put(character);
    else if (out->room > (size_t)out->written) out->to[out->written] = character;
    out->written++;
}

static void fill(struct sink *out, char character, int count) {
    for (; count > 0; count--) put(out, character);
}

static void copy(struct sink *out, const char *text, int size) {
    for (; size > 0; size--) put(out, *text++);
}

/* Remove and return the last digit, by 32-bit divisions, as the machines have no others. */
static unsigned take_digit(uint64_t *value, unsigned base) {
    const uint32_t high = (uint32_t)(*value >> 32), low = (uint32_t)*value;
    if (!high) {
        *value = low / base;
        return low % base;
    }
    if (base != 10) {
        *value >>= base == 16 ? 4 : 3;
        return low & (base - 1);
    }
    const uint32_t middle = high % 10 << 16 | low >> 16;
    const uint32_t last = middle % 10 << 16 | (low & 0xffff);
    *value = (uint64_t)(high / 10) << 32 | middle / 10 << 16 | last / 10;
    return last % 10;
}

/* End the run as a crash at the call of printf. */
static void refuse(const char *start, const char *end, const void *caller) {
    struct sink console = {.console = 1};
    copy(&console, "printf: no ", 11);
    copy(&console, start, (int)(end - start));
    put(&console, '\n');
    *(volatile uint32_t *)GNOMON_PRINT_ADDRESS = GNOMON_ABORTED;
    *(volatile uint32_t *)GNOMON_PRINT_ADDRESS = (uint32_t)(uintptr_t)caller - 4;
    gnomon_exit((int)(0xDEAD0000u | GNOMON_ABORTED));
}

/* Return log2 of the bytes of the integer of a length modifier, and skip the modifier. */
static int length_of(const char **format) {
    const char first = **format;
    int bytes = 2;
    if (first == 'h') {
        bytes = 1;
        if (*++*format == 'h') {
            bytes = 0;
            ++*format;
        }
    } else if (first == 'l') {
        if (*++*format == 'l') {
            bytes = 3;
            ++*format;
        }
    } else if (first == 'j') {
        bytes = 3;
        ++*format;
    } else if (first == 'z' || first == 't') {
        ++*format;
    }
    return bytes;
}

static int one_of(char c, const char *any) {
    for (; *any; any++)
        if (*any == c) return 1;
    return 0;
}

/* Print as the C standard specifies; `caller` is the place of a rejected format. */
static int print(struct sink *out, const char *format, va_list *arguments, const void *caller) {
    for (; *format; format++) {
        if (*format != '%') {
            put(out, *format);
            continue;
        }
        const char *const start = format++;
        int left = 0, plus = 0, space = 0, other = 0, zero = 0, width = 0, precision = -1;
        for (; *format && one_of(*format, "-+ #0"); format++) {
            left |= *format == '-';
            plus |= *format == '+';
            space |= *format == ' ';
            other |= *format == '#';
            zero |= *format == '0';
        }
        if (*format == '*') {
            width = va_arg(*arguments, int);
            if (width < 0) left = 1, width = -width;
            format++;
        }
        for (; *format >= '0' && *format <= '9'; format++) width = 10 * width + *format - '0';
        if (*format == '.') {
            precision = 0;
            if (*++format == '*') {
                precision = va_arg(*arguments, int);
                format++;
            }
            for (; *format >= '0' && *format <= '9'; format++)
                precision = 10 * precision + *format - '0';
        }
        const char *const length = format;
        const int bytes = length_of(&format);
        const int given = format > length;
        const char kind = *format;
        char digits[24], prefix[3], *text = digits + sizeof digits;
        int size = 0, before = 0, zeros = 0;
        if (kind == '%' || (kind == 'c' && !given)) {
            *--text = kind == '%' ? '%' : (char)va_arg(*arguments, int);
            size = 1;
        } else if (kind == 's' && !given) {
            text = va_arg(*arguments, char *);
            if (!text) text = "(null)";
            while (size != precision && text[size]) size++;
        } else if (kind == 'n') {
            void *const to = va_arg(*arguments, void *);
            if (bytes == 3) *(long long *)to = out->written;
            else if (bytes == 2) *(int *)to = out->written;
            else if (bytes == 1) *(short *)to = (short)out->written;
            else *(signed char *)to = (signed char)out->written;
            continue;
        } else if (kind && one_of(kind, "diuoxXp") && !(kind == 'p' && given)) {
            const int is_signed = kind == 'd' || kind == 'i';
            const unsigned base = kind == 'o' ? 8 : is_signed || kind == 'u' ? 10 : 16;
            uint64_t value;
            if (bytes == 3) {
                value = va_arg(*arguments, unsigned long long);
            } else {
                const uint32_t word = va_arg(*arguments, unsigned);
                const int shift = bytes == 2 ? 0 : bytes == 1 ? 16 : 24;
                const uint32_t high = word << shift;
                if (is_signed) value = (uint64_t)(int64_t)((int32_t)high >> shift);
                else value = high >> shift;
            }
            if (is_signed && (int64_t)value < 0) {
                value = 0 - value;
                prefix[before++] = '-';
            } else if (is_signed && (plus || space)) {
                prefix[before++] = plus ? '+' : ' ';
            }
            if (base == 16 && ((other && value) || kind == 'p')) {
                prefix[before++] = '0';
                prefix[before++] = kind == 'X' ? 'X' : 'x';
            }
            if (value || precision) {
                do {
                    const unsigned next = take_digit(&value, base);
                    const char letter = kind == 'X' ? 'A' : 'a';
                    *--text = (char)(next < 10 ? '0' + next : letter + next - 10);
                } while (value);
            }
            size = (int)(digits + sizeof digits - text);
            if (other && base == 8 && (!size || *text != '0') && precision <= size)
                precision = size + 1;
            zeros = precision > size ? precision - size : 0;
            if (zero && !left && precision < 0) {
                zeros = width - before - size;
                if (zeros < 0) zeros = 0;
            }
        } else {
            refuse(start, format + (kind != 0), caller);
        }
        const int blanks = width - before - zeros - size;
        if (!left) fill(out, ' ', blanks);
        copy(out, prefix, before);
        fill(out, '0', zeros);
        copy(out, text, size);
        if (left) fill(out, ' ', blanks);
    }
    return out->written;
}

static int to_console(const char *format, va_list *arguments, const void *caller) {
    struct sink out = {.console = 1};
    return print(&out, format, arguments, caller);
}

static int to_memory(char *to, size_t size, const char *format, va_list *arguments,
                     const void *caller) {
    struct sink out = {.to = to, .room = size ? size - 1 : 0};
    const int written = print(&out, format, arguments, caller);
    if (size) to[(size_t)written < size ? (size_t)written : size - 1] = 0;
    return written;
}

#define CALLER __builtin_return_address(0)
#define WITH_ARGUMENTS(call)          \
    va_list arguments;                \
    va_start(arguments, format);      \
    const int written = call;         \
    va_end(arguments);                \
    return written
#define WITH_COPY(call)               \
    va_list copied;                   \
    va_copy(copied, arguments);       \
    const int written = call;         \
    va_end(copied);                   \
    return written

WEAK int printf(const char *format, ...) {
    WITH_ARGUMENTS(to_console(format, &arguments, CALLER));
}

WEAK int fprintf(FILE *file, const char *format, ...) {
    (void)file;
    WITH_ARGUMENTS(to_console(format, &arguments, CALLER));
}

WEAK int sprintf(char *to, const char *format, ...) {
    WITH_ARGUMENTS(to_memory(to, SIZE_MAX, format, &arguments, CALLER));
}

WEAK int snprintf(char *to, size_t size, const char *format, ...) {
    WITH_ARGUMENTS(to_memory(to, size, format, &arguments, CALLER));
}

WEAK int vprintf(const char *format, va_list arguments) {
    WITH_COPY(to_console(format, &copied, CALLER));
}

WEAK int vfprintf(FILE *file, const char *format, va_list arguments) {
    (void)file;
    WITH_COPY(to_console(format, &copied, CALLER));
}

WEAK int vsprintf(char *to, const char *format, va_list arguments) {
    WITH_COPY(to_memory(to, SIZE_MAX, format, &copied, CALLER));
}

WEAK int vsnprintf(char *to, size_t size, const char *format, va_list arguments) {
    WITH_COPY(to_memory(to, size, format, &copied, CALLER));
}

WEAK int putchar(int character) {
    gnomon_put(character);
    return (unsigned char)character;
}

WEAK int fputc(int character, FILE *file) {
    (void)file;
    gnomon_put(character);
    return (unsigned char)character;
}

WEAK int putc(int character, FILE *file) { return fputc(character, file); }

WEAK ssize_t write(int file, const void *from, size_t size) {
    if (file != STDOUT_FILENO && file != STDERR_FILENO) {
        errno = EBADF;
        return -1;
    }
    for (size_t k = 0; k < size; k++) gnomon_put(((const char *)from)[k]);
    return (ssize_t)size;
}

WEAK int fputs(const char *text, FILE *file) {
    (void)file;
    while (*text) gnomon_put(*text++);
    return 0;
}

WEAK int puts(const char *text) {
    while (*text) gnomon_put(*text++);
    gnomon_put('\n');
    return 0;
}

WEAK size_t fwrite(const void *from, size_t size, size_t count, FILE *file) {
    (void)file;
    write(STDOUT_FILENO, from, size * count);
    return count;
}

WEAK int fflush(FILE *file) {
    (void)file;
    return 0;
}

WEAK int ferror(FILE *file) {
    (void)file;
    return 0;
}

WEAK int feof(FILE *file) { return file == stdin; }

WEAK void perror(const char *text) {
    if (text && *text) {
        fputs(text, stderr);
        fputs(": ", stderr);
    }
    puts(strerror(errno));
}

WEAK int getchar(void) { return EOF; }

WEAK int fgetc(FILE *file) {
    (void)file;
    return EOF;
}

WEAK int getc(FILE *file) { return fgetc(file); }

WEAK char *fgets(char *to, int size, FILE *file) {
    (void)to;
    (void)size;
    (void)file;
    return NULL;
}
