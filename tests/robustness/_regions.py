"""Programs with regions, measured, and compared with the trace of the same run."""

from __future__ import annotations

from gnomon.isa import assemble
from gnomon.sim import Region, RegionRun, Run, simulate
from tests.robustness._programs import RESET_PC, all_harts_words, machine, program, t13_words

MACHINES = {
    "shared": ("vcu.sharing=shared",),
    "multithreaded": ("vcu.sharing=multithreaded",),
    "in order": ("core.superscalar=false",),
}


def pc_of(words: list[int], statement: str, occurrence: int = 0) -> int:
    """Address of an instruction that takes one word."""
    (word,) = assemble(statement)
    places = [index for index, each in enumerate(words) if each == word]
    return RESET_PC + 4 * places[occurrence]


def measure(
    words: list[int], regions: list[Region], *overrides: str, quantum_cycles: int = 1_000_000
) -> tuple[Run, Run]:
    """The run with regions, and the traced run without; they must agree in everything else."""
    architecture = machine("t13-simd2", *overrides)
    it = program(words)
    run = simulate(
        it, architecture, max_cycles=50_000, regions=regions, quantum_cycles=quantum_cycles
    )
    traced = simulate(it, architecture, max_cycles=50_000, trace=True)
    without = {"regions": {}, "warnings": ()}
    assert run.to_json() | without == traced.to_json() | without
    return run, traced


def only(run: Run, name: str, hart: int = 0) -> RegionRun:
    (part,) = [part for part in run.regions[name] if part.hart == hart]
    return part


LOOP = all_harts_words(
    """
    csrr s0, mhartid
    li t0, 16
    csrw mvsize, t0
    li a0, 0x10000000
    li a1, 0x10001000
    li a3, 0x100000
    addi s1, s0, 4
loop:
    addi t1, zero, 11
    kmemld a0, a3, t0
    kvmul a1, a0, a1
    kaddv a1, a0, a1
    div t2, s1, t1
    sw t2, 0(a3)
    addi t1, zero, 22
    addi s1, s1, -1
    bnez s1, loop
    bnez s0, asleep
    li t1, 4000
wait:
    addi t1, t1, -1
    bnez t1, wait
    li t0, 0x1a10fff0
    sw zero, 0(t0)
stay: j stay
asleep:
    csrwi mstatus, 8
    wfi
    """
)

FUNCTIONS = t13_words(
    """
    li sp, 0x104000
    li a0, 5
    jal ra, factorial
    jal ra, outer
    jal ra, outer
    li t0, 0x1a10fff0
    sw zero, 0(t0)
stay: j stay
factorial:
    addi sp, sp, -16
    sw ra, 0(sp)
    sw a0, 4(sp)
    addi a0, a0, -1
    beqz a0, one
    jal ra, factorial
    lw t1, 4(sp)
    mul a0, a0, t1
    j leave
one:
    addi a0, zero, 1
leave:
    lw ra, 0(sp)
    addi sp, sp, 16
    ret
outer:
    addi sp, sp, -32
    sw ra, 0(sp)
    jal ra, inner
    jal ra, inner
    lw ra, 0(sp)
    addi sp, sp, 32
    ret
inner:
    xor t2, t2, t2
    ret
    """
)
FACTORIAL = pc_of(FUNCTIONS, "addi sp,sp,-16")
OUTER = pc_of(FUNCTIONS, "addi sp,sp,-32")
INNER = pc_of(FUNCTIONS, "xor t2,t2,t2")
