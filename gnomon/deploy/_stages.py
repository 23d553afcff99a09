"""Model of a pipeline: stages that serve requests on the harts of one device, in plain arrays.

A learner is a pipeline of two stages, see ``_learner_stages.py``. Times are whole picoseconds, so
that both engines give identical results.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from gnomon.base.errors import GnomonError
from gnomon.deploy._model import LONGEST_PS, NEVER, STATES, UNLIMITED, Powers, Sleep, Times

OUTSIDE = -1
"""Value of ``after``: requests come from outside the device."""
ANY_HART = -1


@dataclass(frozen=True, slots=True, eq=False)
class StageModel:
    """One stage: its requests by number, and the costs of its runs by measured run.

    A request that follows one run of another stage has the number of that run; requests that
    follow several runs are numbered in their order.
    """

    # arrival of each request, ascending, shape (n,); with `after`, delay from the end of the run
    due_ps: Times
    sample: Times  # measured run whose cost each run has, shape (n,)
    run_ps: Times  # time of a run, shape (samples,)
    extra_mw: Powers  # power of a run beyond that of the device, shape (samples,)
    after: int = OUTSIDE  # stage whose finished runs make the requests: an earlier one
    every: int = 1  # finished runs of `after` per request
    wanted: npt.NDArray[np.bool_] | None = None  # whether a request is made, shape (n,); None: all
    priority: int = 0  # a stage of higher priority is served first; then the oldest request
    hart: int = ANY_HART  # hart that serves it
    vector: bool = False  # whether a run occupies a vector unit from start to end
    interruptible: bool = False  # whether stages of higher priority interrupt its runs
    places: int = UNLIMITED  # length of its queue; further requests are dropped
    correction_period: int = 0  # started runs from one with correction to the next; 0: none has
    correcting_ps: Times | None = None  # time of a run with correction, shape (samples,)
    correcting_mw: Powers | None = None  # its power beyond that of the device, shape (samples,)

    @property
    def corrected_ps(self) -> Times:
        """Time of a run with correction; that of a run if there is none."""
        return self.run_ps if self.correcting_ps is None else self.correcting_ps

    @property
    def corrected_mw(self) -> Powers:
        """Power of a run with correction; that of a run if there is none."""
        return self.extra_mw if self.correcting_mw is None else self.correcting_mw


@dataclass(frozen=True, slots=True, eq=False)
class PipelineModel:
    """Stages on a device, until ``horizon_ps``."""

    stages: tuple[StageModel, ...]
    horizon_ps: int
    harts: int
    vector_units: int  # limit on concurrent runs that need one
    sleep: Sleep | None  # None: never
    state_mw: Powers  # power by state of the device, shape (4,), see `STATES`
    enter_uj: float  # energy of falling asleep, if it is instantaneous
    wake_uj: float  # energy of waking, if it is instantaneous

    def __post_init__(self) -> None:
        if not 0 < self.horizon_ps <= LONGEST_PS:
            raise GnomonError("the length of a run must be from 1 ps to 53 days")
        for place, stage in enumerate(self.stages):
            count, samples = len(stage.due_ps), len(stage.run_ps)
            wanted = count if stage.wanted is None else len(stage.wanted)
            powers = len(stage.extra_mw), len(stage.corrected_mw), len(stage.corrected_ps)
            if {count} != {len(stage.sample), wanted} or {samples} != set(powers):
                raise GnomonError(f"stage {place}: arrays of different lengths")
            if count and not 0 <= stage.sample.min() <= stage.sample.max() < samples:
                raise GnomonError(f"stage {place}: a run is not one of {samples} measured ones")
            if (stage.run_ps < 1).any() or (stage.corrected_ps < 1).any():
                raise GnomonError("every stage must take at least 1 ps")
            if stage.after == OUTSIDE:
                self._check_arrivals(place, stage.due_ps)
            elif stage.every < 1 or not 0 <= stage.after < place:
                raise GnomonError(f"stage {place}: must come after runs of an earlier stage")
            elif count != len(self.stages[stage.after].due_ps) // stage.every:
                raise GnomonError(f"stage {place}: not one request per {stage.every} runs")
            elif (stage.due_ps < 0).any() or (stage.due_ps > LONGEST_PS).any():
                raise GnomonError(f"stage {place}: delays must be from 0 to 53 days")
            if not -1 <= stage.hart < self.harts:
                raise GnomonError(f"stage {place}: no such hart")

    def _check_arrivals(self, place: int, times: Times) -> None:
        if times.size and (times[0] < 0 or times[-1] >= self.horizon_ps):
            raise GnomonError(f"stage {place}: requests must come from 0 to before the end")
        if (np.diff(times) < 0).any():
            raise GnomonError(f"stage {place}: requests must be in order of time")

    @property
    def first_job(self) -> list[int]:
        """Job of the first request of each stage, and the number of all jobs."""
        return [0, *np.cumsum([len(stage.due_ps) for stage in self.stages]).tolist()]


_MOMENTS = ("origin", "ready", "start", "end")
_BY_STAGE = ("most_waiting", "last_waiting", "serving", "interrupted")


@dataclass(slots=True, eq=False)
class StageRecord:
    """Events by job: the requests of the first stage, then those of the second, and so on.

    Times in ps, NEVER for missing events.
    """

    origin_ps: Times  # oldest request from outside that led to this one
    ready_ps: Times  # time of the request
    start_ps: Times  # first start of its run
    end_ps: Times
    worked_ps: Times  # time that a hart spent on it
    corrected: npt.NDArray[np.bool_]  # whether its run included a correction
    dropped: npt.NDArray[np.bool_]  # whether the queue was full
    # by stage: integral of the number of waiting requests over time, longest queue, requests that
    # wait and runs in service at the end, interruptions
    waiting_ps: npt.NDArray[np.float64]
    most_waiting: Times
    last_waiting: Times
    serving: Times
    interrupted: Times
    state_ps: Times = field(default_factory=lambda: np.zeros(len(STATES), dtype=np.int64))
    any_busy_ps: int = 0  # time with at least one working hart
    enters: int = 0  # number of times it fell asleep
    wakes: int = 0  # number of times it woke
    energy_uj: float = 0.0  # power integrated over the run

    @classmethod
    def empty(cls, model: PipelineModel) -> StageRecord:
        """Return the record before any event."""
        jobs, count = model.first_job[-1], len(model.stages)
        arrays: dict[str, Any] = {f"{name}_ps": np.full(jobs, NEVER, np.int64) for name in _MOMENTS}
        arrays |= {name: np.zeros(jobs, np.bool_) for name in ("corrected", "dropped")}
        arrays |= {name: np.zeros(count, np.int64) for name in _BY_STAGE}
        worked = np.zeros(jobs, np.int64)
        return cls(**arrays, worked_ps=worked, waiting_ps=np.zeros(count))

    def split(self, name: str, first_job: Sequence[int]) -> list[npt.NDArray[Any]]:
        """Return an array by job as one array for each stage."""
        whole = getattr(self, name)
        return [whole[a:b] for a, b in pairwise(first_job)]
