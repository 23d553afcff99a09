"""A sweep in numbers: counts, choices, what every axis does; nothing that depends on the cache."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from gnomon.explore._recommend import choices
from gnomon.explore._sensitivity import sensitivities

if TYPE_CHECKING:
    from gnomon.explore._result import SweepResult


def summarize(result: SweepResult) -> dict[str, Any]:
    """Plain data: the sweep, its counts, failures by reason, choices and sensitivities."""
    reasons = Counter(row.outcome.reason for row in result.failed)
    return {
        "schema": 1,
        "sweep": result.sweep.to_json(),
        "fingerprint": result.sweep.fingerprint,
        "grid_points": result.sweep.grid_points,
        "points": len(result.rows),
        "failed": len(result.failed),
        "reasons": dict(sorted(reasons.items())),
        "choices": [choice.to_json() for choice in choices(result)],
        "sensitivities": [
            each.to_json()
            for objective in result.sweep.objectives
            for each in sensitivities(result, objective.metric)
        ],
    }
