"""Prices against a program that makes the same calls: they differ by the calls alone."""

from __future__ import annotations

import pytest

from gnomon.arch import load_architecture
from gnomon.base.errors import GnomonError
from gnomon.content.algorithms.linucb_disjoint.learner import DisjointLinUCBOptimized
from gnomon.learn import Call, Trace
from gnomon.measure.replay import Replay
from gnomon.measure.replay._direct import fitting, run_direct

SIMD4 = load_architecture("t13-simd4")
STEP = [
    Call("matvec", (8, 8)),
    Call("dot", (8,)),
    Call("scale", (8, 1)),
    Call("add", (8, 1)),
    Call("outer", (8, 8)),
    Call("sub", (8, 8)),
    Call("rank1_update", (8, 8)),
    Call("multiply", (4, 8, 4)),
]


SLOTS = 3  # an instruction of the caller takes one turn of the 3 interleaved harts


@pytest.mark.parametrize("vector", [False, True])
def test_totals_agree_to_the_instructions_of_the_caller(vector: bool) -> None:
    """Wall cycles differ by one turn for each instruction that loads arguments and jumps.

    The last wait ends at an issue of the next instruction: 2 cycles, whatever the number of calls.
    """
    calls = [call for call in STEP for _ in range(2)] + STEP
    run = run_direct(calls, SIMD4, vector=vector)
    assert run.calls == 24
    caller = run.issued - run.priced_issued
    assert 4 * run.calls < caller < 12 * run.calls
    assert 0 <= run.wall_cycles - run.priced_wall_cycles - SLOTS * caller <= 4
    assert 0 <= run.hart_cycles - run.priced_hart_cycles - caller <= 4
    assert run.overhead_wall_cycles == (run.wall_cycles - run.priced_wall_cycles) / 24
    assert run.overhead_wall_cycles == pytest.approx(21, abs=1)  # as docs/guide/replay.md states
    assert run.unwaited_wall_cycles < run.wall_cycles
    assert abs(run.unwaited_share) < 0.02


def test_a_step_of_a_learner_agrees_call_by_call() -> None:
    learner = DisjointLinUCBOptimized(arms=2, dimensions=4)
    context = [0.5, -0.25, 0.125, 1.0]
    with Trace.record() as trace:
        learner.update(context, learner.select(context), 1.0)
    calls = [part for entry in trace.entries for part in entry.call.parts() * entry.count]
    assert {"argmax", "divide", "sqrt"} < {call.kernel for call in calls}
    run = run_direct(calls, SIMD4)
    priced = Replay.from_trace(trace, SIMD4, expand=True, direct_calls=0)
    assert (run.calls, run.priced_wall_cycles) == (priced.calls, priced.wall_cycles)
    caller = run.issued - run.priced_issued
    assert 4 * run.calls < caller < 12 * run.calls
    assert 0 <= run.wall_cycles - run.priced_wall_cycles - SLOTS * caller <= 4


def test_a_vector_call_overlaps_with_the_transfer_before_it() -> None:
    """So without waits a sequence may take less than its prices, which hold the waits."""
    calls = [Call("outer", (8, 8))] * 8
    run = run_direct(calls, SIMD4, vector=True)
    assert run.unwaited_wall_cycles < run.priced_wall_cycles < run.wall_cycles
    scalar = run_direct(calls, SIMD4)
    assert scalar.priced_wall_cycles < scalar.unwaited_wall_cycles < scalar.wall_cycles


def test_only_what_fits_is_run_together() -> None:
    calls = [Call("add", (100, n)) for n in (100, 101, 102, 103)]
    fit = fitting(calls, SIMD4)  # 256 KiB, of which 8 KiB are kept: two pairs and one result
    assert fit == calls[:2]
    assert fitting([Call("add", (400, 400))], SIMD4) == []


def test_no_call() -> None:
    with pytest.raises(GnomonError) as caught:
        run_direct([], SIMD4)
    assert str(caught.value) == "a direct run needs at least one call"
