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
from tests.rows import light_and_heavy

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
        ("%.2x|%.3d|%8.3d", (10, 7, 7)),
        ("%.2s|%.*s|%*d|%-*d|%*d", (b"abc", 1, b"abc", 6, 7, 6, 7, -6, 7)),
        ("%lld|%llu|%016llx", (-5, 5, 255)), ("%hhu|%hhd|%hd", (200, -7, 70000)),
        ("%+d|% d|%#x|%#o|%#o", (42, 42, 255, 8, 0)), ("%.0d|%#.0x|%+.0d|%5.0d", (0, 0, 0, 0)),
        ("%jd|%ju", (-(2**63), 2**64 - 1)), ("%c|%5c|%-5c|%%", (65, 66, 67)),
        ("%-+08d|%+08d", (3, 3)),
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
    printf("%d %s%n|", -42, "ab", &at);
    printf("%zu %td %p %lu\\n", sizeof at, text - text, (void *)16, 5lu);
    fprintf(stderr, "%i:", snprintf(text, sizeof text, "%05d%s", 42, "abcdef"));
    fputs(text, stdout); putchar('!'); puts("end"); fflush(stdout);
    sprintf(text, "%.3s", "wxyz"); printf("%s%d %s\\n", text, at, (char *)0);
    return snprintf(0, 0, "%d", 1234);"""
    without_m = load_architecture("rv32im", ["core.isa=rv32i"])
    for machine in (t13, rv32im, without_m):
        result = run(tmp_path, machine, body, compiler=compiler)
        assert result.console == "-42 ab|4 0 0x10 5\n11:00042ab!end\nwxy6 (null)\n"
        assert result.exit_code == 4


def test_text_and_words_are_apart_and_no_cursor_moves(
    tmp_path: Path, t13: Architecture, capsys: pytest.CaptureFixture[str]
) -> None:
    body = 'printf("\\xc3\\xa9\\xff"); gnomon_print(65); printf("a\\x1b[2J\\tb\\n"); return 0;'
    result = run(tmp_path, t13, body)
    assert (result.console, result.printed) == ("é\ufffda\x1b[2J\tb\n", (65,))
    assert result.to_json()["console"] == result.console
    print_run(result, t13)
    assert capsys.readouterr().out.startswith("é\ufffda\\x1b[2J\tb\n")


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
    light_and_heavy("oracle", 6, [
        ("return *(int *)malloc(4);", "main uses malloc: there is no heap"),
        ("double pow(double, double); volatile double x = 2; return (int)pow(x, x);",
         "main uses pow: not in the run-time library of zig, which has ceil, cos"),
        ('printf("%d\\n%5.1f", 1, 2.0);',
         "console.c:7: printf has no conversion '%5.1f'\n.allowed: d"),
        ('char b[9];\nsnprintf(b, sizeof(b), "%d" "%Lf", 1, 2.0L);',
         "console.c:8: snprintf has no conversion '%Lf'"),
        ('fprintf(stderr,\n"%ls", L"a");', "console.c:7: fprintf has no conversion '%ls'"),
        ('#define F "%g"\nprintf(F, 1.0);', "console.c:8: printf has no conversion '%g'"),
        ('return strdup("a")[0];', "main uses strdup: there is no heap"),
        ('return (int)atof("1.5");', "main uses atof: the library does not parse floating point"),
        ('return !fopen("a", "r");', "main uses fopen: there are no files"),
        ("return atexit(0);", "main uses atexit: no code runs after main"),
    ]),
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


def test_what_only_looks_like_a_format_is_built(tmp_path: Path, t13: Architecture) -> None:
    body = """
    if (0) printf("%d", 1);
    #if 0
    printf("%f", 1.0);
    #endif
    /* printf("%f") */ puts("printf(%f)");
    printf("100%%f");
    return 7;"""
    assert run(tmp_path, t13, body).exit_code == 7
