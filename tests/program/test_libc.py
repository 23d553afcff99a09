"""The part of the C library that programs have: console, checks, refusals."""

from __future__ import annotations

import ctypes
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from gnomon.arch import load_architecture
from gnomon.base.errors import GnomonError
from gnomon.program import build
from gnomon.report.run_text import print_run
from gnomon.sim import simulate
from gnomon.sim.crash import crash_of
from tests.conftest import need_riscv_gcc

if TYPE_CHECKING:
    from pathlib import Path

    from gnomon.arch import Architecture
    from gnomon.sim import Run

HEADERS = "".join(f"#include <{name}.h>\n" for name in ("stdio", "stdlib", "string", "assert"))


def run(folder: Path, machine: Architecture, body: str, **options: object) -> Run:
    path = folder / "console.c"
    path.write_text(f"{HEADERS}int main(void)\n{{\n{body}\n}}\n")
    program = build([path], machine, debug=True, **options)  # type: ignore[arg-type]
    return simulate(program, machine, max_cycles=1_000_000)


def test_printf_prints_what_it_does_elsewhere(tmp_path: Path, rv32im: Architecture) -> None:
    """The C library of this computer has the same conversions of the same integers and texts."""
    random = Random(3)
    cases: list[tuple[str, tuple[Any, ...]]] = [
        ("%.2x|%.3d|%8.3d", (10, 7, 7)), ("%.2s|%.*s|%*d|%-*d|%*d", (b"abc", 1, b"abc", 6, 7, 6, 7, -6, 7)),
        ("%lld|%llu|%016llx", (-5, 5, 255)), ("%hhu|%hhd|%hd", (200, -7, 70000)),
        ("%+d|% d|%#x|%#o|%#o", (42, 42, 255, 8, 0)), ("%.0d|%#.0x|%+.0d|%5.0d", (0, 0, 0, 0)),
        ("%jd|%ju", (-(2**63), 2**64 - 1)), ("%c|%5c|%-5c|%%", (65, 66, 67)), ("%-+08d|%+08d", (3, 3)),
    ]  # fmt: skip
    values = (
        0,
        1,
        9,
        10,
        255,
        2**31 - 1,
        2**31,
        2**32 - 1,
        2**32,
        10**18,
        2**63 - 1,
        2**63,
        2**64 - 1,
    )
    for _ in range(150):
        flags = "".join(sorted(set(random.choices("-+ #0", k=random.randint(0, 3)))))
        width, precision = (
            random.choice(("", "3", "12", "25")),
            random.choice(("", ".", ".0", ".4", ".22")),
        )
        length, kind = random.choice(("", "hh", "h", "ll", "j")), random.choice("diuoxX")
        if kind in "diu":
            flags = flags.replace("#", "")
        if kind not in "di":
            flags = flags.replace("+", "").replace(" ", "")
        value = random.choice(values) if length in ("ll", "j") else random.choice(values) % 2**31
        cases.append((f"%{flags}{width}{precision}{length}{kind}", (value,)))
    host = ctypes.CDLL(None)
    expected, calls = "", ""
    for text, arguments in cases:
        into = ctypes.create_string_buffer(400)
        wide = "ll" in text or "j" in text
        given = [
            a if isinstance(a, bytes) else (ctypes.c_uint64 if wide else ctypes.c_int)(a)
            for a in arguments
        ]
        host.snprintf(into, 400, text.encode(), *given)
        expected += f"[{into.value.decode()}]\n"
        shown = (
            f'"{a.decode()}"'
            if isinstance(a, bytes)
            else f"{a % 2**64}u" + "ll"
            if wide
            else f"(int){a % 2**32}u"
            for a in arguments
        )
        calls += f'    printf("[{text}]\\n", {", ".join(shown)});\n'
    assert run(tmp_path, rv32im, calls + "    return 0;").console == expected


