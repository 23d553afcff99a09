"""A deployment, checked: requests, learner, machine, power, battery, what it must keep."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gnomon.arch import Architecture
    from gnomon.deploy._keys import BatteryKeys, SleepKeys
    from gnomon.deploy._model import Priority, Times
    from gnomon.deploy.quantities import Requirement, Sourced
    from gnomon.deploy.streams import Rewards, Stream
    from gnomon.explore import Value


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
    """A deployment, checked.

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
    sleep: SleepKeys | None
    battery: BatteryKeys | None
    require: tuple[Requirement, ...]
    search: SearchSpec

    def setting(self, name: str) -> Value:
        """One setting of the learner."""
        return dict(self.settings)[name]
