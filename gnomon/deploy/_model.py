"""Data model of a deployment in plain arrays: requests, service times, device.

Times are whole picoseconds, so that both engines give identical results.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

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
"""Longest run, 53 days; a sum of two times still fits 64 bits."""

AWAKE, ENTERING, ASLEEP, WAKING = range(4)
STATES = ("awake", "entering", "asleep", "waking")
UNLIMITED = -1
NEVER = -1
"""Value in arrays of times: the event did not happen before the end of the run."""


@dataclass(frozen=True, slots=True, eq=False)
class Requests:
    """A stream of requests for decisions, with their steps and rewards."""

    arrival_ps: Times  # arrival of each request, ascending, shape (n,)
    horizon_ps: int  # end of the run, after all arrivals
    sample: Times  # measured step whose cost each request has, shape (n,)
    rewarded: npt.NDArray[np.bool_]  # whether a reward arrives, shape (n,)
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
    """Times of one selection and one update, by measured step."""

    select_ps: Times  # shape (samples,)
    update_ps: Times  # shape (samples,)
    # time of an update with correction, shape (samples,); equal to `update_ps` if there is none
    correcting_ps: Times
    correction_period: int = 0  # updates from one correction to the next; 0: never
    vector: bool = False  # whether a stage occupies a vector unit from start to end

    def __post_init__(self) -> None:
        for times in (self.select_ps, self.update_ps, self.correcting_ps):
            if times.shape != self.select_ps.shape or (times < 1).any():
                raise GnomonError("every stage must take at least 1 ps")


@dataclass(frozen=True, slots=True)
class Sleep:
    """Idle time before sleep, and times of falling asleep and waking."""

    after_ps: int
    enter_ps: int
    wake_ps: int


@dataclass(frozen=True, slots=True)
class ServingDevice:
    """Serving harts, their order of service, and queues."""

    harts: int = 1  # each serves one stage at a time
    vector_units: int = 1  # limit on concurrent stages that need one
    # kind of stage that is served first; within one kind, the oldest
    priority: Priority = "decisions-first"
    preempt: bool = False  # a decision without a free hart interrupts the latest update
    decision_places: int = UNLIMITED  # length of the decision queue
    update_places: int = UNLIMITED  # length of the update queue
    sleep: Sleep | None = None  # None: never


@dataclass(frozen=True, slots=True, eq=False)
class Draw:
    """Power in mW, to integrate over the run."""

    state_mw: Powers  # by state of the device, shape (4,), see `STATES`
    enter_uj: float  # energy of falling asleep, if it is instantaneous
    wake_uj: float  # energy of waking, if it is instantaneous
    # power of a selection beyond `state_mw`, by measured step, shape (samples,)
    select_mw: Powers
    update_mw: Powers  # the same for an update
    correcting_mw: Powers  # the same for an update with correction

    @classmethod
    def nothing(cls, samples: int) -> Draw:
        """Return zeros, for unavailable energy."""
        none = np.zeros(samples)
        return cls(np.zeros(len(STATES)), 0.0, 0.0, none, none, none)


@dataclass(slots=True, eq=False)
class DeploymentRecord:
    """Events by request (shape (n,)) and totals; times in ps, NEVER for missing events."""

    select_start_ps: Times  # start of the selection
    select_end_ps: Times  # its end: the decision
    select_worked_ps: Times  # time that a hart spent on it within the run
    update_ready_ps: Times  # arrival of the reward
    update_start_ps: Times  # start of the update
    update_end_ps: Times  # its end
    update_worked_ps: Times  # time that a hart spent on it within the run
    corrected: npt.NDArray[np.bool_]  # whether its update included a correction
    select_dropped: npt.NDArray[np.bool_]  # whether the decision queue was full
    update_dropped: npt.NDArray[np.bool_]  # whether the update queue was full
    # time in each state, shape (4,)
    state_ps: Times = field(default_factory=lambda: np.zeros(len(STATES), dtype=np.int64))
    any_busy_ps: int = 0  # time with at least one working hart
    # integral of the number of waiting decisions over time; a float, because it can exceed 64 bits
    waiting_decision_ps: float = 0.0
    waiting_update_ps: float = 0.0  # the same for updates
    last_decisions: int = 0  # decisions waiting at the end
    last_updates: int = 0  # updates waiting at the end
    serving_decisions: int = 0  # decisions in service at the end
    serving_updates: int = 0  # updates in service at the end
    most_decisions: int = 0  # longest decision queue
    most_updates: int = 0  # longest update queue
    enters: int = 0  # number of times it fell asleep
    wakes: int = 0  # number of times it woke
    preemptions: int = 0  # number of interrupted updates
    energy_uj: float = 0.0  # power integrated over the run
