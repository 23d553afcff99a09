"""Time that ``gnomon diff`` takes to find one changed instruction.

A program of 10^7 instructions, and a copy with one changed word that only its last turn reaches.
The time of one plain run, in the same process, is the reference.
"""

import tempfile
from dataclasses import replace
from functools import partial
from pathlib import Path

from benchmarks.harness import Found, Limit, best_of, cpu_of_call
from benchmarks.speed import awake_instructions
from gnomon.arch import load_architecture
from gnomon.isa import encode
from gnomon.observe.diff import compare_programs
from gnomon.program import Program, build
from gnomon.sim import simulate

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
    """Build the program, and a copy with another constant in its last function."""
    path = folder / "long.c"
    path.write_text(SOURCE)
    program = build([path], load_architecture(machine), defines={"TURNS": turns})
    return program, with_word(program, program.symbol("last").address)


def with_word(program: Program, address: int) -> Program:
    """Replace ``xori a0,a0,5`` at an address of a program by ``xori a0,a0,6``."""
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


def measure(found: Found, rounds: int) -> None:
    """Measure both kinds of core, each compared with a plain run of the same program."""
    rows, limits = [], []
    with tempfile.TemporaryDirectory(prefix="gnomon-") as folder:
        for machine in ("t13", "rv32im"):
            architecture = load_architecture(machine)
            a, b = pair(Path(folder), machine)
            instructions = awake_instructions(simulate(a, architecture))  # compiles the engine
            compare = partial(
                compare_programs, (a, architecture), (b, architecture), max_cycles=MAX_CYCLES
            )
            result = compare()
            difference = result.found.difference
            assert difference is not None
            assert difference.a is not None
            assert result.a.place(difference.a.pc) == "last+0x0"
            assert instructions >= 10**7
            tasks = {"run": partial(simulate, a, architecture), "diff": compare}
            best = best_of(
                {name: partial(cpu_of_call, call) for name, call in tasks.items()}, rounds
            )
            row = {"machine": machine, "instructions": instructions, "run_cpu_seconds": best["run"]}
            row |= {"diff_cpu_seconds": best["diff"], "ratio": best["diff"] / best["run"]}
            rows.append(row)
            limits.append(Limit(f"gnomon diff on {machine}", "s CPU", best["diff"], MAX_SECONDS))
    found.add("diff, one changed instruction at the end", rows, limits)
