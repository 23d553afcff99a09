"""The points that no other beats in regret and energy, in each problem on each machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gnomon.explore import front_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gnomon.report.comparison._run import Point


def panels(points: Iterable[Point]) -> dict[tuple[str, str], list[Point]]:
    """Points by problem and machine, in order."""
    found: dict[tuple[str, str], list[Point]] = {}
    for point in points:
        found.setdefault((point.problem, point.machine), []).append(point)
    return found


def front(points: Sequence[Point]) -> list[Point]:
    """Of one panel or a part of it, by energy; of points that are equal in both, the first."""
    costs = np.array([(point.energy_uj, point.regret.mean) for point in points])
    kept: dict[tuple[float, float], Point] = {}
    for place in front_of(costs.reshape(-1, 2)):
        kept.setdefault((float(costs[place, 0]), float(costs[place, 1])), points[place])
    return [kept[key] for key in sorted(kept)]
