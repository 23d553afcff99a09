"""One factor from published cells, and how well it predicts cells that it has not seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gnomon.base.errors import GnomonError

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class Known:
    """A published cell and the cycles that the documentation gives for it.

    Attributes:
        size: the parameter of the table, d or f.
        published: cycles.
        documented: cycles.
    """

    size: int
    published: int
    documented: float

    @property
    def ratio(self) -> float:
        """Documentation over published."""
        return self.documented / self.published


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A cell predicted with the factor of the cells of all other sizes."""

    known: Known
    factor: float

    @property
    def cycles(self) -> float:
        """The prediction."""
        return self.known.documented * self.factor

    @property
    def ratio(self) -> float:
        """Prediction over published."""
        return self.cycles / self.known.published


def fit_factor(cells: Sequence[Known]) -> float:
    """The factor with the least sum of squared relative errors.

    Raises:
        GnomonError: no cell to fit to.
    """
    if not cells:
        raise GnomonError("a factor needs at least one published cell to be fitted to")
    return sum(cell.ratio for cell in cells) / sum(cell.ratio**2 for cell in cells)


def leave_one_size_out(cells: Sequence[Known]) -> tuple[LeftOut, ...]:
    """Every cell by the factor of the other sizes, in the order of the cells.

    Raises:
        GnomonError: all cells have the same size.
    """
    return tuple(
        LeftOut(cell, fit_factor([other for other in cells if other.size != cell.size]))
        for cell in cells
    )


def mean_error(ratios: Sequence[float]) -> float:
    """Mean of the absolute relative errors of predictions over published values."""
    return sum(abs(ratio - 1) for ratio in ratios) / len(ratios)