@pytest.mark.parametrize("compiler", ["zig", "gcc"])
def test_formats_of_kernels_on_every_machine(
    tmp_path: Path, t13: Architecture, rv32im: Architecture, compiler: str
) -> None:
    if compiler == "gcc":
        need_riscv_gcc()
    body = """
    char text[8]; int at;
    printf("%d %s%n|", -42, "ab", &at); printf("%zu %td %p %lu\\n", sizeof at, text - text, (void *)16, 5lu);
    fprintf(stderr, "%i:", snprintf(text, sizeof text, "%05d%s", 42, "abcdef"));
    fputs(text, stdout); putchar('!'); puts("end"); fflush(stdout);
    sprintf(text, "%.3s", "wxyz"); printf("%s%d %s\\n", text, at, (char *)0);
    return snprintf(0, 0, "%d", 1234);"""
    without_m = load_architecture("rv32im", ["core.isa=rv32i"])
    for machine in (t13, rv32im, without_m):
        result = run(tmp_path, machine, body, compiler=compiler)
        assert result.console == "-42 ab|4 0 0x10 5\n11:00042ab!end\nwxy6 (null)\n"
        assert result.exit_code == 4


def test_text_and_words_are_apart(tmp_path: Path, t13: Architecture) -> None:
    result = run(tmp_path, t13, 'printf("\\xc3\\xa9\\xff"); gnomon_print(65); return 0;')
    assert (result.console, result.printed) == ("é\ufffd", (65,))
    assert result.to_json()["console"] == "é\ufffd"


def test_a_program_cannot_move_the_cursor(
    tmp_path: Path, t13: Architecture, capsys: pytest.CaptureFixture[str]
) -> None:
    print_run(run(tmp_path, t13, 'printf("a\\x1b[2J\\tb\\n"); return 0;'), t13)
    assert capsys.readouterr().out.startswith("a\\x1b[2J\tb\n")


def test_strings(tmp_path: Path, t13: Architecture) -> None:
    body = """
    char text[16];
    assert(strlen("") == 0 && strcmp("a", "b") < 0 && strcmp("b", "a") > 0);
    assert(strncmp("abc", "abd", 2) == 0 && strcmp("\\xff", "a") > 0);
    assert(!strcmp(strcat(strcpy(text, "one"), " two"), "one two") );
    assert(strchr(text, 't') == text + 4);
    assert(!strchr(text, 'z') && *strchr(text, 0) == 0 && abs(-3) == 3);
    exit(7);"""
    assert run(tmp_path, t13, body).exit_code == 7


@pytest.mark.parametrize(
    ("body", "text"),
    [("assert(1 > 2); return 0;", "assertion failed: 1 > 2"), ("abort();", ""),
     ('const char *volatile format = "%d %f";\nprintf(format, 1, 2.0); return 0;',
      "1 printf: no %f\n")],
)  # fmt: skip
def test_a_failed_check_is_a_crash(tmp_path: Path, t13: Architecture, body: str, text: str) -> None:
    result = run(tmp_path, t13, body)
    assert text in result.console
    program = build([tmp_path / "console.c"], t13, debug=True)
    crash = crash_of(result, program)
    assert crash is not None
    assert crash.cause == 0x200
    line = 8 if "printf" in body else 7
    assert (crash.function, crash.line) == ("main", f"console.c:{line}")


def test_without_checks(tmp_path: Path, t13: Architecture) -> None:
    assert run(tmp_path, t13, "assert(0); return 5;", defines={"NDEBUG": 1}).exit_code == 5


@pytest.mark.parametrize(
    ("body", "reason"),
    [("return *(int *)malloc(4);", "main uses malloc: there is no heap"),
     ("return strdup(\"a\")[0];", "main uses strdup: there is no heap"),
     ("return (int)atof(\"1.5\");", "main uses atof: the library reads no floating point"),
     ("return !fopen(\"a\", \"r\");", "main uses fopen: there are no files"),
     ("return atexit(0);", "main uses atexit: nothing runs after main"),
     ("double pow(double, double); volatile double x = 2; return (int)pow(x, x);",
      "main uses pow: not in the run-time library of zig, which has ceil, cos"),
     ("printf(\"%d\\n%5.1f\", 1, 2.0);", "console.c:7: printf has no conversion '%5.1f'\n.allowed: d i u"),
     ("char b[9];\nsnprintf(b, sizeof(b), \"%d\" \"%Lf\", 1, 2.0L);", "console.c:8: snprintf has no conversion '%Lf'"),
     ("fprintf(stderr,\n\"%ls\", L\"a\");", "console.c:7: fprintf has no conversion '%ls'"),
     ("#define F \"%g\"\nprintf(F, 1.0);", "console.c:8: printf has no conversion '%g'")],
)  # fmt: skip
def test_refusals_say_why(tmp_path: Path, t13: Architecture, body: str, reason: str) -> None:
    with pytest.raises(GnomonError, match=reason):
        run(tmp_path, t13, body)


