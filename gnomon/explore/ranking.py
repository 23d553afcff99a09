"""Results of a ranking of learners: candidates with regret, costs and rank."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gnomon.base.interval import Interval
from gnomon.explore.learner_costs import QUANTITIES
from gnomon.explore.regret_law import Conditions, MeasuredPoint, RoundsTo


@dataclass(frozen=True, slots=True)
class Goal:
    """A regret to reach, and what it takes.

    Attributes:
        target: relative regret, from the first round on.
        to: rounds until the mean run reaches it, and the chance that it does.
        energy_uj: dynamic energy of these rounds; None: no energy is known.
    """

    target: float
    to: RoundsTo
    time_us: float | None
    energy_uj: Interval | None

    def to_json(self) -> dict[str, Any]:
        """Return the goal as JSON-compatible data."""
        return {
            "target": self.target,
            "rounds": {"value": self.to.rounds, "low": self.to.first, "high": self.to.last},
            "chance": self.to.chance,
            "time_us": self.time_us,
            "energy_uj": _finite(self.energy_uj),
        }


def _disjoint(one: Interval | None, other: Interval | None) -> bool:
    return one is not None and other is not None and (one.low > other.high or other.low > one.high)


def _finite(interval: Interval | None) -> dict[str, float | None] | None:
    """Return an interval as JSON-compatible data; an infinite end is None."""
    if interval is None:
        return None
    return {name: end if math.isfinite(end) else None for name, end in interval.to_json().items()}


@dataclass(frozen=True, slots=True)
class Candidate:
    """Implementation with its regret, its costs and its rank.

    Attributes:
        rank: from 1; 0: not ranked, ``reasons`` state why.
        chosen: the setting that it plays, such as that of alpha; empty: it has none.
        regret: predicted relative regret up to the horizon; None: nothing was measured near.
        near: the nearest measured point, whose share of locked runs is shown.
        costs: by the names of ``QUANTITIES``, time in µs; ``cycles`` and ``energy_uj`` are of a
            mean decision up to the horizon, energy with the power table's interval. A cost that is
            unavailable is absent.
        goal: what the requested regret takes; None: none was requested.
        reads_context: whether the learner reads contexts.
        extrapolated: whether d or arms lie outside of the measured range of costs.
    """

    rank: int
    learner: str
    variant: str
    settings: str
    chosen: str
    regret: Interval | None
    near: MeasuredPoint | None
    costs: Mapping[str, Interval]
    goal: Goal | None
    reads_context: bool
    extrapolated: bool
    reasons: tuple[str, ...]

    def differs_from(self, other: "Candidate") -> bool:
        """Return whether the intervals of both regrets are disjoint: an order is claimed."""
        return _disjoint(self.regret, other.regret)

    def ranks_apart_from(self, other: "Candidate") -> bool:
        """Return whether the intervals that decide the rank are disjoint.

        They are of the energies to the requested regret, if both are known; else of the regrets.
        """
        if self.goal and other.goal and self.goal.energy_uj and other.goal.energy_uj:
            return _disjoint(self.goal.energy_uj, other.goal.energy_uj)
        return self.differs_from(other)

    @property
    def name(self) -> str:
        """Learner, implementation and settings in words."""
        return " ".join(filter(None, (self.learner, self.variant, self.settings)))

    def to_json(self) -> dict[str, Any]:
        """Return the candidate as JSON-compatible data."""
        costs = {name: each.to_json() for name, each in self.costs.items()}
        locked = self.near.locked_interval if self.near else None
        return {
            "rank": self.rank or None,
            "learner": self.learner, "variant": self.variant, "settings": self.settings,
            "context": "read" if self.reads_context else "none",
            "chosen": self.chosen or None,
            "regret": self.regret.to_json() if self.regret else None,
            "locked": self.near.locked if self.near else None,
            "locked_interval": locked.to_json() if locked else None,
            "locked_runs": self.near.seeds if locked and self.near else None,
            "to_regret": self.goal.to_json() if self.goal else None,
            "slowest_us": costs["slowest_cycles"],
            "cycles": costs.get("cycles"),
            **{name: costs.get(name) for name in QUANTITIES if name != "slowest_cycles"},
            "extrapolated": self.extrapolated, "reasons": list(self.reasons),
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Ranking:
    """Result of :func:`rank`; ``note`` describes the runs of the regret, or why none is ranked.

    ``energy`` is kind and library of the energies, or why they are unavailable. ``unmeasured``
    lists learners in C without a law, shipped or user-defined, which are not ranked: the reason by
    name.
    """

    machine: str
    at: Conditions
    target: float | None
    candidates: tuple[Candidate, ...]
    note: str
    unmeasured: Mapping[str, str]
    energy: str = ""

    @property
    def second(self) -> Candidate | None:
        """Best candidate of another learner or setting that the first choice is not apart from.

        None: nothing is ranked, or the first choice is apart from all others.
        """
        ranked = [each for each in self.candidates if each.rank]
        for each in ranked[1:]:
            first = ranked[0]
            is_other = (each.learner, each.settings) != (first.learner, first.settings)
            if is_other and not each.ranks_apart_from(first):
                return each
        return None
