"""A program that ends in a trap: cause, hart, function and line, on the command line too."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from gnomon.arch import load_architecture
from gnomon.base.errors import CheckFailed
from gnomon.cli.app import app
from gnomon.program import build
from gnomon.sim import simulate
from gnomon.sim.crash import Crash, crash_of

if TYPE_CHECKING:
    from pathlib import Path

T13 = load_architecture("t13-simd4")
TEXT = """\
#include "gnomon.h"
#include "vcu.h"
volatile int zero;
__attribute__((noinline)) static int deep(int hart)
{
    if (hart != WHO) gnomon_park();
    for (int i = 0; i < 9; i++) gnomon_print(i);
    %s
    return zero;
}
int main(int hart) { return deep(hart) + 1; }
"""
ILLEGAL = '__asm__ volatile(".word 0xffffffff");'


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "crash.c"
    path.write_text(TEXT % ILLEGAL)
    return path


def crash(path: Path, who: int, *, debug: bool = False) -> Crash | None:
    program = build([path], T13, defines={"WHO": who}, active_harts=3, debug=debug)
    return crash_of(simulate(program, T13, max_cycles=1_000_000), program)


@pytest.mark.parametrize("who", [0, 1, 2])
def test_the_hart_that_trapped(source: Path, who: int) -> None:
    found = crash(source, who, debug=True)
    assert found is not None
    assert (found.cause, found.hart, found.function) == (2, who, "deep")
    assert found.line == "crash.c:8"
    without = crash(source, who)
    assert without is not None
    assert (without.address, without.line) == (found.address, "")


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("zero = *(volatile int *)0x100001;", "misaligned load"),
        ("*(volatile int *)0x100002 = 1;", "misaligned store"),
        ("zero = *(volatile int *)0xDEAD0000;", "load from an address that answers with an error"),
        ('__asm__ volatile("ecall");', "environment call"),
        ("vcu_set_mvsize(8); kaddv(0, 0, 0);", "vector address outside the scratchpads"),
    ],
)
def test_causes_in_words(source: Path, statement: str, words: str) -> None:
    source.write_text(TEXT % statement)
    found = crash(source, 1)
    assert str(found).startswith(f"trap on hart 1: {words} at 0x000")
    assert str(found).endswith(" in deep")


def test_harts_that_trap_together(source: Path) -> None:
    source.write_text((TEXT % ILLEGAL).replace("hart != WHO", "0"))
    found = crash(source, 0)
    assert found is not None
    assert found.function == "deep"


def test_a_program_that_returns_such_a_number_has_not_crashed(source: Path) -> None:
    source.write_text("int main(void) { return (int)0xDEAD0002u; }\n")
    assert crash(source, 0) is None


def test_the_command_line_says_it_and_ends_with_1(
    source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(source.parent)
    words = ["run", "crash.c", "--arch", "t13", "--harts", "3", "-D", "WHO=2", "--json"]
    with pytest.raises(CheckFailed) as caught:
        CliRunner().invoke(app, words, catch_exceptions=False)
    message = str(caught.value)
    assert message.startswith("crash.c: trap on hart 2: illegal instruction at 0x000")
    assert " in deep (crash.c:8); the machine does not know it (core.isa: " in message
