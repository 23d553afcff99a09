"""One run of a pipeline, and the same run if every stage takes its longest measured time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from gnomon.base.errors import GnomonError, allowed_hint
from gnomon.base.interval import Interval
from gnomon.deploy._account import (
    Account,
    Part,
    TimeSpans,
    compute_idle_mw,
    compute_state_draw,
    find_peak_mw,
    list_device_parts,
    subtract_idle,
    sum_parts,
    sum_runs,
)
from gnomon.deploy._battery import compute_lives
from gnomon.deploy._compiled import simulate_compiled
from gnomon.deploy._conservation import check_pipeline
from gnomon.deploy._device import check_harts, count_vector_units, describe_sleep
from gnomon.deploy._model import STATES, Times
from gnomon.deploy._outcome import (
    PERCENTILES,
    compute_percentile,
    convert_to_us,
    describe_outcome,
    describe_time,
    list_missed,
)
from gnomon.deploy._service import PricedRuns, price_runs
from gnomon.deploy._simpy_model import simulate_with_simpy
from gnomon.deploy._sources import Source, collect_requests, record_source
from gnomon.deploy._stages import ANY_HART, OUTSIDE, PipelineModel, StageModel, StageRecord
from gnomon.deploy.streams import sample_delays_ps

if TYPE_CHECKING:
    from gnomon.arch import Architecture
    from gnomon.deploy._deploy import Engine
    from gnomon.deploy._pipeline import Pipeline, PipelineStage
    from gnomon.deploy._scenario import Scenario
    from gnomon.deploy._stage_service import StageService
    from gnomon.deploy.quantities import Requirement

_MOST_REQUESTS = 40_000_000
_SIMULATE: Mapping[str, Callable[[PipelineModel], StageRecord]] = {
    "compiled": simulate_compiled,
    "simpy": simulate_with_simpy,
}


@dataclass(frozen=True, slots=True, eq=False)
class StageResult:
    """Result of one stage."""

    name: str
    cycles: tuple[int, ...]  # of each measured run
    requests: int
    finished: int
    dropped: int
    waiting: int  # at the end of the run
    in_service: int  # at the end of the run
    interrupted: int
    corrected: int  # finished and other runs with correction
    missed: int | None  # None: no deadline
    mean_waiting: float
    most_waiting: int
    response_ps: Times = field(repr=False)  # from request to end, of finished runs
    age_ps: Times = field(repr=False)  # from the oldest request of the chain to the end

    @property
    def figures(self) -> dict[str, float | None]:
        """Figures by name of the requirement, in ps or as shares."""
        response, age = self.response_ps, self.age_ps
        made = max(1, self.requests)
        return {
            **{name: compute_percentile(response, name) for name in PERCENTILES},
            "worst": int(response.max()) if len(response) else None,
            "age-p99": compute_percentile(age, "p99"),
            "age-worst": int(age.max()) if len(age) else None,
            "missed": None if self.missed is None else self.missed / made,
            "dropped": self.dropped / made,
        }

    def to_json(self) -> dict[str, Any]:
        """Return JSON-compatible data under the documented names."""
        names = ("requests", "finished", "dropped", "waiting", "in_service", "interrupted",
                 "corrected", "missed", "mean_waiting", "most_waiting")  # fmt: skip
        figures = self.figures
        times = {
            f"{name.replace('-', '_')}_us": convert_to_us(figures[name])
            for name in (*PERCENTILES, "worst", "age-p99", "age-worst")
        }
        return {name: getattr(self, name) for name in names} | times | {
            "cycles": {"least": min(self.cycles), "most": max(self.cycles)}
        }  # fmt: skip


@dataclass(frozen=True, eq=False)
class PipelineResult:
    """Result of a run of a pipeline."""

    pipeline: Pipeline
    architecture: Architecture  # the machine, at its clock
    services: tuple[StageService, ...] = field(repr=False)
    costs: PricedRuns = field(repr=False)
    model: PipelineModel = field(repr=False)
    record: StageRecord = field(repr=False)
    stages: tuple[StageResult, ...]
    account: Account | None  # energy; None: unavailable
    life_ps: Interval | None  # None: no battery, or an unavailable or zero drain
    overdrawn_ma: float | None  # peak current, if the battery cannot deliver it

    @property
    def scenario(self) -> Scenario:
        """Machine, power, battery and requirements."""
        return self.pipeline

    @property
    def horizon_ps(self) -> int:
        """Length of the run."""
        return self.model.horizon_ps

    @cached_property
    def figures(self) -> dict[str, float | None]:
        """Figures by name of the requirement, in ps, mW, or as shares."""
        found: dict[str, float | None] = {
            f"{stage.name}.{name}": value
            for stage in self.stages
            for name, value in stage.figures.items()
        }
        harts_ps = self.model.harts * self.model.horizon_ps
        return found | {
            "utilisation": int(self.record.worked_ps.sum()) / harts_ps,
            "power": None if self.account is None else self.account.power_mw.high,
            "battery-life": None if self.life_ps is None else self.life_ps.low,
        }

    @cached_property
    def offered_load(self) -> float:
        """Offered work over capacity; from 1 on, queues grow or requests are dropped.

        It is that of all harts, of one to which stages are bound, or of the vector units, whichever
        is the largest.
        """
        model, work_ps = self.model, []
        split = partial(self.record.split, first_job=self.model.first_job)
        for stage, ready_ps, corrected in zip(
            model.stages, split("ready_ps"), split("corrected"), strict=True
        ):
            plain_ps, corrected_ps = stage.run_ps[stage.sample], stage.corrected_ps[stage.sample]
            work_ps.append(np.where(corrected, corrected_ps, plain_ps)[ready_ps >= 0].sum())
        work = np.array(work_ps, dtype=np.float64)
        bound = np.array([stage.hart for stage in model.stages])
        vector = np.array([stage.vector for stage in model.stages])
        loads_ps = [
            work.sum() / model.harts,
            work[vector].sum() / min(model.harts, model.vector_units),
            *(work[bound == hart].sum() for hart in range(model.harts)),
        ]
        return float(max(loads_ps)) / model.horizon_ps

    @property
    def missed(self) -> tuple[Requirement, ...]:
        """Requirements that are not met."""
        return list_missed(self.pipeline, self.figures)

    @property
    def misses(self) -> tuple[str, ...]:
        """Requirements that are not met, as written in the file."""
        return tuple(each.text for each in self.missed)

    @property
    def keeps(self) -> bool:
        """Whether all requirements are met."""
        return not self.missed

    def to_json(self) -> dict[str, Any]:
        """Return JSON-compatible data under the documented names."""
        return {
            "arch": self.architecture.name,
            "clock_hz": int(self.architecture.clock),
            "stages": {stage.name: stage.to_json() for stage in self.stages},
            "time": describe_time(self),
            **describe_outcome(self),
        }


def simulate_pipeline(
    pipeline: Pipeline,
    services: Sequence[StageService],
    architecture: Architecture | None = None,
    *,
    engine: Engine = "compiled",
    longest: bool = False,
    sources: Mapping[str, Source] | None = None,
) -> PipelineResult:
    """Run a pipeline on its machine, or on another one.

    Args:
        pipeline: stages, device, power, requirements.
        services: measured runs of the stages on this machine, at any clock.
        architecture: the machine; None: the machine of the pipeline.
        engine: ``compiled`` or ``simpy``.
        longest: every run takes the longest measured time of its stage.
        sources: SimPy processes by stage, which make its requests instead of the file.

    Raises:
        GnomonError: if the run would be too long, or a source names no stage that it can start.
        AssertionError: if requests or energy are lost; a defect of gnomon.
    """
    if len(services) != len(pipeline.stages):
        raise GnomonError(f"{len(services)} services of {len(pipeline.stages)} stages")
    started = [stage.name for stage in pipeline.stages if stage.after == OUTSIDE]
    for name in sources or {}:
        if name not in started:
            raise GnomonError(f"no stage {name!r} has a source {allowed_hint(name, started)}")
    machine = architecture or pipeline.architecture
    keys = pipeline.device
    check_harts(machine, keys.harts)
    held = (keys.harts - 1) * max(each.held_per_issue for each in services)
    runs = [(each.runs, each.operands) for each in services]
    corrected = [(each.correcting or each.runs, each.operands) for each in services]
    priced = price_runs([*runs, *corrected], machine, held)
    if longest:
        priced = priced.keep_longest()
    count = len(services)
    idle = compute_idle_mw(pipeline.power, priced.idle_mw)
    energies = priced.energies_uj or tuple(() for _ in priced.times_ps)
    powers = [
        np.zeros(len(times)) if idle is None else subtract_idle(each, times, idle.value)
        for each, times in zip(energies, priced.times_ps, strict=True)
    ]
    requests = _make_requests(pipeline, priced.times_ps[:count], sources or {})
    stages = tuple(
        replace(
            stage,
            extra_mw=powers[place],
            correcting_ps=priced.times_ps[count + place],
            correcting_mw=powers[count + place],
            correction_period=services[place].period,
            vector=services[place].vector,
            interruptible=keys.preempt and not services[place].vector,
        )
        for place, stage in enumerate(requests)
    )
    sleep = pipeline.sleep
    draw = (
        (np.zeros(len(STATES)), 0.0, 0.0)
        if idle is None
        else compute_state_draw(pipeline.power, sleep, idle.value)
    )
    model = PipelineModel(
        stages,
        pipeline.length_ps,
        keys.harts,
        count_vector_units(machine, keys.harts),
        describe_sleep(sleep),
        *draw,
    )
    record = _SIMULATE[engine](model)
    check_pipeline(model, record)
    account = _compute_account(pipeline, priced, idle, model, record)
    life, overdrawn = compute_lives(pipeline.battery, account, pipeline.harvest)
    return PipelineResult(
        pipeline=pipeline,
        architecture=machine,
        services=tuple(services),
        costs=priced,
        model=model,
        record=record,
        stages=_list_results(pipeline, services, model, record),
        account=account,
        life_ps=life,
        overdrawn_ma=overdrawn,
    )


def _make_requests(
    pipeline: Pipeline,
    times_ps: Sequence[Times],
    sources: Mapping[str, Source],
) -> list[StageModel]:
    """Return the stages with all requests; each stage has generators of its own."""
    made: list[StageModel] = []
    reached: list[npt.NDArray[np.bool_]] = []  # requests that are made if no run is dropped
    for place, stage in enumerate(pipeline.stages):
        keys, run_ps = stage.keys, times_ps[place]
        arrival_rng, run_rng, share_rng, delay_rng = (
            np.random.default_rng([pipeline.seed, place, part]) for part in range(4)
        )
        wanted = None
        if stage.after == OUTSIDE:
            due_ps = _sample_arrivals(pipeline, stage, arrival_rng, sources.get(stage.name))
            reached.append(np.ones(len(due_ps), np.bool_))
        else:
            n = len(made[stage.after].due_ps) // keys.every
            due_ps = sample_delays_ps(keys.kind, keys.delay_ps, n, delay_rng)
            wanted = share_rng.random(n) < keys.share
            reached.append(wanted & reached[stage.after] if keys.every == 1 else wanted)
        n, samples = len(due_ps), len(run_ps)
        if n + sum(len(each.due_ps) for each in made) > _MOST_REQUESTS:
            raise GnomonError(
                f"stage {stage.name}: more than {_MOST_REQUESTS:,} requests of all stages to here;"
                " shorten the run, or request fewer"
            )
        if keys.service == "drawn":
            sample = run_rng.integers(0, samples, n, dtype=np.int64)
        else:
            sample = np.maximum(np.cumsum(reached[place]) - 1, 0) % samples
        made.append(
            StageModel(
                due_ps=due_ps,
                sample=sample,
                run_ps=run_ps,
                extra_mw=np.zeros(samples),
                after=stage.after,
                every=keys.every,
                wanted=wanted,
                priority=keys.priority,
                hart=ANY_HART if keys.hart is None else keys.hart,
                places=keys.waiting,
            )
        )
    return made


def _sample_arrivals(
    pipeline: Pipeline, stage: PipelineStage, rng: np.random.Generator, own: Source | None
) -> Times:
    """Return the requests of a stage that come from outside, until the end of the run."""
    keys, length_ps = stage.keys, pipeline.length_ps
    if own is not None:
        return collect_requests(own, length_ps, rng, stage.name)
    if stage.source is not None:
        return record_source(*stage.source, length_ps, rng)
    if stage.recorded is not None:
        return stage.recorded[stage.recorded < length_ps]
    period_ps = keys.period or keys.rate
    count = length_ps // period_ps + 1
    if count > _MOST_REQUESTS:
        raise GnomonError(
            f"stage {stage.name}: {count:,} requests are more than {_MOST_REQUESTS:,}; shorten the"
            " run, or request fewer"
        )
    if keys.period:
        ticks = np.arange(count, dtype=np.int64) * period_ps
        times = ticks + np.rint(rng.random(count) * keys.jitter_ps).astype(np.int64)
        return times[times < length_ps]
    found = np.zeros(0)
    while not len(found) or found[-1] < length_ps:
        gaps = rng.exponential(float(period_ps), count + 16)
        found = np.append(found, (found[-1] if len(found) else 0.0) + np.cumsum(gaps))
    times = np.rint(found).astype(np.int64)
    return times[times < length_ps]


def _compute_account(
    pipeline: Pipeline,
    priced: PricedRuns,
    idle: Interval | None,
    model: PipelineModel,
    record: StageRecord,
) -> Account | None:
    """Return the energy of a run by part; None if energy is unavailable."""
    if idle is None:
        return None
    count = len(model.stages)
    parts = []
    worked, corrected = (record.split(name, model.first_job) for name in ("worked_ps", "corrected"))
    for place, stage in enumerate(model.stages):
        plain = ~corrected[place]
        energy_uj = sum_runs(
            priced.energies_uj[place], stage.run_ps, stage.sample[plain], worked[place][plain]
        )
        if stage.correction_period:
            energy_uj += sum_runs(
                priced.energies_uj[count + place], stage.corrected_ps, stage.sample[~plain],
                worked[place][~plain],
            )  # fmt: skip
        parts.append(Part(pipeline.stages[place].name, energy_uj))
    spans = TimeSpans(
        model.horizon_ps, record.state_ps, record.any_busy_ps, int(record.worked_ps.sum()),
        record.enters, record.wakes,
    )  # fmt: skip
    parts += list_device_parts(pipeline.power, pipeline.sleep, idle, spans)
    rows = [row for stage in model.stages for row in (stage.extra_mw, stage.corrected_mw)]
    peak_mw = find_peak_mw(model.state_mw, rows, model.harts)
    return sum_parts(parts, model.horizon_ps, record.energy_uj, peak_mw, pipeline.not_included)


def _list_results(
    pipeline: Pipeline,
    services: Sequence[StageService],
    model: PipelineModel,
    record: StageRecord,
) -> tuple[StageResult, ...]:
    names = ("origin_ps", "ready_ps", "end_ps", "dropped", "corrected")
    by_name = {name: record.split(name, model.first_job) for name in names}
    found = []
    for place, stage in enumerate(pipeline.stages):
        origin, ready, end, dropped, corrected = (by_name[name][place] for name in names)
        done, made = end >= 0, ready >= 0
        missed = None
        if stage.keys.deadline_ps is not None:
            until = np.where(done, end, model.horizon_ps)
            late = (until - ready > stage.keys.deadline_ps) | dropped
            missed = int((late & made).sum())
        found.append(
            StageResult(
                name=stage.name,
                cycles=services[place].cycles,
                requests=int(made.sum()),
                finished=int(done.sum()),
                dropped=int(dropped.sum()),
                waiting=int(record.last_waiting[place]),
                in_service=int(record.serving[place]),
                interrupted=int(record.interrupted[place]),
                corrected=int(corrected.sum()),
                missed=missed,
                mean_waiting=float(record.waiting_ps[place]) / model.horizon_ps,
                most_waiting=int(record.most_waiting[place]),
                response_ps=(end - ready)[done],
                age_ps=(end - origin)[done],
            )
        )
    return tuple(found)
