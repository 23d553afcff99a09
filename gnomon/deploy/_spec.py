"""A deployment, checked: requests, learner, machine, power, battery, what it must keep."""

from __future__ import annotations

from dataclasses import dataclass

from gnomon.arch import Architecture
from gnomon.deploy._keys import (
    BatteryKeys,
    DeviceKeys,
    PowerKeys,
    RequestKeys,
    RewardKeys,
    SearchKeys,
    SleepKeys,
)
from gnomon.deploy._model import Times
from gnomon.deploy.quantities import Requirement, Sourced
from gnomon.explore.settings import Value


@dataclass(frozen=True, slots=True)
class Deployment:
    """A deployment, checked. Sections of its file are there as they are.

    Attributes:
        name: names its report.
        title: one line for people.
        requests: how they come.
        recorded: their times, where they are recorded.
        rewards: what comes back later.
        deadline_ps: after which a decision is late; None: no deadline.
        settings: of the learner, all of them in order.
        steps: how many steps are measured.
        service: ``drawn`` or ``in-order``.
        arch: the machine as the file names it.
        overrides: keys of it, as ``--set`` writes them.
        architecture: the machine.
        device: who serves and who may wait.
        power: drawn whatever the device does.
        sleep: None: never.
        battery: None: mains.
        require: what it must keep.
        search: what is looked for; None: nothing.
    """

    name: str
    title: str
    requests: RequestKeys
    recorded: Times | None
    rewards: RewardKeys
    deadline_ps: int | None
    settings: tuple[tuple[str, Value], ...]
    steps: int
    service: str
    arch: str
    overrides: tuple[str, ...]
    architecture: Architecture
    device: DeviceKeys
    power: PowerKeys
    sleep: SleepKeys | None
    battery: BatteryKeys | None
    require: tuple[Requirement, ...]
    search: SearchKeys | None

    @property
    def not_included(self) -> tuple[str, ...]:
        """What nobody gave a figure for."""
        given: dict[str, Sourced | None] = {"static power": self.power.static_mw}
        if self.power.idle_mw is not None:
            given["idle power"] = self.power.idle_mw
        if self.sleep is not None:
            given |= {
                "power asleep": self.sleep.power_mw,
                "time of falling asleep": self.sleep.enter_ps,
                "energy of falling asleep": self.sleep.enter_uj,
                "time of waking": self.sleep.wake_ps,
                "energy of waking": self.sleep.wake_uj,
            }
        if self.battery is not None:
            given["usable share of the battery"] = self.battery.usable
            given["self-discharge"] = self.battery.self_discharge_per_year
        return tuple(
            name for name, figure in given.items() if figure is not None and figure.value is None
        )
