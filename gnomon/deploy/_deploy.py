"""One deployment run: requests on one machine at one clock, with checks of conservation."""

import math
from collections.abc import Callable
from typing import Literal

import numpy as np
import numpy.typing as npt

from gnomon.arch import Architecture
from gnomon.deploy._account import (
    compute_account,
    compute_battery_life_ps,
    compute_draw,
    compute_overdrawn_ma,
)
from gnomon.deploy._deployment import Deployment
from gnomon.deploy._learner_stages import simulate_learner, simulate_learner_with_simpy
from gnomon.deploy._model import DeploymentRecord, Draw, Requests, ServingDevice, Stages, Times
from gnomon.deploy._result import DeploymentResult, count_servers, describe_device
from gnomon.deploy._service import Service, price_service
from gnomon.deploy.streams import make_requests

_REL = 1e-9  # of sums of floating-point numbers
Engine = Literal["compiled", "simpy"]
_Simulate = Callable[[Requests, Stages, ServingDevice, Draw], DeploymentRecord]
ENGINES: dict[Engine, _Simulate] = {
    "compiled": simulate_learner,
    "simpy": simulate_learner_with_simpy,
}
"""``simpy`` is the model; ``compiled`` gives the same record faster."""


def simulate_deployment(
    deployment: Deployment,
    service: Service,
    architecture: Architecture | None = None,
    *,
    engine: Engine = "compiled",
) -> DeploymentResult:
    """Serve the requests of a deployment on its machine, or on another one.

    The same deployment gives the same result.

    Args:
        deployment: requests, device, power, requirements.
        service: measured steps of the learner on this machine, at any clock.
        architecture: the machine; None: the machine of the deployment.
        engine: one of ``ENGINES``.

    Raises:
        GnomonError: if the run would be too long.
        AssertionError: if requests or energy are lost; a defect of gnomon.
    """
    architecture = architecture or deployment.architecture
    device = describe_device(deployment, architecture)
    costs = price_service(service, architecture, count_servers(device, service) - 1)
    requests = make_requests(
        deployment.requests,
        deployment.rewards,
        len(service.runs),
        deployment.learner.service,
        deployment.recorded,
    )
    record = ENGINES[engine](requests, costs.stages, device, compute_draw(deployment, costs))
    check_conservation(requests, costs.stages, record)
    account = compute_account(deployment, costs, requests, record)
    decided = record.select_end_ps >= 0
    latency_ps = (record.select_end_ps - requests.arrival_ps)[decided]
    life = overdrawn = None
    if deployment.battery is not None and account is not None:
        life = compute_battery_life_ps(deployment.battery, account.power_mw)
        overdrawn = compute_overdrawn_ma(deployment.battery, account.peak_mw)
    return DeploymentResult(
        deployment=deployment,
        architecture=architecture,
        service=service,
        costs=costs,
        requests=requests,
        record=record,
        latency_ps=latency_ps,
        missed=_count_missed(deployment.deadline_ps, requests, record),
        account=account,
        life_ps=life,
        overdrawn_ma=overdrawn,
    )


def _count_missed(deadline_ps: int | None, requests: Requests, record: DeploymentRecord) -> int:
    """Return the number of requests that were late, dropped, or undecided at their deadline."""
    if deadline_ps is None:
        return 0
    end_ps = np.where(record.select_end_ps >= 0, record.select_end_ps, requests.horizon_ps)
    late = end_ps - requests.arrival_ps > deadline_ps
    return int((late | record.select_dropped).sum())


def check_conservation(requests: Requests, stages: Stages, record: DeploymentRecord) -> None:
    """Compare the totals of the engine with its record of each request.

    Raises:
        AssertionError: if they differ; a defect of gnomon.
    """
    end_ps, arrival = requests.horizon_ps, requests.arrival_ps
    started, decided = record.select_start_ps >= 0, record.select_end_ps >= 0
    dropped, lost = record.select_dropped, record.update_dropped
    returned, ended = record.update_ready_ps >= 0, record.update_end_ps >= 0
    _check_equal(
        "decisions made, in work, waiting and dropped",
        int(decided.sum() + dropped.sum()) + record.serving_decisions + record.last_decisions,
        len(arrival),
    )
    _check_equal(
        "updates made, in work, waiting and dropped",
        int(ended.sum() + lost.sum()) + record.serving_updates + record.last_updates,
        int(returned.sum()),
    )
    due_ps = np.where(decided & requests.rewarded, record.select_end_ps + requests.delay_ps, end_ps)
    _check_equal("rewards back before the end", int(returned.sum()), int((due_ps < end_ps).sum()))
    _check_equal("dropped and started", int((dropped & started).sum() + (lost & ended).sum()), 0)

    _check_equal("time in all states", int(record.state_ps.sum()), end_ps)
    sample = requests.sample
    update_ps = np.where(record.corrected, stages.correcting_ps[sample], stages.update_ps[sample])
    select_ps = stages.select_ps[sample]
    _check_same_array("work of finished decisions", record.select_worked_ps, select_ps, decided)
    _check_same_array("work of finished updates", record.update_worked_ps, update_ps, ended)

    waits = np.where(started, record.select_start_ps, end_ps) - arrival
    _check_close("waiting of decisions", _sum_times(waits[~dropped]), record.waiting_decision_ps)
    until = np.where(ended, record.update_end_ps, end_ps)
    update_waits = until - record.update_ready_ps - record.update_worked_ps
    _check_close(
        "waiting of updates", _sum_times(update_waits[returned & ~lost]), record.waiting_update_ps
    )


def _sum_times(times: Times) -> float:
    return float(times.astype(np.float64).sum())


def _check_equal(what: str, one: int, other: int) -> None:
    if one != other:
        raise AssertionError(f"accounting of requests is wrong: {what}: {one}, expected {other}")


def _check_close(what: str, one: float, other: float) -> None:
    if not math.isclose(one, other, rel_tol=_REL, abs_tol=1.0):
        raise AssertionError(f"accounting of requests is wrong: {what}: {one} and {other} ps")


def _check_same_array(what: str, one: Times, other: Times, where: npt.NDArray[np.bool_]) -> None:
    if not np.array_equal(one[where], other[where]):
        raise AssertionError(f"accounting of requests is wrong: {what} is not their length")
