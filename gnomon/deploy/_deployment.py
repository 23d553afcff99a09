"""Deployments: the validated content of a deployment file."""

from dataclasses import dataclass

from gnomon.deploy._keys import (
    DeploymentSearchKeys,
    DeviceKeys,
    LearnerKeys,
    RequestKeys,
    RewardKeys,
)
from gnomon.deploy._model import Times
from gnomon.deploy._scenario import Scenario
from gnomon.explore.settings import Value


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Deployment(Scenario):
    """A validated deployment as plain data.

    It is the input of :func:`gnomon.deploy.measure_service`,
    :func:`gnomon.deploy.simulate_deployment` and :func:`gnomon.deploy.search_deployment`.
    """

    requests: RequestKeys  # arrivals of requests
    rewards: RewardKeys  # arrivals of rewards
    deadline_ps: int | None  # limit on the latency of a decision; None: there is no deadline
    learner: LearnerKeys  # the learner
    settings: tuple[tuple[str, Value], ...]  # all settings of the learner, in order
    steps: int  # number of measured steps
    device: DeviceKeys  # serving harts and queues
    search: DeploymentSearchKeys | None  # None: there is no search
    recorded: Times | None  # times of requests, where they are recorded
