"""What a deployment is made of, in plain arrays: requests, what serving them takes, the device.

Times are whole picoseconds, so that both engines compute the same to the last digit.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from gnomon.base.errors import GnomonError

Times = npt.NDArray[np.int64]
Powers = npt.NDArray[np.float64]
Priority = Literal["decisions-first", "updates-first", "in-order"]
Arrivals = Literal["periodic", "poisson", "recorded"]
Delay = Literal["constant", "uniform", "exponential"]

PRIORITIES: tuple[Priority, ...] = ("decisions-first", "updates-first", "in-order")
PS_PER_S = 10**12
LONGEST_PS = 2**62
"""53 days: a run may be so long, and sums of two times still fit 64 bits."""

AWAKE, ENTERING, ASLEEP, WAKING = range(4)
STATES = ("awake", "entering", "asleep", "waking")
UNLIMITED = -1
NEVER = -1
"""In arrays of times: this has not happened before the end of the run."""


@dataclass(frozen=True, slots=True, eq=False)
class Requests:
    """A stream of requests for decisions, and what becomes of each."""

    arrival_ps: Times  # when each comes, in order, shape (n,)
    horizon_ps: int  # end of the run; all come before it
    sample: Times  # which measured step each one costs, shape (n,)
    rewarded: npt.NDArray[np.bool_]  # whether its reward ever comes back, shape (n,)
    delay_ps: Times  # from the end of the decision to the reward, shape (n,)

    def __post_init__(self) -> None:
        times = self.arrival_ps
        if not 0 < self.horizon_ps <= LONGEST_PS:
            raise GnomonError(
                f"a run of {self.horizon_ps / PS_PER_S:,.0f} s is too long (at most"
                f" {LONGEST_PS / PS_PER_S:,.0f} s); take fewer requests"
            )
        if times.size and (times[0] < 0 or times[-1] >= self.horizon_ps):
            raise GnomonError("every request must come from 0 to before the end of the run")
        if (np.diff(times) < 0).any():
            raise GnomonError("requests must be in order of time")


@dataclass(frozen=True, slots=True, eq=False)
class Stages:
    """What one selection and one update take, by measured step."""

    select_ps: Times  # shape (samples,)
    update_ps: Times  # shape (samples,)
    # of an update that also corrects, shape (samples,); as `update_ps` if none does
    correcting_ps: Times
    correction_period: int = 0  # every so many updates one corrects; 0: never
    vector: bool = False  # a stage holds a vector unit from its start to its end

    def __post_init__(self) -> None:
        for times in (self.select_ps, self.update_ps, self.correcting_ps):
            if times.shape != self.select_ps.shape or (times < 1).any():
                raise GnomonError("every stage must take at least 1 ps")


@dataclass(frozen=True, slots=True)
class Sleep:
    """When the device sleeps, and what falling asleep and waking take."""

    after_ps: int
    enter_ps: int
    wake_ps: int


@dataclass(frozen=True, slots=True)
class ServingDevice:
    """Who serves, in which order, and who may wait."""

    harts: int = 1  # each serves one stage at a time
    vector_units: int = 1  # how many stages may hold one at a time
    # which of two waiting stages goes first; within one kind, the older one
    priority: Priority = "decisions-first"
    preempt: bool = False  # a decision that finds no hart interrupts the update that started last
    decision_places: int = UNLIMITED  # how many may wait; UNLIMITED
    update_places: int = UNLIMITED  # the same for updates
    sleep: Sleep | None = None  # None: never


@dataclass(frozen=True, slots=True, eq=False)
class Draw:
    """Power drawn in mW, to integrate over the run."""

    state_mw: Powers  # by state of the device, shape (4,), see `STATES`
    enter_uj: float  # of falling asleep, if it takes no time
    wake_uj: float  # of waking, if it takes no time
    # beyond `state_mw` while a selection runs, by measured step, shape (samples,)
    select_mw: Powers
    update_mw: Powers  # the same of an update
    correcting_mw: Powers  # the same of one that corrects

    @classmethod
    def nothing(cls, samples: int) -> Draw:
        """Where energy is not known."""
        none = np.zeros(samples)
        return cls(np.zeros(len(STATES)), 0.0, 0.0, none, none, none)


_MOMENTS = ("select_start", "select_end", "update_ready", "update_start", "update_end")


@dataclass(slots=True, eq=False)
class DeploymentRecord:
    """What happened, by request (shape (n,)) and over all; times in ps, NEVER where not reached."""

    select_start_ps: Times  # start of the selection
    select_end_ps: Times  # its end: the decision
    select_worked_ps: Times  # how long a hart worked at it until the end of the run
    update_ready_ps: Times  # when the reward came back
    update_start_ps: Times  # start of the update
    update_end_ps: Times  # its end
    update_worked_ps: Times  # how long a hart worked at it
    corrected: npt.NDArray[np.bool_]  # its update was one that corrects
    select_dropped: npt.NDArray[np.bool_]  # no place to wait
    update_dropped: npt.NDArray[np.bool_]  # no place for its update to wait
    # time in each state, shape (4,)
    state_ps: Times = field(default_factory=lambda: np.zeros(len(STATES), dtype=np.int64))
    any_busy_ps: int = 0  # time in which some hart worked
    # integral of the number of waiting decisions over time; not a whole number, as it can be beyond
    # 64 bits
    waiting_decision_ps: float = 0.0
    waiting_update_ps: float = 0.0  # the same of updates
    last_decisions: int = 0  # decisions that wait at the end
    last_updates: int = 0  # updates that do
    serving_decisions: int = 0  # decisions that harts work at at the end
    serving_updates: int = 0  # updates that they do
    most_decisions: int = 0  # the longest queue of decisions
    most_updates: int = 0  # the longest queue of updates
    enters: int = 0  # how often it fell asleep
    wakes: int = 0  # how often it woke
    preemptions: int = 0  # how often an update was interrupted
    energy_uj: float = 0.0  # power integrated over the run

    @classmethod
    def empty(cls, n: int) -> DeploymentRecord:
        """Of ``n`` requests, nothing has happened."""
        made: dict[str, Any] = {f"{name}_ps": np.full(n, NEVER, np.int64) for name in _MOMENTS}
        made |= {f"{name}_ps": np.zeros(n, np.int64) for name in ("select_worked", "update_worked")}
        flags = ("corrected", "select_dropped", "update_dropped")
        made |= {name: np.zeros(n, np.bool_) for name in flags}
        return cls(**made)
