"""``python -m benchmarks.diff``: how long ``gnomon diff`` takes to find one changed instruction.

A program of 10^7 instructions, and the same with one word changed that only its last turn reaches.
Beside it the time of one plain run, in the same process.
"""

from __future__ import annotations

import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

from gnomon.arch import load_architecture
from gnomon.isa import encode
from gnomon.observe.diff import diff_programs
from gnomon.program import build
from gnomon.sim import simulate

if TYPE_CHECKING:
    from collections.abc import Callable

    from gnomon.program import Program

TURNS = 850_000
MAX_SECONDS = 5.0
MAX_CYCLES = 10**9
SOURCE = """
static volatile unsigned sink[64];
__attribute__((noinline)) unsigned last(unsigned s) { return s ^ 5u; }
int main(int hart)
{
    (void)hart;
    unsigned s = 1;
    for (unsigned i = 0; i < TURNS; i++) {
        s = s * 1664525u + i;
        sink[s >> 26] = s;
        if (s & 1u)
            s ^= i;
    }
    return (int)last(s);
}
"""


def pair(folder: Path, machine: str, turns: int = TURNS) -> tuple[Program, Program]:
    """The program, and the same with another constant in its last function."""
    path = folder / "long.c"
    path.write_text(SOURCE)
    program = build([path], load_architecture(machine), defines={"TURNS": turns})
    return program, with_word(program, program.symbol("last").address)


def with_word(program: Program, address: int) -> Program:
    """The program with ``xori a0,a0,5`` at an address made ``xori a0,a0,6``."""
    before = encode("xori", rd=10, rs1=10, imm=5).to_bytes(4, "little")
    after = encode("xori", rd=10, rs1=10, imm=6).to_bytes(4, "little")
    segments = []
    for segment in program.segments:
        data = bytearray(segment.data)
        offset = address - segment.address
        if 0 <= offset < len(data):
            assert data[offset : offset + 4] == before
            data[offset : offset + 4] = after
        segments.append(replace(segment, data=bytes(data)))
    return replace(program, name=f"{program.name}-changed", segments=tuple(segments))


def _seconds(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def main() -> None:
    """Measure and print; exit code 1 if the limit is not kept."""
    rows = Table(title="gnomon diff, one changed instruction at the end", title_justify="left")
    for heading in ("machine", "M instr. of each", "plain run, s", "diff, s", "ratio", "limit, s"):
        rows.add_column(heading, justify="left" if heading == "machine" else "right")
    kept = True
    with tempfile.TemporaryDirectory(prefix="gnomon-") as folder:
        for machine in ("t13", "rv32im"):
            architecture = load_architecture(machine)
            a, b = pair(Path(folder), machine)
            run = simulate(a, architecture)  # compiles the engine
            sides = (a, architecture), (b, architecture)
            result = diff_programs(*sides, max_cycles=MAX_CYCLES)
            found = result.found.difference
            assert found is not None
            assert found.a is not None
            assert result.a.place(found.a.pc) == "last+0x0"
            plain = min(_seconds(lambda: simulate(a, architecture)) for _ in range(3))  # noqa: B023
            taken = min(
                _seconds(lambda: diff_programs(*sides, max_cycles=MAX_CYCLES))  # noqa: B023
                for _ in range(3)
            )
            asleep = sum(n for name, n in run.counters.items() if name.endswith("parked"))
            instructions = sum(hart.retired for hart in run.harts) - asleep
            rows.add_row(machine, f"{instructions / 1e6:.2f}", f"{plain:.2f}", f"{taken:.2f}",
                         f"{taken / plain:.1f}", f"{MAX_SECONDS:g}")  # fmt: skip
            kept = kept and taken <= MAX_SECONDS and instructions >= 10**7
    Console(width=120).print(rows)
    sys.exit(0 if kept else 1)


if __name__ == "__main__":
    main()
