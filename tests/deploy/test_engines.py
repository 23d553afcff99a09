"""The compiled engine equals the SimPy model, in every time and every count, on small cases."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gnomon.base.errors import GnomonError
from gnomon.deploy import ENGINES
from gnomon.deploy._learner_stages import simulate_learner, simulate_learner_with_simpy
from gnomon.deploy._model import (
    ASLEEP,
    AWAKE,
    ENTERING,
    PRIORITIES,
    WAKING,
    DeploymentRecord,
    Draw,
    Requests,
    ServingDevice,
    Sleep,
    Stages,
)  # fmt: skip

Case = tuple[Requests, Stages, ServingDevice, Draw]


def random_case(seed: int) -> Case:
    """Few distinct times, so that much happens at the same instant; every feature at times."""
    rng = np.random.default_rng(seed)
    n, samples = int(rng.integers(1, 60)), int(rng.integers(1, 4))
    step = int(rng.integers(1, 4))

    def times(low: int, high: int, count: int) -> np.ndarray:
        return rng.integers(low, high, count).astype(np.int64) * step

    arrival = np.sort(times(0, 40 * n // step, n))
    requests = Requests(
        arrival,
        int(arrival[-1]) + int(rng.integers(1, 100)),
        rng.integers(0, samples, n),
        rng.random(n) < 0.7,
        times(0, 60, n),
    )
    most = 40 // step + 2
    stages = Stages(
        times(1, most, samples),
        times(1, most, samples),
        times(1, 90, samples),
        int(rng.integers(0, 4)),
        bool(rng.random() < 0.3),
    )
    harts = int(rng.integers(1, 4))
    # Of each time of sleep one in four is 0: falling asleep or waking at once.
    sleep = Sleep(
        *(int(rng.integers(0, top)) * step * (rng.random() < 0.75) for top in (30, 20, 20))
    )
    priority = PRIORITIES[rng.integers(0, 3)]
    device = ServingDevice(
        harts,
        int(rng.integers(1, harts + 1)),
        priority,
        priority == "decisions-first" and bool(rng.random() < 0.7),
        int(rng.integers(-1, 4)),
        int(rng.integers(-1, 4)),
        sleep if rng.random() < 0.6 else None,
    )
    draw = Draw(rng.random(4), rng.random(), rng.random(), *rng.random((3, samples)))
    return requests, stages, device, draw


def features(case: Case, record: DeploymentRecord) -> set[str]:
    """Return what happens in a run, by name; also what a run with it differs in."""
    requests, stages, device, _ = case
    found = {
        device.priority: bool(record.most_decisions and record.most_updates),
        "sleeps": record.enters > 0,
        "wakes": record.wakes > 0,
        "preempts": record.preemptions > 0,
        "preempts after corrections": record.preemptions > 0 and bool(record.corrected.any()),
        "corrects": bool(record.corrected.any()),
        "drops decisions": bool(record.select_dropped.any()),
        "drops updates": bool(record.update_dropped.any()),
        "no places": device.decision_places == 0 and bool(record.select_dropped.any()),
        "several steps": len(set(requests.sample[record.select_end_ps >= 0].tolist())) > 1,
        "rewards at once": bool((requests.delay_ps == 0)[record.update_end_ps >= 0].any()),
        "no reward": not requests.rewarded.all(),
        "same instant": bool((np.diff(requests.arrival_ps) == 0).any()),
        "cut decisions": record.serving_decisions > 0,
        "cut updates": record.serving_updates > 0,
        "waiting decisions at the end": record.last_decisions > 0,
        "waiting updates at the end": record.last_updates > 0,
        "harts side by side": int(record.select_worked_ps.sum() + record.update_worked_ps.sum())
        > record.any_busy_ps,
        "fewer vector units than harts": stages.vector
        and device.vector_units < device.harts
        and record.most_decisions > 0,
    }
    if device.sleep is not None and record.wakes:
        found["wakes at once"] = device.sleep.wake_ps == 0
        found["wakes later"] = device.sleep.wake_ps > 0
        found["falls asleep at once"] = device.sleep.enter_ps == 0
        found["falls asleep later"] = device.sleep.enter_ps > 0
        found["sleeps as soon as idle"] = device.sleep.after_ps == 0
    return {name for name, there in found.items() if there}


FEATURES = {
    *PRIORITIES, "sleeps", "wakes", "preempts", "preempts after corrections", "corrects",
    "drops decisions", "drops updates", "no places", "several steps", "rewards at once",
    "no reward", "same instant", "cut decisions", "cut updates", "waiting decisions at the end",
    "waiting updates at the end", "harts side by side", "fewer vector units than harts",
    "wakes at once", "wakes later", "falls asleep at once", "falls asleep later",
    "sleeps as soon as idle",
}  # fmt: skip


def same(one: DeploymentRecord, other: DeploymentRecord) -> None:
    for field in fields(DeploymentRecord):
        left, right = getattr(one, field.name), getattr(other, field.name)
        if isinstance(left, float):
            assert left == pytest.approx(right, rel=1e-12, abs=1e-12), field.name
        else:
            assert np.array_equal(left, right), field.name


def test_random_cases_do_as_the_model_does_with_every_feature() -> None:
    met: set[str] = set()
    for seed in range(150):
        case = random_case(seed)
        truth = simulate_learner_with_simpy(*case)
        same(simulate_learner(*case), truth)
        met |= features(case, truth)
    assert met == FEATURES


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_both_engines_do_the_same(seed: int) -> None:
    requests, stages, device, draw = random_case(seed)
    compiled = simulate_learner(requests, stages, device, draw)
    same(compiled, simulate_learner_with_simpy(requests, stages, device, draw))


def constant(select_ps: int, update_ps: int, *, vector: bool = False) -> Stages:
    """One step, always the same."""
    select, update = (np.array([ps], dtype=np.int64) for ps in (select_ps, update_ps))
    return Stages(select, update, update, 0, vector)


def one_hart(arrivals: list[int], horizon: int, **changes: object) -> Case:
    """Selections take 10, updates 4; rewards come 3 after the decision."""
    n = len(arrivals)
    requests = Requests(
        np.array(arrivals),
        horizon,
        np.zeros(n, dtype=np.int64),
        np.ones(n, dtype=np.bool_),
        np.full(n, 3, dtype=np.int64),
    )
    device = ServingDevice(**changes)  # type: ignore[arg-type]
    return requests, constant(10, 4), device, Draw.nothing(1)


@pytest.mark.parametrize("simulate", ENGINES.values(), ids=ENGINES)
def test_by_hand(simulate: object) -> None:
    case = one_hart([0, 1, 12], 60)
    record = simulate(*case)  # type: ignore[operator]
    # 0..10, 10..20 and 20..30 decide; the first reward is back at 13, and waits for all of them.
    assert record.select_start_ps.tolist() == [0, 10, 20]
    assert record.update_ready_ps.tolist() == [13, 23, 33]
    assert record.update_start_ps.tolist() == [30, 34, 38]
    assert (record.most_decisions, record.most_updates) == (1, 2)
    assert record.waiting_decision_ps == 9 + 8
    assert record.waiting_update_ps == 17 + 11 + 5
    assert record.any_busy_ps == 42


@pytest.mark.parametrize("simulate", ENGINES.values(), ids=ENGINES)
def test_updates_first_and_preemption_by_hand(simulate: object) -> None:
    record = simulate(*one_hart([0, 1, 12], 60, priority="updates-first"))  # type: ignore[operator]
    assert record.select_start_ps.tolist() == [0, 10, 28]  # 20..28 two updates
    # The update of 0 starts at 13; the request at 14 takes its place until 24, then it resumes.
    record = simulate(*one_hart([0, 14], 60, preempt=True))  # type: ignore[operator]
    assert record.select_start_ps.tolist() == [0, 14]
    assert (record.update_start_ps[0], record.update_end_ps[0], record.preemptions) == (13, 27, 1)


@pytest.mark.parametrize("simulate", ENGINES.values(), ids=ENGINES)
def test_queue_limit_by_hand(simulate: object) -> None:
    record = simulate(*one_hart([0, 1, 2, 10, 11], 60, decision_places=1))  # type: ignore[operator]
    # At 10 the hart is free at once for the one that waits, so there is a place again.
    assert record.select_dropped.tolist() == [False, False, True, False, True]


@pytest.mark.parametrize("simulate", ENGINES.values(), ids=ENGINES)
def test_sleep_by_hand(simulate: object) -> None:
    requests, stages, device, _ = one_hart([20, 21], 100, sleep=Sleep(5, 2, 6))
    draw = Draw(np.array([1.0, 2.0, 0.0, 3.0]), 0.0, 0.0, *np.full((3, 1), 4.0))
    record = simulate(requests, stages, device, draw)  # type: ignore[operator]
    # Awake to 5, falling asleep to 7, asleep to 20, waking to 26; decisions to 46. The
    # rewards are learned by 54; 59 is 5 later.
    assert record.select_start_ps.tolist() == [26, 36]
    assert record.state_ps[[AWAKE, ENTERING, ASLEEP, WAKING]].tolist() == [38, 4, 52, 6]
    assert (record.enters, record.wakes) == (2, 1)
    assert record.energy_uj == pytest.approx((38 + 2 * 4 + 3 * 6 + 4 * 28) * 1e-9)


def test_a_vector_unit_that_two_harts_share() -> None:
    requests, _, _, draw = one_hart([0, 0], 60)
    stages = constant(10, 4, vector=True)
    shared = simulate_learner(requests, stages, ServingDevice(harts=2, vector_units=1), draw)
    assert shared.select_start_ps.tolist() == [0, 10]
    each = simulate_learner(requests, stages, ServingDevice(harts=2, vector_units=2), draw)
    assert each.select_start_ps.tolist() == [0, 0]


def test_corrections_come_every_so_many_updates() -> None:
    requests, _, device, draw = one_hart([0, 20, 40, 60, 80], 200)
    stages = Stages(*(np.array([ps]) for ps in (10, 4, 90)), correction_period=2)
    record = simulate_learner(requests, stages, device, draw)
    assert record.corrected.tolist() == [False, True, False, True, False]


def test_what_no_engine_could_run() -> None:
    none = np.zeros(1, dtype=np.int64)
    with pytest.raises(GnomonError, match="too long"):
        Requests(none, 2**62 + 1, none, none > 0, none)
    with pytest.raises(GnomonError, match="before the end"):
        Requests(none + 5, 5, none, none > 0, none)
    with pytest.raises(GnomonError, match="at least 1 ps"):
        constant(0, 1)
