"""Results of a comparison: points, and the points that no other beats."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from gnomon.base.interval import Interval, student_quantile
from gnomon.explore import pareto_front

from .problems import TITLES, Problem

_CONFIDENCE = 0.975  # two-sided 95 %


@dataclass(frozen=True, slots=True)
class ComparisonSize:
    """Extent of the runs."""

    name: str
    rounds: int  # T of each run
    training_seeds: int  # runs in which the settings are chosen
    seeds: int  # runs of which the regret is
    machine_seeds: int  # number of the first of these that also run on the machines
    lines: tuple[str, ...]  # code lines
    format_bits: tuple[int, ...]  # fraction bits of the formats that are compared


@dataclass(frozen=True, slots=True)
class Point:
    """One implementation in one problem on one machine; a decision is a selection and an update."""

    problem: str
    machine: str
    learner: str
    line: str
    variant: str
    setting: str
    # relative to a uniform policy; 0 is the best arm in every round; 95 % interval
    regret: Interval
    energy_uj: Interval  # dynamic energy of a decision
    select_uj: float
    update_uj: float
    time_us: float
    select_cycles: float  # mean of a selection, as are energies and times
    update_cycles: float
    slowest_select_cycles: int
    slowest_update_cycles: int
    model_bytes: int
    text_bytes: int  # instructions, the loop over the rounds included
    extrapolated: bool  # its activity lies outside that of the points of the power table

    @property
    def names(self) -> tuple[str, str, str, str, str]:
        """Problem, learner, line, variant and setting, as those of an entry."""
        return self.problem, self.learner, self.line, self.variant, self.setting

    @property
    def made(self) -> str:
        """Name of the implementation; of the tuned code by default."""
        return self.variant if self.line == "tuned" else f"{self.variant}, {self.line}"

    @property
    def title(self) -> str:
        """Learner and implementation."""
        return f"{TITLES[self.learner]} {self.made}"


@dataclass(frozen=True, slots=True)
class Comparison:
    """All results."""

    size: ComparisonSize  # the requested one
    problems: tuple[Problem, ...]  # the problems played
    machines: tuple[str, ...]  # names
    points: tuple[Point, ...]  # implementations in problems on machines
    missing: pd.DataFrame  # implementations that a machine cannot run, and ``why``
    # mean relative ``regret`` of each ``setting`` in the training runs, and which one is ``chosen``
    trials: pd.DataFrame
    # mean relative ``regret`` of implementations by ``fraction_bits``, in the training runs
    formats: pd.DataFrame
    # relative regret of a policy with the problem but not its hidden state, by problem
    known: dict[str, Interval] = field(default_factory=dict)
    # pairs of points of the fronts, and which orders are claimed and hold: see ``with_orders``
    orders: pd.DataFrame = field(default_factory=pd.DataFrame)
    seed_base: int = 0  # of the fresh seeds
    # energy of several runs of some points: see ``with_spread``
    spread: pd.DataFrame = field(default_factory=pd.DataFrame)
    # savings of two learners: see ``with_saving``
    thrifty: pd.DataFrame = field(default_factory=pd.DataFrame)
    windows: pd.DataFrame = field(default_factory=pd.DataFrame)
    # hybrid against disjoint with and without shared weights: see ``hybrid_table``
    hybrid: pd.DataFrame = field(default_factory=pd.DataFrame)
    # windows, no windows and hybrid on many drifting systems: see ``drift_table``
    drift: pd.DataFrame = field(default_factory=pd.DataFrame)


def panels(points: Iterable[Point]) -> dict[tuple[str, str], list[Point]]:
    """Group points by problem and machine, in order."""
    found: dict[tuple[str, str], list[Point]] = {}
    for point in points:
        found.setdefault((point.problem, point.machine), []).append(point)
    return found


def front(points: Sequence[Point]) -> list[Point]:
    """Return the points of a panel, or of a part of it, that no other beats, by energy.

    Of points that are equal in both, the first.
    """
    costs = [(point.energy_uj.value, point.regret.value) for point in points]
    kept: dict[tuple[float, float], Point] = {}
    for place in pareto_front(np.array(costs).reshape(-1, 2)):
        kept.setdefault(costs[place], points[place])
    return [kept[key] for key in sorted(kept)]


def mean_of(values: Sequence[float]) -> Interval:
    """Return the mean with its 95 % interval (Student); the mean of one value is the value."""
    mean, count = float(np.mean(values)), len(values)
    if count < 2:
        return Interval(mean, mean, mean)
    half = student_quantile(_CONFIDENCE, count - 1) * float(np.std(values, ddof=1)) / count**0.5
    return Interval(mean, mean - half, mean + half)
