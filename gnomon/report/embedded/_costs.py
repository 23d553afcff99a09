"""Cycles, time, energy and bytes of a selection and an update on a machine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gnomon.arch import load_architecture
from gnomon.bench.learners import LearnerRun, Sizes, find_learner, measure_learner
from gnomon.cost.energy import join_work, quote

if TYPE_CHECKING:
    from gnomon.arch import Architecture
    from gnomon.bench.learners import LearnerVariant
    from gnomon.sim import Work

MACHINES = tuple(f"t13-{paper}simd{n}" for paper in ("", "paper-") for n in (1, 2, 4, 8))
_FRACTION_BITS = 15


@dataclass(frozen=True, slots=True)
class StepCost:
    """One implementation on one machine, a step of random input.

    Attributes:
        case: what its sizes and parameters are, in words.
        run: cycles and bytes; every bit was compared with this computer.
        select_uj: dynamic energy of a selection.
        update_uj: of an update.
        both_uj: of both.
        low_uj: lower end of the interval of both.
        high_uj: upper end of it.
    """

    case: str
    run: LearnerRun
    select_uj: float
    update_uj: float
    both_uj: float
    low_uj: float
    high_uj: float


def measure_costs(
    name: str, case: str, sizes: Sizes, variant: LearnerVariant, machine: str
) -> StepCost:
    """Run a step and price it, operands dense.

    Raises:
        GnomonError: the machine cannot run it, or has no power table.
    """
    architecture = load_architecture(machine)
    run = measure_learner(
        find_learner(name),
        variant,
        architecture,
        sizes,
        case="random",
        fraction_bits=_FRACTION_BITS,
        details=False,
    )
    select, update = (_uj(stage.work, architecture) for stage in run.stages)
    both = _uj(join_work([stage.work for stage in run.stages]), architecture)
    return StepCost(case, run, select[0], update[0], *both)


def _uj(work: Work, architecture: Architecture) -> tuple[float, float, float]:
    energy = quote(work, architecture, data="dense").energy
    assert energy is not None, "all T13 machines have a power table"
    figure = energy.energy_uj
    return figure.value, figure.low, figure.high
