"""``gnomon experiment embedded-learners``: SoftUCB and ARES-P in C, compared with float.

Number formats on this computer, and what a step costs on each machine.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gnomon.arch import load_architecture
from gnomon.base.errors import GnomonError, known
from gnomon.base.kept import anew
from gnomon.bench.learners import LearnerBench, LearnerRun, LearnerVariant, Sizes, find_learner
from gnomon.cost.energy import Quote
from gnomon.report.study import Keeps, Steps, StudyReport, study_command
from gnomon.sim import Work

from .formats import FORMAT_BITS, LearnerFormat, ares_formats, softucb_formats

if TYPE_CHECKING:
    from gnomon.base.interval import Interval
    from gnomon.base.kept import Keep

MACHINES = {
    "small": ("t13-simd4", "t13-paper-simd4"),
    "full": tuple(f"t13-{paper}simd{n}" for paper in ("", "paper-") for n in (1, 2, 4, 8)),
}
_IN_SMALL = ("optimized", "optimized-vector", "standard-vector")


@dataclass(frozen=True, slots=True)
class StepCost:
    """One implementation on one machine, a step of random input.

    Attributes:
        case: what its sizes and parameters are, in words.
        run: cycles and bytes; every bit was compared with this computer.
        select_uj: dynamic energy of a selection.
        update_uj: of an update.
        both_uj: of both.
    """

    case: str
    run: LearnerRun
    select_uj: float
    update_uj: float
    both_uj: Interval


@dataclass(frozen=True, slots=True)
class EmbeddedLearners:
    """Each implementation in each format compared with float, and on each machine."""

    size: str
    formats: tuple[LearnerFormat, ...]
    costs: tuple[StepCost, ...]


def run_embedded(
    size: str = "small", progress: Steps | None = None, keep: Keep = anew
) -> EmbeddedLearners:
    """Run the experiment.

    Raises:
        GnomonError: there is no such size.
    """
    progress = progress or Steps()
    full = known("size", size, MACHINES) == "full"
    bits = FORMAT_BITS if full else (12, 16)
    cases = _cases(size)
    progress.plan(2 + len(cases) * len(MACHINES[size]))
    soft = keep(
        _formats, "softucb", environments=40 if full else 4, rounds=2048 if full else 200, bits=bits
    )
    progress("softucb, formats")
    ares = keep(_formats, "ares", runs=20 if full else 2, rounds=1000 if full else 200, bits=bits)
    progress("ares, formats")
    costs = []
    for name, case, sizes, variant in cases:
        for machine in MACHINES[size]:
            costs.append(keep(measure_costs, name, case, sizes, variant, machine))
            progress(f"{name}, {machine}")
    return EmbeddedLearners(size, soft + ares, tuple(costs))


def _cases(size: str) -> list[tuple[str, str, Sizes, LearnerVariant]]:
    full = size == "full"
    soft, ares = find_learner("softucb"), find_learner("ares")
    sizes = Sizes(20, 50) if full else Sizes(4, 6)
    cases = [
        ("softucb", f"K = {sizes.arms}, d = {sizes.d}", sizes, variant) for variant in soft.variants
    ]
    cases += [
        (
            "ares",
            f"3 arms, 3 numbers, windows up to {windows}",
            Sizes(3, 3),
            variant.with_parameters(LEARNER_WINDOWS=windows),
        )
        for windows in ((4, 10) if full else (2,))
        for variant in ares.variants
    ]
    return [case for case in cases if full or case[3].name in _IN_SMALL]


def _formats(learner: str, **settings: Any) -> tuple[LearnerFormat, ...]:
    return tuple((softucb_formats if learner == "softucb" else ares_formats)(**settings))


def measure_costs(
    name: str, case: str, sizes: Sizes, variant: LearnerVariant, machine: str
) -> StepCost:
    """Run a step and price it, operands dense.

    Raises:
        GnomonError: the machine cannot run it, or has no power table.
    """
    architecture = load_architecture(machine)
    learner = find_learner(name)
    run = LearnerBench(learner, variant, architecture, sizes).measure(case="random", details=False)
    works = [run.select.work, run.update.work]
    select, update, both = (
        Quote.of(work, architecture, data="dense").energy for work in (*works, Work.joined(works))
    )
    if select is None or update is None or both is None:
        raise GnomonError(f"{machine} names no power table: its energy is not known")
    return StepCost(case, run, select.energy_uj.value, update.energy_uj.value, both.energy_uj)


def _report(size: str, progress: Steps, keeps: Keeps) -> StudyReport:
    from .page import report_of

    return report_of(run_embedded(size, progress, keeps.measuring))


main = study_command("embedded-learners", {name: name for name in MACHINES}, _report)
