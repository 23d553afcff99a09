"""Regret alone: what an embedded learner lost over many rounds, beside float in the same ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gnomon.base.digest import digest
from gnomon.base.errors import GnomonError
from gnomon.base.kept import kept
from gnomon.base.sources import source_digest
from gnomon.bench.fixedpoint._case import DISJOINT, HYBRID, KEPT_AS
from gnomon.bench.fixedpoint._float_run import run_float
from gnomon.bench.fixedpoint._inputs import make_inputs
from gnomon.bench.learners import HostLearner

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gnomon.arch import Architecture
    from gnomon.bench.fixedpoint._case import Cell
    from gnomon.bench.fixedpoint._layout import Floats
    from gnomon.learn import Rounds

MOST_ARMS = 256
"""Arms played are kept as bytes."""


@dataclass(frozen=True, slots=True)
class Regret:
    """Over all rounds: expected reward of the best arm less that of the arm played, summed up.

    Attributes:
        own: of the embedded learner.
        reference: of the float learner (standard, float64).
    """

    own: float
    reference: float


def sums(rounds: Rounds, arms: NDArray[np.uint8]) -> tuple[Floats, Floats]:
    """Regret and reward of the arms played, summed up round by round, (T,) each."""
    expected = rounds.expected[np.arange(len(arms)), arms]
    return (rounds.expected.max(axis=1) - expected).cumsum(), (expected + rounds.noise).cumsum()


def play_regret(cell: Cell, architecture: Architecture | None = None) -> Regret:
    """Play a cell alone, and its case in float; runs that were made before come from the cache.

    Args:
        cell: learner, format and environment; ``follow_rounds`` does not matter.
        architecture: whose vector unit a vector variant computes as; see ``HostLearner``.

    Raises:
        GnomonError: another algorithm, too many arms, it does not compile, a number does not fit
            the format, the float learner lost its precision, or the cache cannot be written.
    """
    if cell.case.name not in (DISJOINT, HYBRID):
        raise GnomonError(
            f"regret is measured of {DISJOINT} and {HYBRID}, not of {cell.case.name}, which needs"
            " other rounds"
        )
    if cell.case.arms > MOST_ARMS:
        raise GnomonError(
            f"regret is measured with at most {MOST_ARMS} arms, not {cell.case.arms:,}"
        )
    rounds = cell.case.play()
    reference = run_float(cell.case, rounds)
    own, _ = sums(rounds, _play(cell, rounds, architecture))
    of_float, _ = sums(rounds, reference.arms)
    return Regret(float(own[-1]), float(of_float[-1]))


def _play(cell: Cell, rounds: Rounds, architecture: Architecture | None) -> NDArray[np.uint8]:
    inputs = make_inputs(cell, rounds)
    host = HostLearner(
        cell.implementation,
        inputs.sizes,
        fraction_bits=cell.fraction_bits,
        architecture=architecture,
    )
    key = digest(("alone", source_digest(__name__), host.fingerprint, inputs))

    def play() -> NDArray[np.uint8]:
        host.alpha = inputs.alpha
        if inputs.features is not None:
            host.features = inputs.features
        host.reset()
        return host.run(inputs.contexts, inputs.rewards).astype(np.uint8)

    return kept(KEPT_AS, key, play)
