"""A profile sums to its run however that ends, and inside whatever wait."""

from __future__ import annotations

import csv
import io
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from gnomon.arch import Architecture
from gnomon.cost.energy import Energy
from gnomon.observe.profile import RunProfile
from gnomon.observe.profile._calls import callgrind_text
from gnomon.observe.profile._formats import annotated_text, folded_text, profile_csv
from gnomon.program import Program, load_elf
from gnomon.sim import Run, simulate
from tests.robustness._programs import RESET_PC, all_harts_words, machine, program, t13_words

ANY = Path(__file__).parents[1] / "reference" / "t13x" / "programs" / "p_matmul_h3_s1.elf"
DATA = (0x100000, bytes(range(1, 65)))
SMALL = ("memory.instruction.size=4 KiB", "memory.data.size=4 KiB")
VECTOR = """
    csrr s0, mhartid
    li t0, 32
    csrw mvsize, t0
    li a0, 0x10000000
    li a1, 0x10001000
    li a3, 0x100000
    kmemld a0, a3, t0
    kmemld a1, a3, t0
    lw t1, 0(a3)
    jal ra, product
    kaddv a1, a0, a1
    {swap}
    kmemstr a3, a1, t0
    sw t1, 0(a3)
    {end}
product:
    kvmul a1, a0, a1
    kmemld a0, a3, t0
    ret
"""
SCALAR = """
    li a3, 0x100000
    li s1, 3
again:
    lw t1, 0(a3)
    add t1, t1, s1
    mul t2, t1, t1
    jal ra, quotient
    sw t2, 4(a3)
    addi s1, s1, -1
    bnez s1, again
    ecall
quotient:
    div t2, t2, t1
    add t2, t2, t2
    ret
"""
EXIT = "li t1, 0x1a10fff0\n sw zero, 0(t1)\nstay: j stay"
MACHINES = {
    "three harts": ("t13-simd2",),
    "superscalar": ("t13-simd2", "core.superscalar=true"),
    "multithreaded": ("t13-simd4", "vcu.sharing=multithreaded"),
    "wait states": ("t13-simd2", "memory.data.waits=3"),
    "vector unit in order": ("rv32im-simd4",),
    "in order": ("rv32im",),
    "measured latencies": ("ibex",),
    "late results": ("hazard3",),
    "serial": ("serv",),
    "fetches wait": ("picorv32", "core.latency.instruction-waits=2"),
}
LIMITS = 360
EVERY = ("in order",)  # a short one; of others one in 5


def with_functions(it: Program, *starts: int) -> Program:
    """The program with functions that begin at some words."""
    places = [RESET_PC + 4 * k for k in starts]
    like = load_elf(ANY).symbol("main")
    symbols = (like._replace(name=f"f{k}", address=at, size_bytes=0) for k, at in enumerate(places))
    return replace(it, symbols=tuple(symbols))


def check_sums(run: Run, it: Program, architecture: Architecture) -> RunProfile:
    """Compare every view of a profile with the counters and the energy of the run."""
    profile = RunProfile.from_run(run, it, architecture)
    for rows in (profile.by_function(), profile.by_line(), profile.by_instruction()):
        assert sum(r.cycles + r.parked_cycles for r in rows) + profile.boot_cycles == (
            run.wall_cycles
        )
    for cause, cycles in profile.parts.items():
        booked = sum(
            n for name, n in run.counters.items()
            if (name.partition(".")[2] + ".").startswith(cause + ".")
        )  # fmt: skip
        assert int(cycles.sum()) == booked, cause
    by_path: Counter[str] = Counter()
    for node in run.call_nodes:
        by_path[node.function] += node.cycles
    flat = {row.name: row.cycles + row.parked_cycles for row in profile.by_function()}
    assert {k: v for k, v in by_path.items() if v} == {k: v for k, v in flat.items() if v}
    folded = folded_text(profile).splitlines()
    assert sum(int(line.rpartition(" ")[2]) for line in folded) == run.wall_cycles
    rows = list(csv.DictReader(io.StringIO(profile_csv(profile))))
    assert sum(int(row["cycles"]) for row in rows) == run.wall_cycles
    annotated_text(profile)
    assert own_of_callgrind(profile)[0] == run.wall_cycles
    if profile.energy_fj is not None:
        total_fj = round(Energy.from_work(run.work, architecture).energy_uj.value * 1e9)
        assert sum(int(row["energy_fj"] or 0) for row in rows) == total_fj
        assert own_of_callgrind(profile)[2] == round(total_fj / 1000)
        of_paths = folded_text(profile, energy=True).splitlines()
        assert sum(int(line.rpartition(" ")[2]) for line in of_paths) == round(total_fj / 1000)
    return profile


