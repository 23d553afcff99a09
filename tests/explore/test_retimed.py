"""Points priced from a recorded path are what runs on their machines give, field by field."""

from __future__ import annotations

from dataclasses import fields, replace
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest

from gnomon.arch import load_architecture
from gnomon.explore import make_sweep, run_sweep
from gnomon.measure.kernels import FixedPoint, KernelBench, find_kernel
from gnomon.measure.learners import EmbeddedSizes, LearnerBench, find_embedded_learner

if TYPE_CHECKING:
    from pathlib import Path

    from gnomon.arch import Architecture

MACHINE = "t13-paper-simd1"


def machines(simd: int) -> list[Architecture]:
    """What a path can be priced on, with the lanes that its program was built for."""
    return [
        load_architecture(
            MACHINE,
            [f"vcu.simd={simd}", f"vcu.sharing={sharing}", f"vcu.divider={lane}",
             f"core.divider={core}"],
        )
        for sharing, (lane, core) in product(
            ("shared", "replicated", "multithreaded"),
            (("restoring_r2", "klessydra_vl_hf"), ("klessydra_vl_std", "restoring_r4")),
        )
    ]  # fmt: skip


def assert_equal(priced: Any, direct: Any) -> None:
    for each in fields(direct):
        assert getattr(priced, each.name) == getattr(direct, each.name), each.name


@pytest.mark.parametrize("variant", ["standard-vector", "standard"])
def test_learners(variant: str) -> None:
    learner, sizes = find_embedded_learner("linucb-disjoint"), EmbeddedSizes(2, 2)
    chosen = learner.variant(variant)
    first, *others = machines(simd=2)
    program = LearnerBench(learner, chosen, first, sizes).build()
    step = LearnerBench(learner, chosen, first, sizes).step(case="random")
    given: dict[str, Any] = {"case": "random", "details": False, "program": program, "step": step}
    base = LearnerBench(learner, chosen, first, sizes).measure(**given)
    path = LearnerBench(learner, chosen, first, sizes).record(program, step)
    walls = set()
    for machine in others:
        direct = LearnerBench(learner, chosen, machine, sizes).measure(**given)
        assert_equal(base.retimed(path.retime(machine)), direct)
        walls.add(direct.wall_cycles)
    assert len(walls) > 1


def test_kernels() -> None:
    kernel, fixed = find_kernel("multiply"), FixedPoint()
    variant = kernel.variant("vector")
    first, *others = machines(simd=4)
    given: dict[str, Any] = {
        "seed": 0,
        "program": KernelBench(kernel, variant, first, fixed).build(),
    }
    extents = kernel.square(6)
    base = KernelBench(kernel, variant, first, fixed).measure(extents, **given)
    path = KernelBench(kernel, variant, first, fixed).record(extents, **given)
    for machine in others:
        direct = KernelBench(kernel, variant, machine, fixed).measure(extents, **given)
        assert_equal(base.retimed(path.retime(machine)), replace(direct, arch=base.arch))


def test_a_sweep_says_how_it_came_by_its_points(own_cache: Path) -> None:
    sweep = make_sweep(
        {
            "schema": 1,
            "name": "retimed",
            "learner": "linucb-disjoint",
            "arch": MACHINE,
            "fixed": {"variant": "standard-vector", "case": "random", "d": 2, "arms": 2},
            "axes": {
                "vcu.sharing": ["shared", "replicated", "multithreaded"],
                "vcu.divider": ["restoring_r2", "combinational", "klessydra_vl_std"],
                "clock": ["50 MHz", "100 MHz"],
            },
            "objectives": ["time"],
        }
    )
    result = run_sweep(sweep)
    counts = result.counts
    assert not result.failed
    # One run, one recording; shared or replicated is the same machine to a single hart.
    assert (counts.simulated, counts.recorded, counts.retimed, counts.alike) == (1, 1, 5, 12)
    learner = find_embedded_learner("linucb-disjoint")
    for row in result.rows[::5]:
        assert row.task is not None
        variant = learner.variant("standard-vector")
        bench = LearnerBench(learner, variant, row.task.architecture, EmbeddedSizes(2, 2))
        run = bench.measure(case="random", details=False)
        metrics = row.outcome.metrics
        assert metrics["select_cycles"] == run.select.wall_cycles
        assert metrics["update_cycles"] == run.update.wall_cycles
        assert metrics["hart_cycles"] == run.hart_cycles
        assert metrics["time_us"] == run.time_us