def test_refusals_of_gcc_say_why(tmp_path: Path, t13: Architecture) -> None:
    need_riscv_gcc()
    for body, reason in (
        ("return *(int *)malloc(4);", "malloc: there is no heap"),
        (
            "float sinf(float); volatile float x = 2; return (int)sinf(x);",
            "sinf: the run-time library of GCC",
        ),
    ):
        with pytest.raises(GnomonError, match=reason):
            run(tmp_path, t13, body, compiler="gcc")


@pytest.mark.parametrize(
    "body",
    ["if (0) printf(\"%d\", 1);\n#if 0\nprintf(\"%f\", 1.0);\n#endif\nreturn 7;",
     "/* printf(\"%f\") */ puts(\"printf(%f)\"); return 7;",
     "printf(\"100%%f\"); return 7;"],
)  # fmt: skip
def test_what_only_looks_like_a_format_is_built(
    tmp_path: Path, t13: Architecture, body: str
) -> None:
    assert run(tmp_path, t13, body).exit_code == 7


OWN = {
    "memcpy": "void *memcpy(void *to, const void *from, size_t n)"
              "{ volatile char *a = to; const char *b = from; own++; while (n--) *a++ = *b++; return to; }",
    "memset": "void *memset(void *to, int c, size_t n)"
              "{ volatile char *a = to; own++; while (n--) *a++ = (char)c; return to; }",
    "memmove": "void *memmove(void *to, const void *from, size_t n)"
               "{ volatile char *a = to; const char *b = from; own++; while (n--) a[n] = b[n]; return to; }",
    "memcmp": "int memcmp(const void *l, const void *r, size_t n) { (void)l; (void)r; (void)n; own++; return 0; }",
    "strlen": "size_t strlen(const char *t) { size_t n = 0; own++; while (t[n]) n++; return n; }",
    "strcmp": "int strcmp(const char *l, const char *r) { (void)l; (void)r; own++; return 0; }",
    "printf": "int printf(const char *f, ...) { (void)f; own++; return 0; }",
    "puts": "int puts(const char *t) { (void)t; own++; return 0; }",
    "abs": "int abs(int n) { own++; return n < 0 ? -n : n; }",
    "malloc": "static char arena[64]; void *malloc(size_t n) { (void)n; own++; return arena; }",
    "qsort": "void qsort(void *b, size_t n, size_t s, int (*o)(const void *, const void *))"
             "{ (void)b; (void)n; (void)s; (void)o; own++; }",
}  # fmt: skip
USED = {
    "memcpy": "memcpy(a, b, n)", "memset": "memset(a, 1, n)", "memmove": "memmove(a, b, n)",
    "memcmp": "memcmp(a, b, n)", "strlen": "strlen(b)", "strcmp": "strcmp(a, b)",
    "printf": "printf(\"%f\", 1.0)", "puts": "puts(b)", "abs": "abs((int)n)", "malloc": "malloc(n)",
    "qsort": "qsort(a, n, 1, 0)",
}  # fmt: skip


@pytest.mark.parametrize("beside", [False, True], ids=["in the source", "in another source"])
@pytest.mark.parametrize("compiler", ["zig", "gcc"])
@pytest.mark.parametrize("name", OWN)
def test_a_function_of_the_program_is_taken(
    tmp_path: Path, rv32im: Architecture, name: str, compiler: str, *, beside: bool
) -> None:
    if compiler == "gcc":
        need_riscv_gcc()
    own = f"#include <stddef.h>\nextern int own;\n{OWN[name]}\n"
    main = tmp_path / "main.c"
    main.write_text(
        f"{HEADERS}int own;\nvolatile size_t n = 4;\nchar a[8], b[8] = {{1, 2, 3}};\n"
        + (own if not beside else "")
        + f"int main(void) {{ (void){USED[name]}; return own; }}\n"
    )
    other = tmp_path / "other.c"
    other.write_text(own)
    program = build([main, other] if beside else [main], rv32im, compiler=compiler)
    assert simulate(program, rv32im, max_cycles=100_000).exit_code == 1


def test_a_function_of_the_program_in_assembly_is_taken(
    tmp_path: Path, rv32im: Architecture
) -> None:
    main, other = tmp_path / "main.c", tmp_path / "other.S"
    main.write_text('#include <string.h>\nint main(void) { return (int)strlen("abc"); }\n')
    other.write_text(".globl strlen\n.type strlen, @function\nstrlen: li a0, 9\nret\n")
    assert simulate(build([main, other], rv32im), rv32im).exit_code == 9


