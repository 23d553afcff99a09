"""A deployment, checked: requests, learner, machine, power, battery, what it must keep."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal, get_args

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

if TYPE_CHECKING:
    from gnomon.deploy._result import Result
    from gnomon.deploy._search import Found
    from gnomon.deploy._service import Service

Engine = Literal["compiled", "simpy"]


@dataclass(frozen=True, slots=True)
class Deployment:
    """A deployment, checked. Sections of its file are there as they are."""

    name: str  # names its report
    title: str  # one line for people
    requests: RequestKeys  # how they come
    recorded: Times | None  # their times, where they are recorded
    rewards: RewardKeys  # what comes back later
    deadline_ps: int | None  # after which a decision is late; None: no deadline
    settings: tuple[tuple[str, Value], ...]  # of the learner, all of them in order
    steps: int  # how many steps are measured
    service: str  # `drawn` or `in-order`
    arch: str  # the machine as the file names it
    overrides: tuple[str, ...]  # keys of it, as `--set` writes them
    architecture: Architecture  # the machine
    device: DeviceKeys  # who serves and who may wait
    power: PowerKeys  # drawn whatever the device does
    sleep: SleepKeys | None  # None: never
    battery: BatteryKeys | None  # None: mains
    require: tuple[Requirement, ...]  # what it must keep
    search: SearchKeys | None  # what is looked for; None: nothing

    ENGINES: ClassVar[tuple[Engine, ...]] = get_args(Engine)
    """``compiled`` is fast, ``simpy`` the same as a readable model."""

    def measure(self, architecture: Architecture | None = None) -> Service:
        """Run the steps, on its machine or another; each bit is compared with this computer.

        Raises:
            CheckFailed: a step computes something else.
            GnomonError: the machine cannot run the learner.
        """
        from gnomon.deploy._service import measure_service

        return measure_service(self, architecture or self.architecture)

    def run(self, service: Service, *, engine: Engine = "compiled") -> Result:
        """Let requests meet the device; the same deployment gives the same result.

        Raises:
            GnomonError: the run would be too long.
            AssertionError: requests or energy are lost; a defect of gnomon.
        """
        from gnomon.deploy._deploy import deploy

        return deploy(self, service, self.architecture, engine=engine)

    def find(self, service: Service, *, engine: Engine = "compiled") -> Found | None:
        """What the deployment looks for; None if it looks for nothing.

        Raises:
            GnomonError: cycles would depend on the clock.
        """
        from gnomon.deploy._search import search

        return search(self, service, engine=engine)

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
