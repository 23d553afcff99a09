"""The rounds of a case as the words that an embedded learner is given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gnomon.base.errors import GnomonError
from gnomon.bench.learners import Sizes, to_steps

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gnomon.bench.fixedpoint._case import Cell
    from gnomon.bench.learners import Words
    from gnomon.learn import Rounds

WORD_BITS = 31
"""Binary digits of a word beside its sign."""


@dataclass(frozen=True, slots=True)
class Inputs:
    """Rounded to nearest, nothing saturated.

    Attributes:
        sizes: of the embedded learner.
        contexts: (T, d).
        rewards: of every arm, (T, N).
        features: (N, f), or None.
        alpha: weight of exploration.
    """

    sizes: Sizes
    contexts: Words
    rewards: Words
    features: Words | None
    alpha: int


def make_inputs(cell: Cell, rounds: Rounds) -> Inputs:
    """The words of a cell.

    Raises:
        GnomonError: a number is outside the format.
    """
    case = cell.case

    def words(what: str, values: NDArray[np.float64]) -> Words:
        largest = float(np.abs(values).max())
        limit = 2.0 ** (WORD_BITS - cell.fraction_bits)
        if not largest < limit - 1:
            raise GnomonError(
                f"{cell.title}: {what} reach {largest:.3g}, but the format ends at {limit:g};"
                " take fewer fraction bits"
            )
        return to_steps(values, cell.fraction_bits)

    return Inputs(
        sizes=Sizes(case.dimensions, case.arms, case.features or None),
        contexts=words("contexts", rounds.contexts * case.context_scale),
        rewards=words("rewards", rounds.expected + rounds.noise[:, None]),
        features=words("arm features", rounds.arm_features) if case.features else None,
        alpha=int(words("alpha", np.array(case.alpha))),
    )
