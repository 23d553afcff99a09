"""Whole deployments: figures that follow from others, energy, battery, searches."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from gnomon.arch import load_architecture
from gnomon.base.errors import GnomonError
from gnomon.base.interval import Interval
from gnomon.deploy import (
    Deployment,
    DeploymentResult,
    measure_service,
    read_deployment,
    search_deployment,
    simulate_deployment,
)
from gnomon.deploy._account import compute_account, compute_draw
from gnomon.deploy._battery import compute_life_ps
from gnomon.deploy._keys import DeploymentSearchKeys, RequestKeys, RewardKeys
from gnomon.deploy._model import AWAKE
from gnomon.deploy.quantities import Sourced, parse_requirement
from gnomon.deploy.streams import make_requests
from gnomon.report.deploy._facts import list_warnings, write_headline

if TYPE_CHECKING:
    from pathlib import Path

    from gnomon.deploy._service import Service

from .test_read import GOOD, written


@pytest.fixture(scope="module")
def deployment(tmp_path_factory: pytest.TempPathFactory) -> Deployment:
    return read_deployment(written(tmp_path_factory.mktemp("deploy"), GOOD))


@pytest.fixture(scope="module")
def service(deployment: Deployment) -> Service:
    return measure_service(deployment)


def changed(section: Any, **values: object) -> Any:
    return section.model_copy(update=values)


def stream(
    arrivals: str, period_ps: int, jitter_ps: int, count: int, seed: int
) -> RequestKeys:  # as the file says it; whole nanoseconds
    said = {"arrivals": arrivals, "period": f"{period_ps // 1000} ns", "count": count, "seed": seed}
    if arrivals == "periodic":
        said["jitter"] = f"{jitter_ps // 1000} ns"
    return RequestKeys.model_validate(said)


def rewards_of(delay_ps: int, kind: str, share: float) -> RewardKeys:
    said = {"delay": f"{delay_ps // 1000} ns", "kind": kind, "share": f"{100 * share:g} %"}
    return RewardKeys.model_validate(said)


def run(deployment: Deployment, service: Service, **changes: object) -> DeploymentResult:
    return simulate_deployment(replace(deployment, **changes), service)


def test_both_engines_report_the_same(deployment: Deployment, service: Service) -> None:
    compiled = simulate_deployment(deployment, service).to_json()
    simpy = simulate_deployment(deployment, service, engine="simpy").to_json()
    assert compiled == simpy


def test_service_times_are_cycles_over_the_clock(deployment: Deployment, service: Service) -> None:
    costs = run(deployment, service, device=changed(deployment.device, harts=1)).costs
    assert costs.stages.select_ps.tolist() == [20_000 * n for n in service.select_cycles]
    assert len(set(service.update_cycles)) > 1  # division takes as long as its data say


def test_energy_parts_sum_and_follow_from_steps(deployment: Deployment, service: Service) -> None:
    result = run(deployment, service)
    account = result.account
    assert account is not None
    parts = {part.name: part.energy_uj for part in account.parts}
    assert sum(part.value for part in parts.values()) == pytest.approx(account.total_uj.value)
    assert account.total_uj.value == pytest.approx(result.record.energy_uj, rel=1e-9)
    each = [energy.value for energy in result.costs.select_uj]
    assert parts["decisions"].value == pytest.approx(
        sum(each[n] for n in result.requests.sample), rel=1e-6
    )
    static = 1.5 * result.requests.horizon_ps * 1e-9
    assert parts["static"] == Interval(static, static, static, "µJ")
    assert parts["waking"].value == 0
    assert "energy of waking" in account.not_included
    assert account.power_mw.low < account.power_mw.value < account.power_mw.high


def test_lost_energy_is_noticed(deployment: Deployment, service: Service) -> None:
    result = run(deployment, service)
    result.record.energy_uj *= 1.001
    with pytest.raises(AssertionError, match="energy accounting is wrong"):
        compute_account(deployment, result.costs, result.requests, result.record)


def test_a_machine_without_a_power_table(deployment: Deployment, service: Service) -> None:
    overrides = (*deployment.overrides, "power=none")
    result = run(deployment, service, architecture=load_architecture("t13", overrides))
    found = result.to_json()
    assert (found["energy"], found["battery_life_days"]) == (None, None)
    assert "names no power table" in found["energy_reason"]


def test_battery_life_by_hand(deployment: Deployment) -> None:
    assert deployment.battery is not None
    # 675 mWh, of which 90 % are usable, at 1 mW (0.5 to 2).
    life = compute_life_ps(deployment.battery, Interval(1.0, 0.5, 2.0))
    assert life is not None
    hours = life.scaled(1 / 3.6e15, "ps")
    assert (hours.value, hours.low, hours.high) == pytest.approx((607.5, 303.75, 1215.0))
    # 8766 h lose all of it at 0.077 mW; 10 % a year is a tenth of that.
    lost = {"self_discharge_per_year": Sourced(0.1, "x", "10 %")}
    leaky = deployment.battery.model_copy(update=lost)
    life = compute_life_ps(leaky, Interval(0.0, 0.0, 0.0))
    assert life is not None
    assert life.value / 3.6e15 == pytest.approx(0.9 / 0.1 * 8766)
    assert compute_life_ps(deployment.battery, Interval(0.0, 0.0, 0.0)) is None


def test_missed_counts_late_and_dropped(deployment: Deployment, service: Service) -> None:
    often = changed(deployment.requests, period=10**7, rate=0)  # far more than it can do
    device = changed(deployment.device, waiting_decisions=1)
    result = run(deployment, service, requests=often, device=device, sleep=None)
    late = int((result.latency_ps > deployment.deadline_ps).sum()) if len(result.latency_ps) else 0
    assert result.dropped > 0
    assert result.missed >= late + result.dropped
    assert not result.keeps
    assert result.latency("p99.9") is None
    assert result.offered_load > 1
    assert run(deployment, service).offered_load < 0.1


def test_pollaczek_khinchine_beside_a_poisson_stream(
    deployment: Deployment, service: Service
) -> None:
    poisson = stream("poisson", 2 * 10**9, 0, 200_000, 5)
    device = changed(deployment.device, harts=1, waiting_decisions=-1)
    plain = {"sleep": None, "device": device, "rewards": rewards_of(0, "constant", 0)}
    result = run(deployment, service, requests=poisson, **plain)
    closed = result.closed_form_wait_ps()
    assert closed is not None
    assert result.figures["mean-wait"] == pytest.approx(closed, rel=0.05)
    assert run(deployment, service, requests=poisson).closed_form_wait_ps() is None


def test_the_slowest_clock_keeps_and_a_slower_one_does_not(
    deployment: Deployment, service: Service
) -> None:
    wanted = replace(deployment, require=deployment.require[:1])
    found = search_deployment(wanted, service)
    assert found is not None
    assert found.best is not None
    assert found.best.result is not None
    clocks = [each.result.clock_hz for each in found.tried if each.result is not None]
    assert clocks == sorted(clocks)
    place = found.tried.index(found.best)
    assert all(not each.keeps for each in found.tried[:place])
    if place:
        below = clocks[place - 1]
        assert clocks[place] <= below * 1.011


def test_the_smallest_machine(deployment: Deployment, service: Service) -> None:
    wanted = replace(
        deployment,
        require=(),
        search=DeploymentSearchKeys(arch=["t13-simd4", "t13", "rv32im"]),
    )
    found = search_deployment(wanted, service)
    assert found is not None
    assert found.best is not None
    assert found.best.name == "t13"  # not the first of the list
    (small,) = [each for each in found.tried if each.name == "rv32im"]
    assert not small.keeps
    assert "rv32im has 1" in small.reason


@pytest.mark.parametrize("objective", ["area", "power"])
def test_machines_that_cannot_be_compared_are_named(
    deployment: Deployment, service: Service, objective: str
) -> None:
    arches = ("t13-simd4", "t13")
    unknown = f"{'area' if objective == 'area' else 'power'}=none"
    wanted = replace(
        deployment,
        require=(),
        overrides=(*deployment.overrides, unknown),
        search=DeploymentSearchKeys(arch=list(arches), objective=objective),
    )
    found = search_deployment(wanted, service)
    assert found is not None
    assert found.best is None
    assert [each.name for each in found.unranked] == list(arches)
    assert found.to_json()["unranked"] == list(arches)
    result = run(deployment, service)
    (_, line) = write_headline(result, found)
    assert line == (
        f"Not compared by {found.objective}: t13-simd4, t13. All requirements are kept, but that"
        " figure is not known."
    )
    listed = replace(wanted, search=DeploymentSearchKeys(arch=list(arches), objective="listed"))
    first = search_deployment(listed, service)
    assert first is not None
    assert first.best is not None
    assert (first.best.name, first.unranked) == ("t13-simd4", ())


def test_what_is_not_known_is_not_said_to_be_missed(
    deployment: Deployment, service: Service
) -> None:
    require = tuple(map(parse_requirement, ("p99 <= 1 ns", "power <= 1 mW")))
    known = run(replace(deployment, require=require, search=None), service)
    unknown = replace(known, account=None, life_ps=None)
    line = write_headline(unknown, None)[0]
    assert "does not keep p99 <= 1 ns" in line
    assert "is not known to keep power <= 1 mW" in line
    assert unknown.verdict == "no"
    power_alone = replace(deployment, require=require[1:], search=None)
    assert replace(unknown, deployment=power_alone).verdict == "not known"


def test_shared_units_are_said_to_be_taken_as_one(tmp_path: Path) -> None:
    text = GOOD.replace("variant: optimized", "variant: optimized-vector, line: tuned")
    text = text.replace("arch: t13", "arch: t13-paper-simd4")
    for sharing, said in (("multithreaded", True), ("replicated", False)):
        machine = text.replace("clock: 50 MHz", f"clock: 50 MHz, vcu.sharing: {sharing}")
        chosen = read_deployment(written(tmp_path, machine))
        result = run(chosen, measure_service(chosen))
        told = [line for line in list_warnings(result) if "one hart at a time uses all" in line]
        assert bool(told) == said


def test_rewards_that_come_very_late_are_not_brought_forward() -> None:
    late = rewards_of(20 * 86_400 * 10**12, "constant", 1.0)
    requests = make_requests(stream("periodic", 86_400 * 10**12, 0, 25, 1), late, 1, "drawn")
    assert set(requests.delay_ps.tolist()) == {20 * 86_400 * 10**12}


def test_a_stream_that_happens_to_be_too_long_is_refused() -> None:
    rewards = rewards_of(0, "constant", 0.0)

    def make(seed: int) -> int:
        return make_requests(
            stream("poisson", 2 * 10**18, 0, 1, seed), rewards, 1, "drawn"
        ).horizon_ps

    sums = [np.random.default_rng([seed, 0]).exponential(2e18, 2).sum() for seed in range(50)]
    long = int(np.argmax(sums))
    assert 0 < make(int(np.argmin(sums))) <= 2**62 < sums[long]
    with pytest.raises(GnomonError, match=r"^1 requests happen to last [\d,]+ s, longer than a"):
        make(long)


def test_corrections_cost_what_was_measured(tmp_path: Path) -> None:
    text = GOOD.replace("variant: optimized", "variant: corrected, correction-period: 10")
    chosen = read_deployment(written(tmp_path, text))
    service = measure_service(chosen)
    assert min(service.correcting_cycles) > max(service.update_cycles)
    result = run(chosen, service)
    made = result.to_json()["updates"]
    assert made["corrections"] == made["made"] // 10


def test_the_load_offered_is_the_work_done_where_none_is_lost(tmp_path: Path) -> None:
    text = GOOD.replace("variant: optimized", "variant: corrected, correction-period: 2")
    chosen = read_deployment(written(tmp_path, text.replace("count: 100", "count: 4000")))
    plain = {"sleep": None, "rewards": rewards_of(0, "constant", 1)}
    result = run(chosen, measure_service(chosen), **plain)
    updates = result.to_json()["updates"]
    assert updates["corrections"] == updates["made"] // 2
    assert (result.dropped, updates["dropped"]) == (0, 0)
    assert result.offered_load == pytest.approx(result.figures["utilisation"], rel=0.002)


@pytest.mark.parametrize("harts", [1, 2, 3])
def test_the_peak_is_all_harts_at_their_dearest_stage(
    harts: int, deployment: Deployment, service: Service
) -> None:
    chosen = replace(deployment, device=changed(deployment.device, harts=harts))
    result = run(chosen, service)
    draw = compute_draw(chosen, result.costs)
    most = max(draw.select_mw.max(), draw.update_mw.max(), draw.correcting_mw.max())
    peak = float(draw.state_mw[AWAKE] + harts * most)
    assert peak > draw.state_mw.max()
    assert result.account is not None
    assert result.account.peak_mw == pytest.approx(peak, rel=1e-12)


def test_streams() -> None:
    rewards = rewards_of(10**9, "exponential", 0.5)
    periodic = make_requests(stream("periodic", 10**9, 10**8, 1000, 7), rewards, 3, "in-order")
    later = periodic.arrival_ps - np.arange(1000) * 10**9
    assert later.min() >= 0
    assert later.max() <= 10**8
    assert periodic.horizon_ps == 1000 * 10**9 + 10**8
    assert periodic.sample[:5].tolist() == [0, 1, 2, 0, 1]
    again = make_requests(stream("periodic", 10**9, 10**8, 1000, 7), rewards, 3, "in-order")
    assert np.array_equal(periodic.arrival_ps, again.arrival_ps)
    poisson = make_requests(stream("poisson", 10**9, 0, 50_000, 7), rewards, 3, "drawn")
    error = 3 / np.sqrt(50_000)  # three standard errors of a mean of exponentials
    assert poisson.horizon_ps / 50_001 == pytest.approx(1e9, rel=error)
    assert poisson.delay_ps.mean() == pytest.approx(1e9, rel=error)
    assert poisson.rewarded.mean() == pytest.approx(0.5, abs=3 * 0.5 / np.sqrt(50_000))
    every = RequestKeys(arrivals="recorded", file="times.csv")
    recorded = np.array([5, 10, 30], dtype=np.int64)
    whole = make_requests(every, rewards, 1, "drawn", recorded)
    assert (whole.arrival_ps.tolist(), whole.horizon_ps) == ([5, 10, 30], 42)
    part = make_requests(changed(every, count=2), rewards, 1, "drawn", recorded)
    assert (part.arrival_ps.tolist(), part.horizon_ps) == ([5, 10], 30)
    with pytest.raises(GnomonError, match="longer than a run can"):
        make_requests(stream("periodic", 10**14, 0, 10**6, 0), rewards, 1, "drawn")
