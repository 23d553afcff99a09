"""The experiment ``embedded-learners``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gnomon.base.errors import known
from gnomon.base.kept import anew
from gnomon.bench.fixedpoint import FORMAT_BITS, ares_formats, softucb_formats
from gnomon.bench.learners import Sizes, find_learner
from gnomon.report.embedded._costs import MACHINES, StepCost, measure_costs

if TYPE_CHECKING:
    from collections.abc import Callable

    from gnomon.base.kept import Keep
    from gnomon.bench.fixedpoint import LearnerFormat
    from gnomon.bench.learners import LearnerVariant

SIZES = ("small", "full")


@dataclass(frozen=True, slots=True)
class EmbeddedLearners:
    """All results.

    Attributes:
        size: ``small`` or ``full``.
        formats: each implementation in each format beside float.
        costs: each implementation on each machine.
    """

    size: str
    formats: tuple[LearnerFormat, ...]
    costs: tuple[StepCost, ...]


def check_size(size: str) -> str:
    """Return the size.

    Raises:
        GnomonError: there is none of this name.
    """
    return known("size", size, SIZES)


def _cases(size: str) -> list[tuple[str, str, Sizes, LearnerVariant]]:
    soft, ares = find_learner("softucb"), find_learner("ares")
    sizes = Sizes(20, 50) if size == "full" else Sizes(4, 6)
    cases = [
        ("softucb", f"K = {sizes.arms}, d = {sizes.d}", sizes, variant) for variant in soft.variants
    ]
    for windows in (4, 10) if size == "full" else (2,):
        cases += [
            (
                "ares",
                f"3 arms, 3 numbers, windows up to {windows}",
                Sizes(3, 3),
                variant.with_parameters(LEARNER_WINDOWS=windows),
            )
            for variant in ares.variants
        ]
    if size == "full":
        return cases
    shown = ("optimized", "optimized-vector", "standard-vector")
    return [case for case in cases if case[3].name in shown]


def embedded_steps(size: str) -> int:
    """How many times ``progress`` is called."""
    return 2 + len(_cases(size)) * len(_machines(size))


def _machines(size: str) -> tuple[str, ...]:
    return MACHINES if size == "full" else ("t13-simd4", "t13-paper-simd4")


def run_embedded(
    size: str = "small",
    progress: Callable[[str], None] = lambda _: None,
    keep: Keep = anew,
) -> EmbeddedLearners:
    """Run the experiment; see ``embedded_steps`` for the number of calls to ``progress``.

    Args:
        size: ``small`` or ``full``.
        progress: told what has been done.
        keep: makes each result, or takes it from where it is kept.

    Raises:
        GnomonError: there is no such size.
    """
    full = check_size(size) == "full"
    bits = FORMAT_BITS if full else (12, 16)
    soft = keep(
        _softucb_formats, environments=40 if full else 4, rounds=2048 if full else 200, bits=bits
    )
    progress("softucb, formats")
    ares = keep(_ares_formats, runs=20 if full else 2, rounds=1000 if full else 200, bits=bits)
    progress("ares, formats")
    costs = []
    for name, case, sizes, variant in _cases(size):
        for machine in _machines(size):
            costs.append(keep(measure_costs, name, case, sizes, variant, machine))
            progress(f"{name}, {machine}")
    return EmbeddedLearners(size, soft + ares, tuple(costs))


def _softucb_formats(
    *, environments: int, rounds: int, bits: tuple[int, ...]
) -> tuple[LearnerFormat, ...]:
    return tuple(softucb_formats(environments=environments, rounds=rounds, bits=bits))


def _ares_formats(*, runs: int, rounds: int, bits: tuple[int, ...]) -> tuple[LearnerFormat, ...]:
    return tuple(ares_formats(runs=runs, rounds=rounds, bits=bits))
