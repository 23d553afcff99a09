/* Functions of the library, against what the C standard says of them. */
#include <assert.h>
#include <ctype.h>
#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

static int less(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

int main(void) {
    static char text[32] = "one two,three";
    static int numbers[9] = {5, 3, 9, 1, 7, 3, 8, 2, 6};
    char *end, *place; int one = 7;
    assert(isalnum('a') && isdigit('0') && !isdigit('a') && isspace('\t') && isxdigit('F'));
    assert(isupper('Q') && !islower('Q') && ispunct('!') && iscntrl(3) && isgraph('~') && isprint(' '));
    assert(toupper('x') == 'X' && tolower('X') == 'x' && toupper('1') == '1' && isblank(' '));
    assert(atoi(" -12x") == -12 && atol("+9") == 9 && atoll("-9000000000") == -9000000000ll);
    assert(strtol("0x1fz", &end, 0) == 31 && *end == 'z' && strtol("077", 0, 0) == 63);
    assert(strtol("zz", 0, 36) == 1295 && strtol("none", &end, 10) == 0 && *end == 'n');
    assert(errno == 0 && strtol("99999999999", 0, 10) == LONG_MAX && errno == ERANGE);
    assert(strtol("-2147483648", 0, 10) == LONG_MIN && strtoul("4294967295", 0, 10) == ULONG_MAX);
    assert(strtoull("18446744073709551615", 0, 10) == ULLONG_MAX && strtoll("-7", 0, 10) == -7);
    qsort(numbers, 9, sizeof *numbers, less);
    for (int i = 0; i < 8; i++) assert(numbers[i] <= numbers[i + 1]);
    assert(*(int *)bsearch(&one, numbers, 9, sizeof one, less) == 7);
    one = 4; assert(!bsearch(&one, numbers, 9, sizeof one, less));
    assert(div(-7, 2).quot == -3 && div(-7, 2).rem == -1 && labs(-3l) == 3 && llabs(-3ll) == 3);
    assert(!strcmp(strtok(text, " ,"), "one") && !strcmp(strtok(0, " ,"), "two"));
    assert(!strcmp(strtok(0, " ,"), "three") && !strtok(0, " ,"));
    strcpy(text, "a.b.c"); assert(!strcmp(strtok_r(text, ".", &place), "a") && *place == 'b');
    strncpy(text, "abc", 6); assert(!memcmp(text, "abc\0\0\0", 6));
    strncat(text, "defg", 2); assert(!strcmp(text, "abcde") && strnlen(text, 3) == 3);
    assert(strrchr(text, 'c') == text + 2 && strstr(text, "cd") == text + 2 && !strstr(text, "x"));
    assert(strspn(text, "abz") == 2 && strcspn(text, "d") == 3 && strpbrk(text, "xd") == text + 3);
    assert(memchr(text, 'd', 6) == text + 3 && !memchr(text, 'z', 6) && strstr(text, "") == text);
    assert(!strcasecmp("AbC", "aBc") && strncasecmp("abX", "ABy", 3) < 0 && ffs(8) == 4);
    bzero(text, 3); assert(!text[2] && text[3] == 'd' && rindex("aba", 'a')[1] == 0);
    srand(1); int first = rand(); srand(1); assert(first == rand() && first >= 0 && first <= RAND_MAX);
    assert(htobe32(0x01020304) == 0x04030201 && htole16(3) == 3 && be64toh(1) == 1ull << 56);
    assert(imaxabs(-3) == 3 && strtoimax("-5", 0, 10) == -5 && time(0) == -1 && clock() > 0);
    assert(getchar() == EOF && !getenv("HOME") && write(STDOUT_FILENO, "w", 1) == 1);
    exit(7);
}
