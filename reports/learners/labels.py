"""Where the names of points go: beside them, clear of each other and of other points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_GAP = 6.5  # points, from a mark to its name


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle, in points of 1/72 inch."""

    left: float
    bottom: float
    right: float
    top: float

    def overlap(self, other: Box) -> float:
        """Area that both cover."""
        width = min(self.right, other.right) - max(self.left, other.left)
        height = min(self.top, other.top) - max(self.bottom, other.bottom)
        return max(width, 0.0) * max(height, 0.0)


def place_labels(
    marks: Sequence[tuple[float, float]],
    sizes: Sequence[tuple[float, float]],
    obstacles: Sequence[Box],
    frame: Box,
) -> list[tuple[float, float]]:
    """Lower left corners of the names, in the order of their marks.

    Each takes the first of its candidates that covers least of names placed before, of obstacles
    and of what lies outside the frame.
    """
    placed: list[Box] = []
    for (x, y), (width, height) in zip(marks, sizes, strict=True):
        candidates = [
            Box(left, bottom, left + width, bottom + height)
            for distance in (1.0, 2.5, 4.5)
            for left, bottom in _corners(x, y, width, height, _GAP * distance)
        ]
        costs = [
            sum(box.overlap(other) for other in (*placed, *obstacles))
            + 4.0 * (width * height - box.overlap(frame))
            for box in candidates
        ]
        placed.append(candidates[costs.index(min(costs))])
    return [(box.left, box.bottom) for box in placed]


def _corners(
    x: float, y: float, width: float, height: float, gap: float
) -> list[tuple[float, float]]:
    """Right, left, above, below, and the corners."""
    middle, centre = y - height / 2, x - width / 2
    return [
        (x + gap, middle),
        (x - gap - width, middle),
        (centre, y + gap),
        (centre, y - gap - height),
        (x + gap, y + gap / 2),
        (x + gap, y - gap / 2 - height),
        (x - gap - width, y + gap / 2),
        (x - gap - width, y - gap / 2 - height),
    ]