def own_of_callgrind(profile: RunProfile) -> list[int]:
    """The own costs of all lines of the file, which are those of its summary."""
    sums = [0, 0, 0]
    summary: list[int] = []
    after_call = False
    for line in callgrind_text(profile).splitlines():
        if line.startswith("summary: "):
            summary = [int(n) for n in line.split()[1:]]
        elif line.startswith("calls="):
            after_call = True
        elif line.startswith("0x"):
            costs = [0] * 3 if after_call else [*map(int, line.split()[2:]), 0][:3]
            sums = [a + b for a, b in zip(sums, costs, strict=True)]
            after_call = False
    assert sums[: len(summary)] == summary
    return sums


@pytest.mark.parametrize("name", MACHINES)
def test_limit_at_every_cycle(name: str) -> None:
    """The waiting instruction may never have issued; the last one may have entered a function."""
    architecture = machine(*MACHINES[name], *SMALL)
    vector = architecture.vcu is not None
    swap = "amoswap.w t2, t0, (a3)" if architecture.core.model == "t13" else "lw t2, 0(a3)"
    words = all_harts_words(VECTOR.format(end=EXIT, swap=swap) if vector else SCALAR)
    last = len(words) - (4 if not vector else 8)
    it = with_functions(program(words, DATA), 0, 6, last, last + 3)
    run = None
    waits: set[str] = set()
    for limit in (*range(1, 12), *range(12, LIMITS, 1 if name in EVERY else 5)):
        run = simulate(it, architecture, max_cycles=limit, calls=True)
        check_sums(run, it, architecture)
        waits |= {cause.partition(".")[2] for cause in run.counters}
        if run.halted != "max-cycles":
            break
    assert any(each.startswith(("wait", "retry", "execute")) for each in waits)


ENDS = {
    "trap without handler after a transfer": ("kmemld a0, a3, t0\n.word 0x0000000b", "fault"),
    "trap without handler after a product": ("kvmul a1, a0, a1\n.word 0x0000000b", "fault"),
    "ebreak after a transfer": ("kmemld a0, a3, t0\nebreak", "fault"),
    "load from nothing after a transfer": ("kmemld a0, a3, t0\nlw t1, 0(zero)", "fault"),
    "sleep after a transfer": ("kmemld a0, a3, t0\ncsrwi mstatus, 8\nwfi", "hang"),
    "exit after a transfer": ("kmemld a0, a3, t0\n" + EXIT, "exit"),
    "exit by a transfer": ("li t1, 0x1a10fff0\nli t0, 4\nkmemstr t1, a0, t0", "exit"),
    "trap loop": ("csrw mtvec, t1\nauipc t1, 0\naddi t1, t1, 12\ncsrw mtvec, t1\necall", "fault"),
}


@pytest.mark.parametrize("awake", ["one hart", "all harts"])
@pytest.mark.parametrize("name", ENDS)
def test_other_ends(name: str, awake: str) -> None:
    body, _ = ENDS[name]
    setup = VECTOR.partition("kmemld")[0].replace("csrr s0, mhartid", "csrw mtvec, zero")
    make = t13_words if awake == "one hart" else all_harts_words
    it = program(make(f"{setup}\n{body}\nhere: j here"), DATA)
    architecture = machine("t13-simd2", *SMALL)
    run = simulate(it, architecture, max_cycles=2000, calls=True)
    check_sums(run, it, architecture)


@pytest.mark.parametrize("name", ["t13", "t13-simd4", "rv32im", "ibex", "serv"])
@pytest.mark.parametrize("limit", [1, 2])
def test_nothing_or_one_instruction_issued(name: str, limit: int) -> None:
    architecture = machine(name, *SMALL)
    it = program(all_harts_words(EXIT))
    run = simulate(it, architecture, max_cycles=limit, calls=True)
    profile = check_sums(run, it, architecture)
    assert bool(profile.addresses) == (sum(hart.issued for hart in run.harts) > 0)