FUNCTIONS = """
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
    exit(7);"""


@pytest.mark.parametrize(("compiler", "level"), [("zig", "-O2"), ("zig", "-O0"), ("gcc", "-Os")])
def test_functions_do_what_the_standard_says(
    tmp_path: Path, rv32im: Architecture, compiler: str, level: str
) -> None:
    if compiler == "gcc":
        need_riscv_gcc()
    more = (
        "ctype",
        "endian",
        "errno",
        "inttypes",
        "limits",
        "strings",
        "time",
        "unistd",
        "sys/types",
    )
    path = tmp_path / "all.c"
    path.write_text(
        HEADERS + "".join(f"#include <{name}.h>\n" for name in more)
        + "static int less(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }\n"
        + f"int main(void)\n{{{FUNCTIONS}\n}}\n"
    )  # fmt: skip
    program = build([path], rv32im, debug=True, compiler=compiler, optimization=level)
    result = simulate(program, rv32im, max_cycles=1_000_000)
    assert (result.console, result.exit_code) == ("w", 7)


def test_jumps_out_of_functions_keep_registers(tmp_path: Path, rv32im: Architecture) -> None:
    path = tmp_path / "jump.c"
    path.write_text(
        "#include <setjmp.h>\nstatic jmp_buf at;\n"
        "__attribute__((noinline)) static void deep(int n) { if (n) deep(n - 1); else longjmp(at, 0); }\n"
        "int main(void) { volatile int calls = 0; int r = setjmp(at); calls++;\n"
        "if (!r) deep(5); return 10 * calls + r; }\n"
    )
    assert simulate(build([path], rv32im), rv32im).exit_code == 21


def test_floating_point_functions(tmp_path: Path, rv32im: Architecture) -> None:
    path = tmp_path / "math.c"
    path.write_text(
        "#include <math.h>\nvolatile float f = 2.0f; volatile double d = 0.5;\n"
        "int main(void) { return (int)(1000 * sqrtf(f)) == 1414 && (int)(1000 * exp(d)) == 1648\n"
        "&& floorf(-f - 0.5f) == -3 && fabs(-d) == 0.5 && fmaxf(f, 3) == 3 && !isnan(f)\n"
        "&& isinf(f / 0.0f) && (int)(1000 * sinf(f)) == 909 && (int)lround_(1000 * log(d)) == -693 ? 7 : 1; }\n".replace(
            "lround_", "round"
        )
    )
    assert simulate(build([path], rv32im), rv32im, max_cycles=1_000_000).exit_code == 7


@pytest.mark.parametrize(
    ("first", "last"),
    [("_end", "__heap_end"), ("end", "_stack_bottom"), ("__heap_start", "_heap_end"),
     ("_edata", "_end"), ("__bss_start", "__bss_end"), ("_etext", "_data"), ("__bss_start__", "__bss_end__")],
)  # fmt: skip
def test_names_of_linker_scripts(tmp_path: Path, t13: Architecture, first: str, last: str) -> None:
    path = tmp_path / "heap.c"
    path.write_text(
        f"extern char {first}[], {last}[];\nstatic int zeroed[4], given[4] = {{1}};\n"
        f"int main(void) {{ zeroed[0] = given[0]; return (int)({last} - {first}); }}\n"
    )
    program = build([path], t13)
    length = simulate(program, t13).exit_code
    assert length is not None
    bytes_between = program.symbol("_stack_bottom").address - program.symbol("_data_end").address
    if last in ("__heap_end", "_heap_end", "_stack_bottom"):
        assert 0 <= bytes_between - length < 16
    else:
        assert 0 < length


def test_an_allocator_from_the_end_of_data(tmp_path: Path, rv32im: Architecture) -> None:
    path = tmp_path / "heap.c"
    path.write_text(
        "extern char _end[];\nstatic char *top = _end;\n"
        "static void *take(unsigned n) { char *p = top; top += (n + 7) & ~7u; return p; }\n"
        "int main(void) { volatile int *a = take(40); int s = 0; for (int i = 0; i < 10; i++) a[i] = i;"
        " for (int i = 0; i < 10; i++) s += a[i]; return s; }\n"
    )
    assert simulate(build([path], rv32im), rv32im).exit_code == 45
