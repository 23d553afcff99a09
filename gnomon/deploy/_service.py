"""What serving a request takes: steps of the learner, each run on the simulator and priced."""

import itertools
import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from gnomon.arch import Architecture, load_architecture
from gnomon.base.errors import GnomonError
from gnomon.base.interval import Interval
from gnomon.cost.energy import OptionalEnergy
from gnomon.deploy._deployment import Deployment
from gnomon.deploy._model import PS_PER_S, Stages, Times
from gnomon.explore import Task, build_task, make_learner_bench
from gnomon.measure.learners import LearnerRun
from gnomon.sim import Work

_IDLE_SLOTS = 1_000_000  # of each hart; the power of a span does not depend on its length


@dataclass(frozen=True, slots=True)
class Service:
    """Measured steps on one machine; cycles hold for any clock."""

    runs: tuple[LearnerRun, ...] = field(repr=False)  # one by one, seeds in a row
    # the same with updates that correct; empty for variants that never do
    correcting: tuple[LearnerRun, ...] = field(repr=False)
    vector: bool  # the variant uses the vector unit
    period: int  # updates from one correction to the next; 0: never
    operands: str  # values that energy assumes

    @property
    def first(self) -> LearnerRun:
        """The first run; what all have in common is in it."""
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
        """Cycles beyond one in which an instruction holds the pipeline, in the stage with the most.

        An interleaved core gives each hart its slot in turn, and all wait while an instruction of
        one takes longer: so much another hart loses per slot of its own.
        """
        stages = [stage for run in (*self.runs, *self.correcting) for stage in run.stages]
        return max((each.hart_cycles - each.issued) / each.issued for each in stages)

    @property
    def correcting_cycles(self) -> tuple[int, ...]:
        """Wall cycles of each update that corrects."""
        return tuple(run.update.wall_cycles for run in self.correcting)


@dataclass(frozen=True, slots=True, eq=False)
class Costs:
    """A service at one clock."""

    stages: Stages  # times
    select_uj: tuple[Interval, ...]  # dynamic energy of each selection; empty where it is not known
    update_uj: tuple[Interval, ...]  # the same of updates
    # the same of those that correct; as `update_uj` if none does
    correcting_uj: tuple[Interval, ...]
    idle_mw: Interval | None  # dynamic power while all harts sleep; None where it is not known
    reason: str = ""  # why energy is not known; empty if it is
    table: str = ""  # the power table, and what it says of static power
    table_static: str = ""
    energy: str = ""  # kind and library of the energies; empty where they are not known
    extrapolated: bool = False  # activity lies outside that of the measured points of the table


def measure_service(deployment: Deployment, architecture: Architecture | None = None) -> Service:
    """Run the steps of the learner on the machine of a deployment, or on another one.

    Each bit is compared with the host.

    Raises:
        CheckFailed: if a step computes another result.
        GnomonError: if the machine cannot run the learner.
    """
    architecture = architecture or deployment.architecture
    settings: dict[str, Any] = dict(deployment.settings)
    harts = settings["harts"] * deployment.device.harts
    if harts > architecture.core.harts:
        raise GnomonError(
            f"{harts} harts at work: {architecture.name} has {architecture.core.harts}"
        )
    # Only how often it corrects: which update does is the deployment's to say.
    period = settings.pop("correction-period")
    task = Task("learner", (*settings.items(), ("correction-period", None)), architecture)
    bench = make_learner_bench(task)
    program = build_task(task, bench)
    if period is None:
        period = bench.variant.correction_period or 0

    def steps(*, correcting: bool) -> tuple[LearnerRun, ...]:
        return tuple(
            bench.measure(
                case=settings["case"],
                seed=settings["seed"] + step,
                details=False,
                program=program,
                correcting=correcting,
            )
            for step in range(deployment.steps)
        )

    runs = steps(correcting=False)
    return Service(
        runs=runs,
        correcting=steps(correcting=True) if period else (),
        vector=bench.variant.vector,
        period=period,
        operands=settings["operands"] or runs[0].operands,
    )


def cost_of(service: Service, architecture: Architecture, others: int = 0) -> Costs:
    """Times and energies of a service on the machine it was measured on, at its clock now.

    It was measured by one hart alone; ``others`` are harts that work at the same time: every stage
    takes as long as if they always did.
    """
    clock_hz = int(architecture.clock)
    held = others * service.held_per_issue
    update = [run.update for run in service.runs]
    parts = (
        [run.select for run in service.runs],
        update,
        [run.update for run in service.correcting] or update,
    )
    # Wall cycles beside harts that hold the pipeline for so long per slot of this one.
    cycles = [[run.wall_cycles + math.ceil(run.issued * held) for run in runs] for runs in parts]
    select_ps, update_ps, correcting_ps = (_times(each, clock_hz) for each in cycles)
    stages = Stages(select_ps, update_ps, correcting_ps, service.period, service.vector)
    known: dict[str, OptionalEnergy] = {}
    for run in itertools.chain(*parts):
        if repr(run.work) not in known:  # steps that did the same cost the same
            known[repr(run.work)] = OptionalEnergy.from_work(
                run.work, architecture, data=service.operands
            )

    harts = architecture.core.harts
    idle = Work(_IDLE_SLOTS * harts, {}, {}, 0, (_IDLE_SLOTS,) * harts, 0)
    idle_quote = OptionalEnergy.from_work(idle, architecture, data=service.operands)
    missing = next((q.reason for q in (*known.values(), idle_quote) if q.energy is None), "")
    if missing or idle_quote.energy is None:
        return Costs(stages, (), (), (), None, reason=missing)
    idle_mw = idle_quote.energy.power_mw

    energies = []  # of each stage, and of the clock in the time that it waits for others
    for runs, lasting in zip(parts, cycles, strict=True):
        found = []
        for run, count in zip(runs, lasting, strict=True):
            energy = known[repr(run.work)].energy
            assert energy is not None
            waited = idle_mw.scaled((count - run.wall_cycles) / clock_hz * 1e3, "µJ")
            found.append(energy.energy_uj + waited)
        energies.append(tuple(found))
    select_uj, update_uj, correcting_uj = energies
    return Costs(
        stages,
        select_uj,
        update_uj,
        correcting_uj,
        idle_mw,
        table=idle_quote.energy.table,
        table_static=idle_quote.energy.static,
        energy=", ".join(idle_quote.energy.technology),
        extrapolated=any(each.energy.extrapolated for each in known.values() if each.energy),
    )


def at_clock(deployment: Deployment, arch: str, clock_hz: int | None = None) -> Architecture:
    """A machine with the keys that the deployment sets, at its own clock or another one."""
    overrides = list(deployment.overrides)
    if clock_hz is not None:
        overrides = [each for each in overrides if not each.startswith("clock=")]
        overrides.append(f"clock={clock_hz} Hz")
    return load_architecture(arch, overrides)


def _times(cycles: Iterable[int], clock_hz: int) -> Times:
    """Whole picoseconds, rounded to nearest."""
    exact = (Fraction(each * PS_PER_S, clock_hz) for each in cycles)
    return np.array([max(1, round(ps)) for ps in exact], dtype=np.int64)
