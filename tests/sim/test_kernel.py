"""A preemptive kernel: its tasks compute the same results wherever they are interrupted."""

from __future__ import annotations

from pathlib import Path

import pytest

from gnomon.arch import load_architecture
from gnomon.program import build
from gnomon.sim import simulate

FOLDER = Path(__file__).parents[2] / "examples" / "kernel"
WORD = 2**32 - 1


def expected_hash() -> int:
    x = 1
    for k in range(6000):
        x = (x ^ k) * 16_777_619 + (x >> 13) & WORD
    return x


def test_tasks_are_preempted_yield_and_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = load_architecture(FOLDER / "board.yaml")
    program = build([FOLDER / "kernel.c"], machine)
    runs = []
    for tier, quantum in (("off", 20_000_000), ("force", 20_000_000), ("off", 731)):
        monkeypatch.setenv("GNOMON_BLOCKS", tier)
        runs.append(simulate(program, machine, quantum_cycles=quantum,
                             regions=["schedule", "enter_kernel"]))  # fmt: skip
    run, *others = runs
    assert all(each.to_json() == run.to_json() for each in others)
    lines = dict(line.rsplit(" ", 1) for line in run.console.splitlines())
    beats = [line for line in run.console.splitlines() if line.startswith("beat ")]
    assert (run.halted, run.exit_code, len(beats)) == ("exit", 5, 5)
    assert (int(lines["hash"]), int(lines["sum"])) == (
        expected_hash(), sum(k * k for k in range(3000)) & WORD,
    )  # fmt: skip
    # A beat is late by less than a tick: the task before it may hold the core for one.
    assert [int(line.split()[-1]) for line in beats] == [3, 6, 9, 12, 15]
    (schedule,), (entered,) = run.regions["schedule"], run.regions["enter_kernel"]
    ticks, calls = int(lines["ticks"]), run.work.instructions["ecall"]
    assert calls >= 3000 // 50 + 5 + 2  # yields, waits, ends
    assert schedule.entries == entered.entries == ticks + calls
    assert machine.core.latency is not None
    system = machine.core.latency.system  # of an ecall
    assert run.counters["hart0.trap"] == ticks * 4 + calls * system
    assert run.counters["hart0.parked"] > 0
    assert ticks * 2000 < run.wall_cycles
