"""Service times and energies of requests, from simulated steps of the learner."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from typing import Any, Protocol, Self

import numpy as np

from gnomon.arch import Architecture, load_architecture
from gnomon.base.interval import Interval
from gnomon.cost.energy import OptionalEnergy
from gnomon.deploy._deployment import Deployment
from gnomon.deploy._device import check_harts
from gnomon.deploy._model import PS_PER_S, Stages, Times
from gnomon.explore import Task, build_task, make_learner_bench
from gnomon.measure.learners import LearnerRun
from gnomon.sim import Work

_IDLE_SLOTS = 1_000_000  # of each hart; idle power is independent of the length


@dataclass(frozen=True, slots=True)
class Service:
    """Measured steps on one machine; cycles apply to any clock."""

    runs: tuple[LearnerRun, ...] = field(repr=False)  # one per step, with consecutive seeds
    # the same steps with corrections in their updates; empty for variants without
    correcting: tuple[LearnerRun, ...] = field(repr=False)
    vector: bool  # the variant uses the vector unit
    period: int  # updates from one correction to the next; 0: never
    operands: str  # operand values that the energy assumes

    @property
    def first(self) -> LearnerRun:
        """First run, for data that all runs share."""
        return self.runs[0]

    @property
    def select_cycles(self) -> tuple[int, ...]:
        """Wall cycles of each selection."""
        return tuple(run.select.wall_cycles for run in self.runs)

    @property
    def update_cycles(self) -> tuple[int, ...]:
        """Wall cycles of each update."""
        return tuple(run.update.wall_cycles for run in self.runs)

    @property
    def held_per_issue(self) -> float:
        """Mean cycles beyond one that an instruction occupies the pipeline, in the worst stage.

        An interleaved core gives each hart its slot in turn. All harts wait while an instruction
        takes longer, so another hart loses this many cycles per slot of its own.
        """
        stages = [stage for run in (*self.runs, *self.correcting) for stage in run.stages]
        return max((each.hart_cycles - each.issued) / each.issued for each in stages)

    @property
    def correcting_cycles(self) -> tuple[int, ...]:
        """Wall cycles of each update with correction."""
        return tuple(run.update.wall_cycles for run in self.correcting)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Pricing:
    """Source of the energies of runs."""

    idle_mw: Interval | None  # dynamic power while all harts sleep; None: unavailable
    reason: str = ""  # why energy is unavailable; empty: it is available
    table: str = ""  # name of the power table
    table_static: str = ""  # its treatment of static power
    energy: str = ""  # kind and library of the energies; empty: unavailable
    extrapolated: bool = False  # whether activity is outside the measured points of the table


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Costs(Pricing):
    """Times and energies of a service at one clock."""

    stages: Stages  # times
    select_uj: tuple[Interval, ...]  # dynamic energy of each selection; empty: unavailable
    update_uj: tuple[Interval, ...]  # the same for updates
    # the same for updates with correction; equal to `update_uj` if there is none
    correcting_uj: tuple[Interval, ...]


def measure_service(deployment: Deployment, architecture: Architecture | None = None) -> Service:
    """Run the steps of the learner on the machine of a deployment, or on another one.

    Each bit is compared with the host.

    Raises:
        CheckFailed: if a step computes another result.
        GnomonError: if the machine cannot run the learner.
    """
    architecture = architecture or deployment.architecture
    settings: dict[str, Any] = dict(deployment.settings)
    check_harts(architecture, settings["harts"] * deployment.device.harts)
    return measure_steps(settings, architecture, deployment.steps)


def measure_steps(
    settings: dict[str, Any], architecture: Architecture, count: int, *, updates: bool = True
) -> Service:
    """Run the steps of a learner with its settings; corrections only if its updates are wanted.

    Each bit is compared with the host.

    Raises:
        CheckFailed: if a step computes another result.
        GnomonError: if the machine cannot run the learner.
    """
    # The steps are measured without; the deployment decides which updates correct.
    without = settings | {"correction-period": None}
    task = Task("learner", tuple(without.items()), architecture)
    bench = make_learner_bench(task)
    program = build_task(task, bench)
    period = settings["correction-period"]
    if period is None:
        period = bench.variant.correction_period or 0

    def measure(*, correcting: bool) -> tuple[LearnerRun, ...]:
        return tuple(
            bench.measure(
                case=settings["case"],
                seed=settings["seed"] + step,
                details=False,
                program=program,
                correcting=correcting,
            )
            for step in range(count)
        )

    runs = measure(correcting=False)
    return Service(
        runs=runs,
        correcting=measure(correcting=True) if period and updates else (),
        vector=bench.variant.vector,
        period=period if updates else 0,
        operands=settings["operands"] or runs[0].operands,
    )


def price_service(service: Service, architecture: Architecture, others: int = 0) -> Costs:
    """Return times and energies of a service on its machine, at the current clock.

    One hart alone was measured. ``others`` is the number of further serving harts; every stage
    takes as long as if they always worked.
    """
    update = [run.update for run in service.runs]
    parts = (
        [run.select for run in service.runs],
        update,
        [run.update for run in service.correcting] or update,
    )
    held = others * service.held_per_issue
    priced = price_runs([(runs, service.operands) for runs in parts], architecture, held)
    select_ps, update_ps, correcting_ps = priced.times_ps
    stages = Stages(select_ps, update_ps, correcting_ps, service.period, service.vector)
    select_uj, update_uj, correcting_uj = priced.energies_uj or ((), (), ())
    return Costs(
        stages=stages,
        select_uj=select_uj,
        update_uj=update_uj,
        correcting_uj=correcting_uj,
        **{each.name: getattr(priced, each.name) for each in fields(Pricing)},
    )


class CostedRun(Protocol):
    """One run of a stage on one hart."""

    @property
    def wall_cycles(self) -> int: ...

    @property
    def hart_cycles(self) -> int: ...

    @property
    def issued(self) -> int: ...

    @property
    def work(self) -> Work: ...


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class PricedRuns(Pricing):
    """Times and energies of the runs of several stages at one clock."""

    times_ps: tuple[Times, ...]  # by stage and run
    energies_uj: tuple[tuple[Interval, ...], ...]  # the same; empty: unavailable

    def keep_longest(self) -> Self:
        """Return the longest run of each stage alone."""
        runs = [int(np.argmax(times)) for times in self.times_ps]
        return replace(
            self,
            times_ps=tuple(times[[run]] for run, times in zip(runs, self.times_ps, strict=True)),
            energies_uj=tuple(
                (each[run],) for run, each in zip(runs, self.energies_uj, strict=False)
            ),
        )


def price_runs(
    stages: Sequence[tuple[Sequence[CostedRun], str | None]],
    architecture: Architecture,
    held: float,
) -> PricedRuns:
    """Return times and energies of runs, by stage.

    Args:
        stages: runs of each stage, and the operand values that their energy assumes.
        architecture: the machine, at its clock.
        held: cycles per issue for which other harts occupy the pipeline.
    """
    clock_hz = int(architecture.clock)
    cycles = [
        [run.wall_cycles + math.ceil(run.issued * held) for run in runs] for runs, _ in stages
    ]
    times_ps = tuple(_convert_times(each, clock_hz) for each in cycles)
    known: dict[tuple[str, str | None], OptionalEnergy] = {}
    for runs, operands in stages:
        for run in runs:
            place = repr(run.work), operands
            if place not in known:  # equal work has equal energy
                known[place] = OptionalEnergy.from_work(run.work, architecture, data=operands)

    harts = architecture.core.harts
    idle = Work(_IDLE_SLOTS * harts, {}, {}, 0, (_IDLE_SLOTS,) * harts, 0)
    idle_quote = OptionalEnergy.from_work(idle, architecture, data=stages[0][1])
    missing = next((q.reason for q in (*known.values(), idle_quote) if q.energy is None), "")
    if missing or idle_quote.energy is None:
        return PricedRuns(times_ps=times_ps, energies_uj=(), idle_mw=None, reason=missing)
    idle_mw = idle_quote.energy.power_mw

    energies = []  # of each stage, plus the clock while it waits for other harts
    for (runs, operands), lasting in zip(stages, cycles, strict=True):
        found = []
        for run, count in zip(runs, lasting, strict=True):
            energy = known[repr(run.work), operands].energy
            assert energy is not None
            waited = idle_mw.scaled((count - run.wall_cycles) / clock_hz * 1e3, "µJ")
            found.append(energy.energy_uj + waited)
        energies.append(tuple(found))
    return PricedRuns(
        times_ps=times_ps,
        energies_uj=tuple(energies),
        idle_mw=idle_mw,
        table=idle_quote.energy.table,
        table_static=idle_quote.energy.static,
        energy=", ".join(idle_quote.energy.technology),
        extrapolated=any(each.energy.extrapolated for each in known.values() if each.energy),
    )


def load_at_clock(deployment: Deployment, arch: str, clock_hz: int | None = None) -> Architecture:
    """Load a machine with the keys of the deployment, at its own clock or another one in Hz."""
    overrides = list(deployment.overrides)
    if clock_hz is not None:
        overrides = [each for each in overrides if not each.startswith("clock=")]
        overrides.append(f"clock={clock_hz} Hz")
    return load_architecture(arch, overrides)


def _convert_times(cycles: Iterable[int], clock_hz: int) -> Times:
    """Return times in whole picoseconds, rounded to nearest, at least 1."""
    exact = (Fraction(each * PS_PER_S, clock_hz) for each in cycles)
    return np.array([max(1, round(ps)) for ps in exact], dtype=np.int64)
