"""The first difference of two runs, held against complete traces of both."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest
from typer.testing import CliRunner

from gnomon.arch import load_architecture
from gnomon.cli._app import app
from gnomon.diff import Difference, Side, diff_logs, diff_runs
from gnomon.errors import GnomonError
from gnomon.isa import decode
from gnomon.program import Program, build, load_elf
from gnomon.sim import simulate
from gnomon.trace import write_log

if TYPE_CHECKING:
    from pathlib import Path

SIMD4 = load_architecture("t13-simd4")
MOST_CYCLES = 3_000_000
SOURCE = """\
#include "vcu.h"
int a[64], b[64], c[64];
volatile int seed = 7;
int __attribute__((noinline)) late(int x) { return x * 5 + 77; }
int main(int hart)
{
    unsigned s = seed;
    for (int i = 0; i < 20000; i++) s = s * 3 + (s >> 2);
    vcu_set_mvsize(256);
    kmemld(VCU_SPM(0), a, 256);
    kmemld(VCU_SPM(1), b, 256);
    kaddv(VCU_SPM(2), VCU_SPM(0), VCU_SPM(1));
    kmemstr(c, VCU_SPM(2), 256);
    return late(s) + c[3];
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    path = tmp_path_factory.mktemp("diff") / "late.c"
    path.write_text(SOURCE)
    return build([path], SIMD4)


@pytest.fixture(scope="module")
def changed(program: Program) -> tuple[Program, int]:
    """The program with another constant in ``late``, and the address of that."""
    late = program.symbol("late")
    text = next(s for s in program.segments if s.executable and s.address <= late.address < s.end)
    for address in range(late.address, late.end, 4):
        offset = address - text.address
        word = int.from_bytes(text.data[offset : offset + 4], "little")
        decoded = decode(word)
        if decoded is not None and decoded.instruction.mnemonic == "addi" and decoded.imm == 77:
            place = program.elf.index(text.data) + offset
            patched = (word ^ (1 << 20)).to_bytes(4, "little")
            elf = program.elf[:place] + patched + program.elf[place + 4 :]
            return load_elf(elf, "changed"), address
    raise AssertionError("the compiler has made something else of it")


def expected(a: Side, b: Side) -> tuple[int, int]:
    """Place and cycle of the first difference, from complete traces."""
    rows = [simulate(s.program, s.architecture, trace=True).trace for s in (a, b)]
    assert rows[0] is not None
    assert rows[1] is not None
    shared = min(len(each) for each in rows)
    place = int(np.flatnonzero(rows[0][:shared] != rows[1][:shared])[0])
    return int(rows[0]["pc"][place]), int(rows[0]["cycle"][place])


def test_one_changed_instruction(program: Program, changed: tuple[Program, int]) -> None:
    a, b = Side("a", program, SIMD4), Side("b", changed[0], SIMD4)
    found = diff_runs(a, b, max_cycles=MOST_CYCLES)
    assert found.kind == "instruction"
    first, second = found.first
    assert first is not None
    assert second is not None
    assert first.pc == second.pc == changed[1]
    assert (first.function, second.function) == ("late", "late")
    assert (first.pc, first.cycle) == expected(a, b)
    assert first.disassembly.endswith(",77")
    assert second.disassembly.endswith(",76")
    assert found.before
    assert found.changes == ()
    assert found.cycles[0] == found.cycles[1]


def test_two_machines(program: Program) -> None:
    for overrides in (["vcu.simd=1"], ["core.superscalar=false"]):
        other = load_architecture("t13-simd4", overrides)
        a, b = Side("a", program, SIMD4), Side("b", program, other)
        found = diff_runs(a, b, max_cycles=MOST_CYCLES)
        assert found.kind in ("cycle", "path")
        assert found.first[0] is not None
        assert (found.first[0].pc, found.first[0].cycle) == expected(a, b)
        assert found.cycles[1] > found.cycles[0]
        assert found.changes[0].function == "main"


def test_nothing_differs(program: Program) -> None:
    side = Side("a", program, SIMD4)
    found = diff_runs(side, side, max_cycles=MOST_CYCLES)
    assert (found.kind, found.first, found.changes) == (None, (None, None), ())


def log(program: Program, path: Path) -> Path:
    run = simulate(program, SIMD4, trace=True)
    write_log(run, SIMD4, program, path)
    return path


def test_logs(program: Program, changed: tuple[Program, int], tmp_path: Path) -> None:
    paths = log(program, tmp_path / "a.csv"), log(changed[0], tmp_path / "b.csv.gz")
    runs = diff_runs(
        Side("a", program, SIMD4), Side("b", changed[0], SIMD4), max_cycles=MOST_CYCLES
    )
    found: Difference = diff_logs(*paths)
    assert (found.kind, found.first) == (runs.kind, runs.first)
    assert diff_logs(paths[0], paths[0]).kind is None
    short = tmp_path / "short.csv"
    short.write_text("".join(paths[0].read_text().splitlines(keepends=True)[:-3]))
    assert diff_logs(paths[0], short).kind == "end"


def test_command(program: Program, changed: tuple[Program, int], tmp_path: Path) -> None:
    a, b = tmp_path / "a.elf", tmp_path / "b.elf"
    a.write_bytes(program.elf)
    b.write_bytes(changed[0].elf)
    same = CliRunner().invoke(app, ["diff", str(a), str(a), "--arch", "t13-simd4"])
    assert (same.exit_code, "no difference" in same.stdout) == (0, True)
    other = CliRunner().invoke(app, ["diff", str(a), str(b), "--arch", "t13-simd4", "--json"])
    assert other.exit_code == 1
    assert json.loads(other.stdout)["first"][0]["pc"] == changed[1]
    told = CliRunner().invoke(app, ["diff", str(a), "--arch", "t13-simd4", "--set-b", "vcu.simd=1"])
    assert told.exit_code == 1
    assert "functions that changed" in told.stdout


def test_bad_input(tmp_path: Path) -> None:
    bad = tmp_path / "bad.csv"
    bad.write_text("a,b\n1,2\n")
    for arguments, message in (
        (["a.elf"], "--arch is needed: the machine that A and B run on"),
        (["a.elf", "--arch", "t13"], "a.elf alone differs from nothing: give B, or another"),
        (["a.csv"], "a.csv: a log needs another log to be compared with"),
        (["a.csv", "b.csv"], "a.csv: no such file"),
        ([str(bad), str(bad)], f"{bad}:1: no issue log: its columns are not issue_cycle,"),
        (["a.csv", "b.csv", "--arch", "t13"], "logs run on no machine: leave out --arch"),
    ):
        with pytest.raises(GnomonError) as caught:
            CliRunner().invoke(app, ["diff", *arguments], catch_exceptions=False)
        assert str(caught.value).startswith(message)
