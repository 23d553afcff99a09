"""Damaged programs end in an orderly way: refused in one line, or run to one of the four ends."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from gnomon.base.errors import GnomonError
from gnomon.program import load_elf
from gnomon.sim import simulate
from tests.robustness._fuzz import KINDS, MAX_CYCLES, damaged, end_of, machine_of
from tests.rows import light_and_heavy
from tests.sanitizers import sanitized

if TYPE_CHECKING:
    from pathlib import Path

    from gnomon.sim import Run

BOUNDS_SEEDS = 1500


@pytest.mark.parametrize("seeds", light_and_heavy("oracle", 1, [400, 2000]))
def test_damaged_programs(seeds: int) -> None:
    ends = Counter(end_of(seed) for seed in range(seeds))
    assert sum(ends.values()) == seeds
    # Every end is met, and most programs run, or this test would show little.
    assert set(ends) == {"exit", "fault", "hang", "max-cycles", "refused"}
    assert ends["refused"] < seeds // 2


def _run(seed: int, *, trace: bool = False, quantum_cycles: int = 1_000_000) -> Run | None:
    try:
        return simulate(
            load_elf(damaged(seed)),
            machine_of(seed),
            max_cycles=MAX_CYCLES,
            trace=trace,
            quantum_cycles=quantum_cycles,
        )
    except GnomonError:
        return None


@pytest.mark.parametrize("seeds", light_and_heavy("oracle", 1, [100, 400]))
def test_tracing_and_interruptions_change_nothing(seeds: int) -> None:
    """Tracing takes sleeping harts through every slot; small quanta stop between instructions."""
    compared = 0
    for seed in range(seeds):
        if KINDS[seed % len(KINDS)] in ("header", "truncated"):
            continue
        run = _run(seed)
        if run is None:
            continue
        traced = _run(seed, trace=True)
        assert traced is not None
        assert traced.trace is not None
        assert traced.to_json() == run.to_json(), seed
        assert len(traced.trace) == sum(hart.issued for hart in run.harts), seed
        assert (traced.profile.cycles == run.profile.cycles).all(), seed
        assert run.profile.cycles.sum() + run.counters["boot"] == run.wall_cycles, seed
        interrupted = _run(seed, quantum_cycles=17)
        assert interrupted is not None
        assert interrupted.to_json() == run.to_json(), seed
        compared += 1
    assert compared > seeds // 2


@pytest.mark.heavy("sanitize")
def test_no_access_outside_an_array(tmp_path: Path, pytestconfig: pytest.Config) -> None:
    """The engine is compiled without checks; here it is compiled with GCC's sanitizers."""
    environment = os.environ | sanitized() | {"GNOMON_CACHE": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-m", "tests.robustness._bounds", str(BOUNDS_SEEDS)],
        cwd=pytestconfig.rootpath,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    ends = json.loads(done.stdout)
    assert sum(ends["usual"].values()) == sum(ends["odd"].values()) == BOUNDS_SEEDS
    assert ends["odd"]["fault"] > BOUNDS_SEEDS // 5
