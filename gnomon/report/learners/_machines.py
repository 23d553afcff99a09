"""What steps of the embedded learners cost on machines: cycles, time, energy, bytes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gnomon.arch import load_architecture
from gnomon.base.kept import anew
from gnomon.bench.fixedpoint import explored_steps
from gnomon.bench.learners import Sizes, find_learner, measure_learner
from gnomon.cost.energy import quote
from gnomon.report.learners._report import Table

if TYPE_CHECKING:
    from collections.abc import Callable

    from gnomon.arch import Architecture
    from gnomon.base.kept import Keep
    from gnomon.bench.learners import Learner, LearnerVariant, StageRun

SCALAR_MACHINE = "t13"
VECTOR_MACHINES = tuple(
    f"t13-{paper}simd{lanes}" for paper in ("", "paper-") for lanes in (1, 2, 4, 8)
)
COLUMNS = (
    *("machine", "variant", "step"),
    *("select_cycles", "update_cycles", "select_us", "update_us", "select_uj", "update_uj"),
    *("model_bytes", "static_bytes", "text_bytes"),
)


@dataclass(frozen=True, slots=True)
class _Case:
    """A learner of one size, its variants, and the steps that are measured.

    Of these: the name, the variant as it is built, and how many steps come before.
    """

    learner: Learner
    sizes: Sizes
    variants: tuple[LearnerVariant, ...]
    steps: Callable[[LearnerVariant], list[tuple[str, LearnerVariant, int]]]


def machines_table(name: str, *, full: bool, keep: Keep = anew) -> Table:
    """Measure a learner on the scalar core and on machines with a vector unit.

    Every run is compared bit by bit with the same C on this computer.

    Raises:
        CheckFailed: a bit differs.
    """
    case, about = _CASES[name]()
    lanes = VECTOR_MACHINES if full else ("t13-simd4", "t13-paper-simd4")
    rows: list[tuple[str, ...]] = []
    for variant in case.variants:
        steps = case.steps(variant)
        for machine in lanes if variant.vector else (SCALAR_MACHINE, *lanes):
            for step, built, warm_steps in steps:
                figures = keep(_figures, name, built, machine, case.sizes, warm_steps)
                rows.append((machine, variant.name, step, *figures))
    return Table("machines", "On machines", COLUMNS, tuple(rows), about)


def _figures(
    name: str, variant: LearnerVariant, machine: str, sizes: Sizes, warm_steps: int
) -> tuple[str, ...]:
    """A row from ``select_cycles`` on."""
    architecture = load_architecture(machine)
    run = measure_learner(
        find_learner(name),
        variant,
        architecture,
        sizes,
        case="random",
        details=False,
        warm_steps=warm_steps,
    )
    stages = (run.select, run.update)
    return (
        *(str(stage.wall_cycles) for stage in stages),
        *(f"{stage.wall_cycles * 1e6 / run.clock_hz:.2f}" for stage in stages),
        *(_energy(stage, architecture) for stage in stages),
        *(str(n) for n in (run.model_bytes, run.static_bytes, run.text_bytes)),
    )


def _energy(stage: StageRun, architecture: Architecture) -> str:
    energy = quote(stage.work, architecture, data="dense").energy
    return "" if energy is None else f"{energy.energy_uj.value:.4g}"


def _bento() -> tuple[_Case, str]:
    learner, sizes = find_learner("bento-epsilon-greedy"), Sizes(8, 8)
    variants = tuple(
        learner.variant(name, "tuned") for name in ("standard", "optimized", "optimized-vector")
    )
    p = 10 * sizes.arms  # LEARNER_P, if nothing else is said

    def steps(variant: LearnerVariant) -> list[tuple[str, LearnerVariant, int]]:
        explored = set(explored_steps(3000, sizes.arms, p)[0].tolist())
        later = range(1000, 3000)
        after = next(t for t in later if t not in explored and t - 1 in explored)
        return [
            ("explored", variant, next(t for t in later if t in explored)),
            ("exploited after explored", variant, after),
            ("exploited", variant, next(t for t in later if not {t, t - 1} & explored)),
        ]

    return _Case(learner, sizes, variants, steps), (
        "Eight arms, eight features, Q16.15, p = 80, after 1,000 steps; one hart at 100 MHz."
        " An explored step draws an arm and learns; an exploited one after it solves for that arm's"
        " weights; all others are inner products alone. `standard` solves for all arms in every"
        " exploited step, as published. Dynamic energy, operands dense; empty where the power table"
        " has no entry."
    )


def _kernel() -> tuple[_Case, str]:
    learner, sizes = find_learner("ek-ucb"), Sizes(1, 10, 1)
    variants = tuple(learner.variant(name, "tuned") for name in ("optimized", "optimized-vector"))

    def steps(variant: LearnerVariant) -> list[tuple[str, LearnerVariant, int]]:
        return [
            (f"{most} anchors", variant.with_parameters(LEARNER_ANCHORS=most), 400)
            for most in (8, 16, 20)
        ]

    return _Case(learner, sizes, variants, steps), (
        "Ten arms, contexts and arms of one coordinate, Q16.15, after random steps that filled the"
        " dictionary; one hart at 100 MHz. Dynamic energy, operands dense; empty where the power"
        " table has no entry."
    )


_CASES: dict[str, Callable[[], tuple[_Case, str]]] = {
    "bento-epsilon-greedy": _bento,
    "ek-ucb": _kernel,
}
