"""The part of the C library that programs have: console, checks, refusals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gnomon.base.errors import GnomonError
from gnomon.program import build
from gnomon.report.run_text import print_run
from gnomon.sim import simulate
from gnomon.sim.crash import crash_of

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


def test_printf_prints_what_it_does_elsewhere(
    tmp_path: Path, t13: Architecture, rv32im: Architecture
) -> None:
    """Python has the same conversions."""
    numbers = (0, 7, -42, 2**31 - 1, -(2**31))
    marks = ("", "5", "-5", "05", "12", "-12", "012")
    cases = [(f"[%{mark}{kind}]", n) for mark in marks for kind in "di" for n in numbers]
    cases += [(f"[%{mark}{kind}]", n) for mark in marks for kind in "uxXo" for n in (0, 9, 48879)]
    calls = "".join(f'    printf("{text}", {n if n != -(2**31) else "1 << 31"});\n'
                    for text, n in cases)  # fmt: skip
    texts = '    printf("%5s|%-5s|%s|%c|%%|%lu\\n", "ab", "ab", "", 65, 5lu); puts("end");\n'
    expected = "".join(text % n for text, n in cases) + "   ab|ab   ||A|%|5\nend\n"
    for machine in (t13, rv32im):
        assert run(tmp_path, machine, calls + texts + "    return 0;").console == expected


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
     ('printf("%d %f", 1, 2.0); return 0;', "1 printf: no %f\n")],
)  # fmt: skip
def test_a_failed_check_is_a_crash(tmp_path: Path, t13: Architecture, body: str, text: str) -> None:
    result = run(tmp_path, t13, body)
    assert text in result.console
    program = build([tmp_path / "console.c"], t13, debug=True)
    crash = crash_of(result, program)
    assert crash is not None
    assert crash.cause == 0x200
    if "printf" not in body:
        assert (crash.function, crash.line) == ("main", "console.c:7")


def test_without_checks(tmp_path: Path, t13: Architecture) -> None:
    assert run(tmp_path, t13, "assert(0); return 5;", defines={"NDEBUG": 1}).exit_code == 5


@pytest.mark.parametrize(
    ("body", "reason"),
    [("return *(int *)malloc(4);", "there is no heap"),
     ("}\n#include <math.h>\nint other(void) {\n", "no floating-point unit")],
)  # fmt: skip
def test_refusals_say_why(tmp_path: Path, t13: Architecture, body: str, reason: str) -> None:
    with pytest.raises(GnomonError, match=reason):
        run(tmp_path, t13, body)
