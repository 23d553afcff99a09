"""A cycle limit at every cycle of a run: what is counted is what happened up to there."""

from __future__ import annotations

import numpy as np
import pytest

from gnomon.sim import Run, simulate
from tests.robustness._programs import HANDLER_PC, all_harts_words, machine, program
from tests.rows import light_and_heavy

LAST_LIMIT = 300

# Transfers, vector work, retries, traps with extra cycles, divisions, an interrupt and sleep.
PROGRAM = all_harts_words(
    """
    csrr s0, mhartid
    la t1, handler
    csrw mtvec, t1
    li t0, 16
    csrw mvsize, t0
    li a0, 0x10000000
    li a1, 0x10001000
    li a2, 0x10002000
    li a3, 0x100000
    kmemld a0, a3, t0
    kmemld a1, a3, t0
    kvmul a2, a0, a1
    kaddv a2, a0, a2
    bnez s0, others
    li t2, 7
    div t2, t0, t2
    csrw mhartid, zero
    ecall
    li t1, 0xff04
    li t2, 8
    sw t2, 0(t1)
    kdotp a0, a2, a1
    kmemstr a3, a0, t0
    li t1, 0x1a10fff0
    kmemstr t1, a0, t0
    sw zero, 0(t1)
stay: j stay
others:
    kvred a2, a0
    csrwi mstatus, 8
    wfi
    lw t3, 0(a3)
    wfi
handler:
    csrr t4, mepc
    addi t4, t4, 4
    csrw mepc, t4
    mret
    """
)

MACHINES = {
    f"{sharing}, {'superscalar' if together == 'true' else 'in order'}": (
        f"vcu.sharing={sharing}",
        f"core.superscalar={together}",
        "memory.instruction.size=4 KiB",  # small memories: there are thousands of runs
        "memory.data.size=4 KiB",
    )
    for sharing in ("shared", "replicated", "multithreaded")
    for together in ("true", "false")
}


ALL = light_and_heavy("oracle", ("shared, superscalar", "multithreaded, in order"), MACHINES)


def run_to(name: str, limit: int | None, *, trace: bool = False) -> Run:
    return simulate(
        program(PROGRAM, (0x100000, bytes(range(1, 65)))),
        machine("t13-simd2", *MACHINES[name]),
        max_cycles=limit,
        trace=trace,
    )


@pytest.mark.parametrize("name", light_and_heavy("oracle", 1, ALL))
def test_every_limit(name: str) -> None:
    """No cause ever shrinks, besides: a cycle that was counted stays with its cause."""
    before: dict[str, int] = {}
    whole = run_to(name, None, trace=True)
    assert whole.halted == "exit"
    assert whole.exit_cycle < LAST_LIMIT
    assert whole.trace is not None
    pcs = set(whole.trace["pc"].tolist())
    assert HANDLER_PC not in pcs
    for limit in range(1, LAST_LIMIT + 1):
        plain, traced = run_to(name, limit), run_to(name, limit, trace=True)
        assert plain.to_json() == traced.to_json(), limit
        now = dict(plain.counters)
        assert sum(now.values()) == plain.wall_cycles
        assert not {cause for cause, count in before.items() if now.get(cause, 0) < count}, limit
        before = now
        if limit <= whole.exit_cycle:
            assert (plain.halted, plain.wall_cycles) == ("max-cycles", limit)
        else:
            assert plain.to_json() == whole.to_json()
        seen = whole.trace[whole.trace["cycle"] < limit]
        assert np.array_equal(traced.trace, seen), limit
        for hart, counted in enumerate(plain.harts):
            rows = seen[seen["hart"] == hart]
            assert counted.issued == len(rows), limit
            assert counted.vcu_retries == np.count_nonzero(rows["word"] == 0x6F), limit
        for profile in (plain.profile, traced.profile):
            assert profile.cycles.sum() + plain.counters["boot"] == plain.wall_cycles, limit
        assert sum(hart.hart_cycles for hart in plain.harts) == max(limit_of(plain) - 2, 0)


def limit_of(run: Run) -> int:
    return run.wall_cycles


@pytest.mark.parametrize("name", MACHINES)
def test_the_quantum_does_not_show(name: str) -> None:
    it = program(PROGRAM, (0x100000, bytes(range(1, 65))))
    architecture = machine("t13-simd2", *MACHINES[name])
    for quantum_cycles in (1, 7, 1000):
        reached: list[int] = []
        run = simulate(it, architecture, quantum_cycles=quantum_cycles, progress=reached.append)
        assert run.to_json() == run_to(name, None).to_json(), quantum_cycles
        assert reached == sorted(reached), quantum_cycles
        assert len(reached) >= run.wall_cycles / (quantum_cycles + 40)


def test_progress_reaches_the_end() -> None:
    name = next(iter(MACHINES))
    reached: list[int] = []
    it = program(PROGRAM, (0x100000, bytes(range(1, 65))))
    run = simulate(it, machine("t13-simd2", *MACHINES[name]), progress=reached.append)
    assert reached[-1] > run.exit_cycle
