"""One deployment run: requests on one machine at one clock."""

from collections.abc import Callable
from typing import Literal

import numpy as np

from gnomon.arch import Architecture
from gnomon.deploy._account import compute_account, compute_draw
from gnomon.deploy._battery import compute_lives
from gnomon.deploy._deployment import Deployment
from gnomon.deploy._learner_stages import simulate_learner, simulate_learner_with_simpy
from gnomon.deploy._model import DeploymentRecord, Draw, Requests, ServingDevice, Stages
from gnomon.deploy._result import DeploymentResult, count_servers, describe_device
from gnomon.deploy._service import Service, price_service
from gnomon.deploy.streams import make_requests

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
    account = compute_account(deployment, costs, requests, record)
    decided = record.select_end_ps >= 0
    latency_ps = (record.select_end_ps - requests.arrival_ps)[decided]
    life, overdrawn = compute_lives(deployment.battery, account)
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
