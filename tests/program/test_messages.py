"""Programs in other languages, and functions that a compiler has left out: by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from gnomon.base.errors import GnomonError
from gnomon.budget import judge_budget, read_budget
from gnomon.cli.app import app
from gnomon.explore import make_sweep, run_sweep
from gnomon.program import build, load_elf

if TYPE_CHECKING:
    from pathlib import Path

    from gnomon.arch import Architecture

WORK = "{ int s = 0; for (int i = 0; i < n; i++) s += i * i; return s; }\n"
MAIN = "int main(void) { volatile int n = 10; return work(n) == 285 ? 0 : 1; }\n"


@pytest.mark.parametrize(
    ("name", "language"),
    [("x.cpp", "C++"), ("x.cc", "C++"), ("x.C", "C++"), ("x.cxx", "C++"), ("x.rs", "Rust"),
     ("x.asm", "assembly under this suffix"), ("x.h", "a header alone")],
)  # fmt: skip
def test_another_language_is_named(
    tmp_path: Path, t13: Architecture, name: str, language: str
) -> None:
    path = tmp_path / name
    path.write_text('extern "C" int main() { return 0; }\n')
    said = f"{path}: {language} is not built (allowed: .c, .S, .s)"
    with pytest.raises(GnomonError) as caught:
        build([path], t13)
    assert str(caught.value) == said
    with pytest.raises(GnomonError) as caught:
        load_elf(path)
    assert str(caught.value) == said
    other = tmp_path / "other.c"
    other.write_text("int other;\n")
    for command in (["run", path], ["run", path, "-O", "3"], ["why", other, path], ["build", path]):
        result = CliRunner().invoke(app, [*map(str, command), "--arch", "t13"])
        assert isinstance(result.exception, GnomonError), command
        assert str(result.exception) == said


def test_another_language_in_a_sweep_and_in_a_budget(tmp_path: Path) -> None:
    path = tmp_path / "x.cpp"
    path.write_text("int main() {}\n")
    spec = {
        "schema": 1,
        "name": "s",
        "program": str(path),
        "arch": "t13",
        "axes": {"clock": ["1 MHz"]},
    }
    (row,) = run_sweep(make_sweep(spec)).rows
    assert "C++ is not built (allowed: .c, .S, .s)" in row.outcome.reason
    budget = tmp_path / "b.yaml"
    budget.write_text(
        "schema: 1\nname: b\narch: t13\nchecks:\n"
        "  c:\n    program: x.cpp\n    limits: [time <= 1 ms]\n"
    )
    with pytest.raises(GnomonError, match=r"C\+\+ is not built"):
        judge_budget(read_budget(budget))


@pytest.mark.parametrize(
    ("before", "place"),
    [
        (f"static int work(int n) {WORK}", "inl.c:1"),
        (f"static inline int work(int n)\n{WORK}", "inl.c:1"),
        (f"\nstatic int\nwork(int n)\n{WORK}", "inl.c:3"),
        ('#include "work.h"\n', "work.h:2"),
    ],
    ids=["static", "inline", "name on its own line", "in a header"],
)
def test_an_inlined_function_is_named(
    tmp_path: Path, t13: Architecture, before: str, place: str
) -> None:
    path = tmp_path / "inl.c"
    path.write_text(before + MAIN)
    (tmp_path / "work.h").write_text(
        f"\nstatic int work(int n) {WORK}" if "work.h" in place else ""
    )
    with pytest.raises(GnomonError) as caught:
        build([path], t13).symbol("work")
    assert str(caught.value) == (
        f"inl: work of {place} is not in the program: the compiler has inlined it into its callers,"
        " or it is never called; GNOMON_REGION or __attribute__((noinline)) keeps it"
    )
    result = CliRunner().invoke(app, ["why", str(path), "--arch", "ibex-like", "--region", "work"])
    assert "GNOMON_REGION or __attribute__((noinline)) keeps it" in str(result.exception)


def test_a_function_that_nothing_calls_is_named(tmp_path: Path, t13: Architecture) -> None:
    path = tmp_path / "unused.c"
    path.write_text(f"int work(int n) {WORK}int main(void) {{ return 0; }}\n")
    with pytest.raises(GnomonError, match=r"work of unused\.c:1 is not in the program"):
        build([path], t13).symbol("work")


@pytest.mark.parametrize("name", ["wrok", "n", "for"])
def test_what_is_no_function_of_the_source_is_only_missing(
    tmp_path: Path, t13: Architecture, name: str
) -> None:
    path = tmp_path / "kept.c"
    path.write_text(f"__attribute__((noinline)) int work(int n) {WORK}{MAIN}")
    with pytest.raises(GnomonError, match=f"no symbol '{name}'"):
        build([path], t13).symbol(name)
