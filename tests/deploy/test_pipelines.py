"""Pipelines of stages: both engines agree in every time, with every feature."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest

from gnomon.base.errors import GnomonError
from gnomon.deploy._compiled import simulate_compiled
from gnomon.deploy._conservation import check_pipeline
from gnomon.deploy._model import Sleep
from gnomon.deploy._simpy_model import simulate_with_simpy
from gnomon.deploy._stages import PipelineModel, StageModel, StageRecord


def random_pipeline(seed: int) -> PipelineModel:
    """Few distinct times, so that much happens at the same instant."""
    rng = np.random.default_rng([46829, seed])
    harts = int(rng.integers(1, 4))
    horizon = int(rng.integers(100, 1200))
    stages: list[StageModel] = []
    for place in range(int(rng.integers(1, 6))):
        samples = int(rng.integers(1, 4))
        after = int(rng.integers(0, place)) if place and rng.random() < 0.7 else -1
        every = int(rng.integers(1, 4)) if after >= 0 else 1
        if after < 0:
            due = np.sort(rng.integers(0, horizon, int(rng.integers(0, 30))))
        else:
            count = len(stages[after].due_ps) // every
            due = rng.integers(0, 40, count) * (rng.random(count) < 0.5)
        n = len(due)
        vector = bool(rng.random() < 0.3)
        stages.append(
            StageModel(
                due_ps=due,
                sample=rng.integers(0, samples, n),
                run_ps=rng.integers(1, 30, samples),
                extra_mw=rng.random(samples),
                after=after,
                every=every,
                wanted=rng.random(n) < 0.8 if rng.random() < 0.5 else None,
                priority=int(rng.integers(0, 3)),
                hart=int(rng.integers(0, harts)) if rng.random() < 0.3 else -1,
                vector=vector,
                interruptible=bool(rng.random() < 0.5) and not vector,
                places=int(rng.integers(-1, 4)),
                correction_period=int(rng.integers(0, 4)),
                correcting_ps=rng.integers(1, 90, samples),
                correcting_mw=rng.random(samples),
            )
        )
    sleep = Sleep(*(int(rng.integers(0, top)) * (rng.random() < 0.75) for top in (30, 20, 20)))
    return PipelineModel(
        stages=tuple(stages),
        horizon_ps=horizon,
        harts=harts,
        vector_units=int(rng.integers(1, harts + 1)),
        sleep=sleep if rng.random() < 0.6 else None,
        state_mw=rng.random(4),
        enter_uj=rng.random(),
        wake_uj=rng.random(),
    )


def features(model: PipelineModel, record: StageRecord) -> set[str]:
    """Return what happens in a run, by name."""
    ended = [part >= 0 for part in record.split("end_ps", model.first_job)]
    dropped = record.split("dropped", model.first_job)
    found = {"sleeps": record.enters > 0, "wakes": record.wakes > 0}
    for stage, ends, drops, interrupted in zip(
        model.stages, ended, dropped, record.interrupted, strict=True
    ):
        ran = bool(ends.any())
        known = {
            "drops": bool(drops.any()),
            "interrupts": interrupted > 0,
            "of several runs": ran and stage.every > 1,
            "of a pinned stage": ran and stage.hart >= 0 and model.harts > 1,
            "of a third stage": ran and stage.after >= 0 and model.stages[stage.after].after >= 0,
            "of a vector stage": ran and stage.vector,
            "scalar next to vector": ran and not stage.vector and any(
                other.vector for other in model.stages
            ),
            "corrects": ran and stage.correction_period > 0,
            "of two followers": stage.after >= 0 and sum(
                other.after == stage.after for other in model.stages
            ) > 1,
        }  # fmt: skip
        found = {name: found.get(name, False) or there for name, there in (found | known).items()}
    return {name for name, there in found.items() if there}


def same(one: StageRecord, other: StageRecord) -> None:
    for field in fields(StageRecord):
        left, right = np.asarray(getattr(one, field.name)), np.asarray(getattr(other, field.name))
        if left.dtype.kind == "f":
            assert left == pytest.approx(right, rel=1e-12, abs=1e-12), field.name
        else:
            assert np.array_equal(left, right), field.name


def test_a_thousand_random_pipelines_do_as_the_model_does() -> None:
    met: set[str] = set()
    for seed in range(1000):
        model = random_pipeline(seed)
        truth = simulate_with_simpy(model)
        same(simulate_compiled(model), truth)
        check_pipeline(model, truth)
        met |= features(model, truth)
    assert met == {
        "sleeps", "wakes", "drops", "interrupts", "of several runs", "of a pinned stage",
        "of a third stage", "of a vector stage", "scalar next to vector", "corrects",
        "of two followers",
    }  # fmt: skip


def stage(due: list[int], run: int, **changes: object) -> StageModel:
    """Every run takes the same time."""
    times = np.array(due, dtype=np.int64)
    given = {
        "sample": np.zeros(len(due), np.int64),
        "run_ps": np.array([run]),
        "extra_mw": np.zeros(1),
    }
    return StageModel(due_ps=times, **given | changes)  # type: ignore[arg-type]


def device(*stages: StageModel, horizon: int = 100, harts: int = 1) -> PipelineModel:
    return PipelineModel(stages, horizon, harts, harts, None, np.zeros(4), 0.0, 0.0)


@pytest.mark.parametrize("simulate", [simulate_compiled, simulate_with_simpy])
def test_a_chain_by_hand(simulate: object) -> None:
    """Sample every 10; filter after each; infer after every second filter, on the other hart."""
    model = device(
        stage([0, 10, 20, 30], 2, priority=2),
        stage([0, 0, 0, 0], 3, after=0, priority=1),
        stage([0, 0], 12, after=1, every=2, hart=1),
        harts=2,
    )
    record = simulate(model)  # type: ignore[operator]
    starts, ends, origins = (
        record.split(name, model.first_job) for name in ("start_ps", "end_ps", "origin_ps")
    )
    assert starts[0].tolist() == [0, 10, 20, 30]
    assert ends[1].tolist() == [5, 15, 25, 35]
    assert starts[2].tolist() == [15, 35]
    assert ends[2].tolist() == [27, 47]
    assert origins[2].tolist() == [0, 20]  # the oldest sample that it uses


@pytest.mark.parametrize("simulate", [simulate_compiled, simulate_with_simpy])
def test_a_higher_priority_interrupts_the_lowest(simulate: object) -> None:
    model = device(
        stage([0], 50, interruptible=True),
        stage([10], 20, priority=1, interruptible=True),
        stage([15, 60], 5, priority=2),
    )
    record = simulate(model)  # type: ignore[operator]
    assert record.end_ps.tolist() == [80, 35, 20, 65]
    assert record.interrupted.tolist() == [2, 1, 0]


def test_what_is_lost_is_found() -> None:
    model = device(stage([0, 10, 20, 30], 4), stage([3, 3, 3, 3], 2, after=0), horizon=33)
    check_pipeline(model, simulate_compiled(model))
    for name, message in (
        ("last_waiting", "requests waiting"), ("serving", "in service"), ("waiting_ps", "waits of"),
        ("worked_ps", "work of finished runs"), ("dropped", "dropped"),
        ("state_ps", "time in all states"),
    ):  # fmt: skip
        record = simulate_compiled(model)
        getattr(record, name)[-4 if name == "worked_ps" else -1] += 3
        with pytest.raises(AssertionError, match=message):
            check_pipeline(model, record)
    later = replace(model.stages[1], due_ps=np.full(4, 4))
    with pytest.raises(AssertionError, match="request after a run"):
        check_pipeline(replace(model, stages=(model.stages[0], later)), simulate_compiled(model))


def test_what_no_engine_could_run() -> None:
    good = device(stage([0, 5], 1), stage([0, 0], 1, after=0))
    first, second = good.stages
    with pytest.raises(GnomonError, match="in order of time"):
        replace(good, stages=(stage([5, 0], 1),))
    with pytest.raises(GnomonError, match="before the end"):
        replace(good, stages=(stage([100], 1),))
    with pytest.raises(GnomonError, match="after runs of an earlier stage"):
        replace(good, stages=(replace(second, after=0), first))
    with pytest.raises(GnomonError, match="not one request per 2 runs"):
        replace(good, stages=(first, replace(second, every=2)))
    with pytest.raises(GnomonError, match="different lengths"):
        replace(good, stages=(replace(first, extra_mw=np.zeros(2)),))
    with pytest.raises(GnomonError, match="not one of 1 measured"):
        replace(good, stages=(replace(first, sample=np.array([0, 1])),))
    with pytest.raises(GnomonError, match="no such hart"):
        replace(good, stages=(replace(first, hart=1),))
