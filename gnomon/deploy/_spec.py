"""A deployment, checked: requests, learner, machine, power, battery, what it must keep."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gnomon.arch import Architecture
    from gnomon.deploy._model import Priority, Times
    from gnomon.deploy.quantities import Requirement, Sourced
    from gnomon.deploy.streams import Rewards, Stream
    from gnomon.explore.settings import Value

MEASURED = "measured"
IDLE = "idle"


@dataclass(frozen=True, slots=True)
class SleepSpec:
    """What sleeping takes, as the user gives it.

    Attributes:
        after_ps: idle time before it falls asleep.
        power_mw: while it sleeps.
        enter_ps: of falling asleep.
        enter_uj: the same; None: idle power all that time.
        wake_ps: of waking.
        wake_uj: the same; None: idle power all that time.
    """

    after_ps: int
    power_mw: Sourced
    enter_ps: Sourced
    enter_uj: Sourced | None
    wake_ps: Sourced
    wake_uj: Sourced | None


@dataclass(frozen=True, slots=True)
class BatterySpec:
    """A battery, as the user gives it.

    Attributes:
        capacity_mwh: what it holds; text and source as given.
        voltage_v: None where the capacity is an energy.
        usable: share of the capacity that can be used.
        self_discharge_per_year: share of the capacity that is lost in a year.
        current_ma: what it can deliver without pause; None: not given.
    """

    capacity_mwh: Sourced
    voltage_v: Sourced | None
    usable: Sourced
    self_discharge_per_year: Sourced
    current_ma: Sourced | None


@dataclass(frozen=True, slots=True)
class SearchSpec:
    """What is looked for.

    Attributes:
        clocks_hz: from the slowest to the fastest that are tried; empty: not the clock.
        arches: machines that are tried, as the file names them.
        objective: which of the machines that keep all requirements is taken.
    """

    clocks_hz: tuple[int, ...] = ()
    arches: tuple[str, ...] = ()
    objective: str = "area"


@dataclass(frozen=True, slots=True)
class Deployment:
    """All of it.

    Attributes:
        name: names its report.
        title: one line for people.
        stream: the requests.
        recorded: their times, where they are recorded.
        rewards: what comes back later.
        deadline_ps: after which a decision is late; None: no deadline.
        settings: of the learner, all of them in order.
        steps: how many steps are measured.
        service: ``drawn`` or ``in-order``.
        arch: the machine as the file names it.
        overrides: keys of it, as ``--set`` writes them.
        architecture: the machine.
        harts: how many serve requests side by side.
        decision_places: how many decisions may wait.
        update_places: how many updates may.
        priority: who goes first.
        preempt: decisions interrupt updates.
        static_mw: drawn at all times.
        idle_mw: awake, no hart at work; None: priced by the power table.
        sleep: None: never.
        battery: None: mains.
        require: what it must keep.
        search: what is looked for.
    """

    name: str
    title: str
    stream: Stream
    recorded: Times | None
    rewards: Rewards
    deadline_ps: int | None
    settings: tuple[tuple[str, Value], ...]
    steps: int
    service: str
    arch: str
    overrides: tuple[str, ...]
    architecture: Architecture
    harts: int
    decision_places: int
    update_places: int
    priority: Priority
    preempt: bool
    static_mw: Sourced
    idle_mw: Sourced | None
    sleep: SleepSpec | None
    battery: BatterySpec | None
    require: tuple[Requirement, ...]
    search: SearchSpec

    def setting(self, name: str) -> Value:
        """One setting of the learner."""
        return dict(self.settings)[name]
