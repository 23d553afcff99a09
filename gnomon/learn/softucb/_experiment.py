"""The experiment ``softucb``: Figures 1 and 2, Table 1, and the acceptance criteria."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from gnomon.base.errors import known
from gnomon.base.kept import anew
from gnomon.learn.softucb._arm_sets import join_arm_sets, synthetic_arm_sets
from gnomon.learn.softucb._checks import TABLE_1_CASES, check_formulas
from gnomon.learn.softucb._compare import Comparison, Setup, compare, compare_steps
from gnomon.learn.softucb._criteria import (
    of_comparison,
    of_divergence,
    of_sweep,
    of_table_1,
    of_trap,
)
from gnomon.learn.softucb._jester import jester_arm_sets, jester_stand_in, read_jester
from gnomon.learn.softucb._movielens import (
    movielens_arm_sets,
    movielens_stand_in,
    read_movielens,
)
from gnomon.learn.softucb._published import published_widths
from gnomon.learn.softucb._studies import (
    Divergence,
    TrainedWidth,
    Trap,
    divergence,
    regret_over_width,
    train_width,
    trap,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from gnomon.base.kept import Keep
    from gnomon.learn.criterion import Criterion

SIZES = ("small", "full")
_NOISES = (0.1, 0.1**0.5)

Sweep = dict[tuple[int, int, float], dict[float, float]]
"""Regret by width, by d, T and noise."""


@dataclass(frozen=True, slots=True)
class SoftucbExperiment:
    """All results.

    Attributes:
        size: ``small`` or ``full``.
        comparisons: in the order they are told.
        table_1: trained widths; empty in the small size.
        sweeps: regret over fixed widths.
        divergence: training by the last round.
        trap: None in the small size.
        criteria: B1 to B15, those that this size has.
        data: where MovieLens and Jester came from.
    """

    size: str
    comparisons: tuple[Comparison, ...]
    table_1: tuple[TrainedWidth, ...]
    sweeps: Sweep
    divergence: Divergence
    trap: Trap | None
    criteria: tuple[Criterion, ...]
    data: dict[str, str] = field(default_factory=dict)


def check_size(size: str) -> str:
    """Return the size.

    Raises:
        GnomonError: there is none of this name.
    """
    return known("size", size, SIZES)


def softucb_steps(size: str) -> int:
    """How many times ``progress`` is called."""
    if size == "small":
        return 1 + compare_steps() + 2
    return 1 + 5 * compare_steps() + 2 + 2 * len(TABLE_1_CASES) + len(TABLE_1_CASES)


def _synthetic(
    name: str, *, arms: int, dimensions: int, noise_std: float, rounds: int, seeds: range
) -> Setup:
    sets = [
        synthetic_arm_sets(
            count=10, arms=arms, dimensions=dimensions, noise_std=noise_std, seed=seed
        )
        for seed in seeds
    ]
    return Setup(
        name, join_arm_sets(sets), rounds, len(sets), iterations=15 if name == "small" else 50
    )


def _setups(size: str, movielens: Path | None, jester: Path | None) -> list[Setup]:
    if size == "small":
        return [
            _synthetic(
                "small", arms=20, dimensions=5, noise_std=0.1, rounds=256, seeds=range(100, 105)
            )
        ]
    ratings = movielens_stand_in() if movielens is None else read_movielens(movielens)
    jokes = jester_stand_in() if jester is None else read_jester(jester)
    return [
        _synthetic(
            "mid", arms=50, dimensions=10, noise_std=0.1, rounds=1024, seeds=range(120, 125)
        ),
        *(
            _synthetic(
                f"synthetic-d{d}", arms=50, dimensions=d, noise_std=0.5, rounds=2048, seeds=seeds
            )
            for d, seeds in ((10, range(130, 133)), (20, range(140, 143)))
        ),
        Setup("movielens", movielens_arm_sets(ratings), 1024, 1, thompson_variance=0.2),
        Setup("jester", jester_arm_sets(jokes), 2048, 1, thompson_variance=0.3),
    ]


def run_softucb(
    size: str = "small",
    *,
    movielens: Path | None = None,
    jester: Path | None = None,
    progress: Callable[[str], None] = lambda _: None,
    keep: Keep = anew,
) -> SoftucbExperiment:
    """Run the experiment; see ``softucb_steps`` for the number of calls to ``progress``.

    Args:
        size: ``small``: seconds. ``full``: minutes.
        movielens: a file of ratings; a synthetic stand-in if there is none.
        jester: the same for ratings of jokes.
        progress: told what has been done.
        keep: makes each result, or takes it from where it is kept.

    Raises:
        GnomonError: there is no such size, or a file is wrong.
    """
    check_size(size)
    criteria: list[Criterion] = list(check_formulas(published_widths("beta_theory")))
    progress("formulas")
    comparisons = []
    for number, setup in enumerate(_setups(size, movielens, jester)):
        told = partial(progress, setup.name)
        comparison = keep(compare, setup, 900 + number, progress=told)
        criteria += of_comparison(comparison)
        comparisons.append(comparison)
    diverged = keep(divergence)
    progress("divergence")
    criteria += of_divergence(diverged)
    cases = TABLE_1_CASES if size == "full" else TABLE_1_CASES[:1]
    sweeps: Sweep = {}
    for d, rounds in cases:
        sweeps[d, rounds, 0.1] = keep(regret_over_width, d, rounds, 0.1)
        criteria += of_sweep(d, rounds, 0.1, sweeps[d, rounds, 0.1])
        progress("regret over width")
    trapped: Trap | None = None
    rows: list[TrainedWidth] = []
    if size == "full":
        trapped = keep(trap)
        progress("trap")
        criteria += of_trap(trapped)
        for noise in _NOISES:
            for d, rounds in TABLE_1_CASES:
                rows.append(keep(train_width, d, rounds, noise))
                progress("Table 1")
        criteria += of_table_1(tuple(rows))
    return SoftucbExperiment(
        size,
        tuple(comparisons),
        tuple(rows),
        sweeps,
        diverged,
        trapped,
        tuple(criteria),
        {
            "movielens": "synthetic stand-in" if movielens is None else movielens.name,
            "jester": "synthetic stand-in" if jester is None else jester.name,
        },
    )
