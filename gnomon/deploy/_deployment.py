"""Deployments: the validated content of a deployment file."""

from dataclasses import dataclass

from gnomon.arch import Architecture
from gnomon.deploy._keys import (
    BatteryKeys,
    DeploymentSearchKeys,
    DeviceKeys,
    LearnerKeys,
    PowerKeys,
    RequestKeys,
    RewardKeys,
    SleepKeys,
)
from gnomon.deploy._model import Times
from gnomon.deploy.quantities import Requirement, Sourced
from gnomon.explore.settings import Value


@dataclass(frozen=True, slots=True, eq=False)
class Deployment:
    """A validated deployment as plain data.

    It is the input of :func:`gnomon.deploy.measure_service`,
    :func:`gnomon.deploy.simulate_deployment` and :func:`gnomon.deploy.search_deployment`.
    """

    name: str  # name of the report
    title: str  # one-line title
    requests: RequestKeys  # arrivals of requests
    rewards: RewardKeys  # arrivals of rewards
    deadline_ps: int | None  # limit on the latency of a decision; None: there is no deadline
    learner: LearnerKeys  # the learner
    settings: tuple[tuple[str, Value], ...]  # all settings of the learner, in order
    steps: int  # number of measured steps
    arch: str  # the machine, by shipped name or path
    overrides: tuple[str, ...]  # keys of the machine, as `--set` writes them
    architecture: Architecture  # the machine
    device: DeviceKeys  # serving harts and queues
    power: PowerKeys  # power drawn in every state
    sleep: SleepKeys | None  # None: the device never sleeps
    battery: BatteryKeys | None  # None: no battery is described
    require: tuple[Requirement, ...]  # limits that a run must meet
    search: DeploymentSearchKeys | None  # None: there is no search
    recorded: Times | None  # times of requests, where they are recorded

    @property
    def not_included(self) -> tuple[str, ...]:
        """Names of the quantities without a figure in the file."""
        return list_not_included(self.power, self.sleep, self.battery)


def list_not_included(
    power: PowerKeys, sleep: SleepKeys | None, battery: BatteryKeys | None
) -> tuple[str, ...]:
    """Return the names of the quantities without a figure."""
    given: dict[str, Sourced | None] = {"static power": power.static_mw}
    if power.idle_mw is not None:
        given["idle power"] = power.idle_mw
    if sleep is not None:
        given |= {
            "power asleep": sleep.power_mw,
            "time of falling asleep": sleep.enter_ps,
            "energy of falling asleep": sleep.enter_uj,
            "time of waking": sleep.wake_ps,
            "energy of waking": sleep.wake_uj,
        }
    if battery is not None:
        given["usable share of the battery"] = battery.usable
        given["self-discharge"] = battery.self_discharge_per_year
    return tuple(
        name for name, figure in given.items() if figure is not None and figure.value is None
    )
