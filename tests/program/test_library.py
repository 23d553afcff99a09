"""Functions of the C library: what they do, and that those of a program take their place."""

from __future__ import annotations

from itertools import cycle, product
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gnomon.program import build
from gnomon.sim import simulate
from tests.conftest import need_riscv_gcc
from tests.rows import light_and_heavy

if TYPE_CHECKING:
    from gnomon.arch import Architecture

HEADERS = "".join(f"#include <{name}.h>\n" for name in ("stdio", "stdlib", "string"))
SOURCES = Path(__file__).with_name("sources")
OWN = {
    "memcpy": "void *memcpy(void *to, const void *from, size_t n)"
              "{ volatile char *a = to; const char *b = from; own++;"
              "while (n--) *a++ = *b++; return to; }",
    "memset": "void *memset(void *to, int c, size_t n)"
              "{ volatile char *a = to; own++; while (n--) *a++ = (char)c; return to; }",
    "memmove": "void *memmove(void *to, const void *from, size_t n)"
               "{ volatile char *a = to; const char *b = from; own++;"
               "while (n--) a[n] = b[n]; return to; }",
    "memcmp": "int memcmp(const void *l, const void *r, size_t n)"
              "{ (void)l; (void)r; (void)n; own++; return 0; }",
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
    "printf": 'printf("%f", 1.0)', "puts": "puts(b)", "abs": "abs((int)n)", "malloc": "malloc(n)",
    "qsort": "qsort(a, n, 1, 0)",
}  # fmt: skip


HOW = ("zig", "gcc", "zig beside", "gcc beside")


@pytest.mark.parametrize(
    ("name", "how"),
    light_and_heavy("oracle", list(zip(OWN, cycle(HOW), strict=False)), product(OWN, HOW)),
)
def test_a_function_of_the_program_is_taken(
    tmp_path: Path, rv32im: Architecture, name: str, how: str
) -> None:
    """In the source of main, or in one beside it."""
    compiler, _, beside = how.partition(" ")
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


@pytest.mark.parametrize("suffix", [".S", ".s"])
def test_a_function_of_the_program_in_assembly_is_taken(
    tmp_path: Path, rv32im: Architecture, suffix: str
) -> None:
    main, other = tmp_path / "main.c", tmp_path / f"other{suffix}"
    main.write_text('#include <string.h>\nint main(void) { return (int)strlen("abc"); }\n')
    other.write_text(".globl strlen\n.type strlen, @function\nstrlen: li a0, 9\nret\n")
    program = build([main, other], rv32im)
    assert program.build is not None
    assert program.build.warnings == ""
    assert simulate(program, rv32im).exit_code == 9


@pytest.mark.parametrize(("compiler", "level"), [("zig", "-O2"), ("zig", "-O0"), ("gcc", "-Os")])
def test_functions_do_what_the_standard_says(
    rv32im: Architecture, compiler: str, level: str
) -> None:
    if compiler == "gcc":
        need_riscv_gcc()
    path = SOURCES / "library.c"
    program = build([path], rv32im, debug=True, compiler=compiler, optimization=level)
    result = simulate(program, rv32im, max_cycles=1_000_000)
    assert (result.console, result.exit_code) == ("w", 7)


def test_jumps_out_of_functions_keep_registers(tmp_path: Path, rv32im: Architecture) -> None:
    path = tmp_path / "jump.c"
    path.write_text(
        "#include <setjmp.h>\nstatic jmp_buf at;\n"
        "__attribute__((noinline)) static void deep(int n)\n"
        "{ if (n) deep(n - 1); else longjmp(at, 0); }\n"
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
        "&& isinf(f / 0.0f) && (int)(1000 * sinf(f)) == 909\n"
        "&& (int)round(1000 * log(d)) == -693 ? 7 : 1; }\n"
    )
    assert simulate(build([path], rv32im), rv32im, max_cycles=1_000_000).exit_code == 7


def test_names_of_linker_scripts(tmp_path: Path, t13: Architecture) -> None:
    pairs = (
        ("_end", "__heap_end"), ("end", "_stack_bottom"), ("__heap_start", "_heap_end"),
        ("_edata", "_end"), ("__bss_start", "__bss_end"), ("_etext", "_data"),
        ("__bss_start__", "__bss_end__"),
    )  # fmt: skip
    path = tmp_path / "heap.c"
    path.write_text(
        '#include "gnomon.h"\nstatic volatile int zeroed[4], given[4] = {1};\n'
        + "".join(f"extern char {name}[];\n" for pair in pairs for name in pair)
        + "int main(void) { zeroed[0] = given[0];\n"
        + "".join(f"gnomon_print((uint32_t)({last} - {first}));\n" for first, last in pairs)
        + "return 0; }\n"
    )
    program = build([path], t13)
    lengths = simulate(program, t13).printed
    bytes_between = program.symbol("_stack_bottom").address - program.symbol("_data_end").address
    for (first, last), length in zip(pairs, lengths, strict=True):
        if last in ("__heap_end", "_heap_end", "_stack_bottom"):
            assert 0 <= bytes_between - length < 16, (first, last)
        else:
            assert 0 < length < 2**31, (first, last)


def test_an_allocator_from_the_end_of_data(tmp_path: Path, rv32im: Architecture) -> None:
    path = tmp_path / "heap.c"
    path.write_text(
        "extern char _end[];\nstatic char *top = _end;\n"
        "static void *take(unsigned n) { char *p = top; top += (n + 7) & ~7u; return p; }\n"
        "int main(void) { volatile int *a = take(40); int s = 0;"
        " for (int i = 0; i < 10; i++) a[i] = i;"
        " for (int i = 0; i < 10; i++) s += a[i]; return s; }\n"
    )
    assert simulate(build([path], rv32im), rv32im).exit_code == 45
