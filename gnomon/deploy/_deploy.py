"""One deployment run: requests against one machine at one clock."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from gnomon.deploy._account import account_of, draw_of
from gnomon.deploy._battery import battery_life_ps, overdrawn_ma
from gnomon.deploy._compiled import simulate_compiled
from gnomon.deploy._conservation import check_conservation
from gnomon.deploy._result import Result, device_of, servers_of
from gnomon.deploy._service import cost_of
from gnomon.deploy._simpy_model import simulate_with_simpy
from gnomon.deploy.streams import make_requests

if TYPE_CHECKING:
    from gnomon.arch import Architecture
    from gnomon.deploy._model import Record, Requests
    from gnomon.deploy._service import Service
    from gnomon.deploy._spec import Deployment

Engine = Literal["compiled", "simpy"]
ENGINES: dict[Engine, Any] = {"compiled": simulate_compiled, "simpy": simulate_with_simpy}


def deploy(
    deployment: Deployment,
    service: Service,
    architecture: Architecture,
    *,
    engine: Engine = "compiled",
) -> Result:
    """Run a deployment; the same deployment gives the same result.

    Raises:
        GnomonError: the run would be too long.
        AssertionError: requests or energy are lost; a defect of gnomon.
    """
    device = device_of(deployment, architecture)
    costs = cost_of(service, architecture, servers_of(device, service) - 1)
    requests = make_requests(
        deployment.stream,
        deployment.rewards,
        len(service.runs),
        deployment.service,
        deployment.recorded,
    )
    record = ENGINES[engine](requests, costs.stages, device, draw_of(deployment, costs))
    check_conservation(requests, costs.stages, record)
    account = account_of(deployment, costs, requests, record)
    decided = record.select_end_ps >= 0
    latency_ps = (record.select_end_ps - requests.arrival_ps)[decided]
    life = overdrawn = None
    if deployment.battery is not None and account is not None:
        life = battery_life_ps(deployment.battery, account.power_mw)
        overdrawn = overdrawn_ma(deployment.battery, account.peak_mw)
    return Result(
        deployment=deployment,
        architecture=architecture,
        service=service,
        costs=costs,
        requests=requests,
        record=record,
        latency_ps=latency_ps,
        missed=_missed(deployment.deadline_ps, requests, record),
        account=account,
        life_ps=life,
        overdrawn_ma=overdrawn,
    )


def _missed(deadline_ps: int | None, requests: Requests, record: Record) -> int:
    """Late, dropped, or still without a decision when the deadline passed within the run."""
    if deadline_ps is None:
        return 0
    end_ps = np.where(record.select_end_ps >= 0, record.select_end_ps, requests.horizon_ps)
    late = end_ps - requests.arrival_ps > deadline_ps
    return int((late | record.select_dropped).sum())
