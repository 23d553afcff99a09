"""Pairs of implementations: written by hand, and generated from Python."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from gnomon.measure.learners import LearnerVariant, find_embedded_learner

ARMS: Final = 8
DIMENSIONS: Final = {"small": (8,), "full": (4, 8, 12, 16, 32)}
"""Features, by size of the study."""
SCALAR: Final = {"small": ("t13",), "full": ("t13", "ibex", "hazard3", "picorv32")}
VECTOR: Final = {
    "small": ("t13-paper-simd4",),
    "full": tuple(f"t13-paper-simd{lanes}" for lanes in (4, 1, 2, 8)),
}
"""Machines; the first is that of the table of ratios."""
LIMITED: Final = "t13-simd4"
"""Vector machine without post-scaled products."""


@dataclass(frozen=True)
class Pair:
    """One algorithm, by hand and once.

    Attributes:
        title: as on the page.
        learner: name of the learner.
        hand: implementation and variant in C that people wrote.
        once: name of the generated variant.
        same: whether both would decide equally in exact numbers: neither draws, or both alike.
        everywhere: whether the ratio is measured on all machines, or on the first alone.
        limited: whether generated C is measured on ``LIMITED``, too.
    """

    title: str
    learner: str
    hand: tuple[str, str]
    once: str = "once"
    same: bool = True
    everywhere: bool = True
    limited: bool = False

    @property
    def variants(self) -> dict[str, LearnerVariant]:
        """Both implementations."""
        learner, (line, name) = find_embedded_learner(self.learner), self.hand
        return {
            "hand": learner.variant(name, line), "once": learner.variant(self.once, "once"),
        }  # fmt: skip

    def machines(self, size: str) -> tuple[str, ...]:
        """Return the machines on which both are measured."""
        machines = (VECTOR if self.variants["once"].vector else SCALAR)[size]
        return machines if self.everywhere else machines[:1]


PAIRS: Final = (
    Pair("LinUCB", "linucb-disjoint", ("tuned", "optimized"), limited=True),
    Pair("LinUCB, vector unit", "linucb-disjoint", ("tuned", "optimized-vector"), "once-vector"),
    Pair(
        "LinUCB, 16-bit products",
        "linucb-disjoint",
        ("tuned", "optimized-vector"),
        "once-vector-16",
        everywhere=False,
        limited=True,
    ),
    Pair("LinUCB, published", "linucb-disjoint", ("paper", "optimized"), "once-published"),
    Pair(
        "LinUCB, published, 16-bit products",
        "linucb-disjoint",
        ("paper", "optimized-vector"),
        "once-published-vector-16",
        everywhere=False,
        limited=True,
    ),
    Pair("discounted LinUCB", "linucb-discounted", ("tuned", "optimized")),
    Pair("linear Thompson sampling", "thompson-disjoint", ("tuned", "optimized"), same=False),
    Pair("gradient epsilon-greedy", "lin-sgd", ("tuned", "standard"), same=False),
    Pair("UCB1", "ucb1", ("tuned", "standard"), everywhere=False),
)
