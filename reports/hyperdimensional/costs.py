"""Cycles, bytes and energy of a step of the learners on machines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from gnomon.arch import Architecture, load_architecture
from gnomon.cost.area import Area
from gnomon.cost.energy import Energy
from gnomon.measure.learners import EmbeddedSizes, LearnerBench
from gnomon.sim import Work

from .play import BITS, ENTRIES, Entry

MACHINES: Final = ("t13", "t13-simd4", "picorv32", "hazard3")
SIZES: Final = EmbeddedSizes(5, 5)
SCALED: Final = ("LinUCB", "EPS", "PROB")
DIMENSIONS: Final = (5, 10, 20, 40)
SCALED_ON: Final = "hazard3"
WARM_STEPS: Final = 64
PLAYS: Final = (0, 100, 2000, 20000)
"""Warm steps before the measured update of PROB."""
UNIT: Final = "popcount"
NO_UNIT: Final = "none"
UNIT_ON: Final = "t13-simd1"
UNIT_POWER: Final = "osu018-t13-simd1"
POWERS: Final = {"picorv32": "osu018-picorv32"}
"""Gate-level tables of cores, which have no memories."""
CLOCK: Final = "50 MHz"
"""Of the cores with gate-level tables."""
_EVERY_REWARD: Final = {"LEARNER_REWARD_HIGH": 2}
"""For PROB: all rewards of the measurement weigh 1. A weight of 0 would save the whole update."""


@dataclass(frozen=True, slots=True)
class Cost:
    """One selection and one update after warm steps, wall cycles, one hart."""

    title: str
    machine: str
    d: int
    warm_steps: int
    select_cycles: int
    update_cycles: int
    model_bytes: int
    text_bytes: int


@dataclass(frozen=True, slots=True)
class UnitCost:
    """A step on the machine with or without the unit: wall cycles, energy, area of the machine."""

    title: str
    unit: str
    select_cycles: int
    update_cycles: int
    executions: int
    energy_uj: float
    energy_low_uj: float
    energy_high_uj: float
    area_luts: float
    text_bytes: int


@dataclass(frozen=True, slots=True)
class CoreCost:
    """Energy of a step on a core without its memories, by a gate-level table of the core."""

    title: str
    machine: str
    power: str
    step_cycles: int
    energy_uj: float
    energy_low_uj: float
    energy_high_uj: float


@cache
def _machine(name: str) -> Architecture:
    return load_architecture(name)


@cache
def _machine_with(unit: str) -> Architecture:
    changes = [f"power={UNIT_POWER}", *([] if unit == NO_UNIT else [f"units.{unit}={{}}"])]
    return load_architecture(UNIT_ON, changes)


def _bench_of(entry: Entry, machine: Architecture, d: int) -> LearnerBench:
    variant = entry.implementation
    if entry.title == "PROB":
        variant = variant.with_parameters(**_EVERY_REWARD)
    sizes = EmbeddedSizes(d, SIZES.arms)
    return LearnerBench(entry.learner, variant, machine, sizes, fraction_bits=BITS)


@cache
def _step(title: str, d: int, warm_steps: int) -> Any:
    """Return input and outcome of a step; a scalar variant computes the same for all machines."""
    entry = next(each for each in ENTRIES if each.title == title)
    return _bench_of(entry, _machine(MACHINES[0]), d).step(case="random", warm_steps=warm_steps)


def measure(entry: Entry, machine: str, d: int, warm_steps: int = WARM_STEPS) -> Cost:
    """Run one step with details off; every bit is compared with the host."""
    step = _step(entry.title, d, warm_steps)
    run = _bench_of(entry, _machine(machine), d).measure(case="random", details=False, step=step)
    return Cost(entry.title, machine, d, warm_steps, run.select.wall_cycles,
                run.update.wall_cycles, run.model_bytes, run.text_bytes)  # fmt: skip


def measure_unit(entry: Entry, unit: str) -> UnitCost:
    """Run one step on the machine with a unit or ``NO_UNIT``; every bit is compared."""
    step, machine = _step(entry.title, SIZES.d, WARM_STEPS), _machine_with(unit)
    run = _bench_of(entry, machine, SIZES.d).measure(case="random", details=False, step=step)
    work = Work.joined(each.work for each in run.stages)
    uj = Energy.from_work(work, machine).energy_uj
    return UnitCost(entry.title, unit, run.select.wall_cycles, run.update.wall_cycles,
                    work.instructions.get(UNIT, 0), uj.value, uj.low, uj.high,
                    Area.from_architecture(machine).total.lut.value, run.text_bytes)  # fmt: skip


def measure_core(entry: Entry, name: str) -> CoreCost:
    """Run one step on a core and price it by its gate-level table; every bit is compared."""
    machine = load_architecture(name, (f"power={POWERS[name]}", f"clock={CLOCK}"))
    step = _step(entry.title, SIZES.d, WARM_STEPS)
    run = _bench_of(entry, machine, SIZES.d).measure(case="random", details=False, step=step)
    uj = Energy.from_work(Work.joined(each.work for each in run.stages), machine).energy_uj
    cycles = run.select.wall_cycles + run.update.wall_cycles
    value, low, high = (round(end, 3) for end in (uj.value, uj.low, uj.high))
    return CoreCost(entry.title, name, POWERS[name], cycles, value, low, high)


def unit_points() -> Sequence[tuple[Entry, str]]:
    """Return the hyperdimensional learners, each without and with the unit."""
    return [
        (entry, unit) for entry in ENTRIES if entry.hyperdimensional for unit in (NO_UNIT, UNIT)
    ]


def points() -> Sequence[tuple[Entry, str, int, int]]:
    """Return entry, machine, d and warm steps of all measurements."""
    of = {entry.title: entry for entry in ENTRIES}
    steps = [(entry, machine, SIZES.d, WARM_STEPS) for machine in MACHINES for entry in ENTRIES]
    sizes = [(of[title], SCALED_ON, d, WARM_STEPS) for title in SCALED for d in DIMENSIONS[1:]]
    return [*steps, *sizes, *((of["PROB"], SCALED_ON, SIZES.d, warm) for warm in PLAYS)]
