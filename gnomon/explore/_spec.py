"""Sweep: workload, machine, axes, constraints and objectives."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, Literal

from pydantic import model_validator

from gnomon.base.schema import Section, key
from gnomon.base.values import json_attributes, to_json_data
from gnomon.explore.metrics import Constraint, Objective
from gnomon.explore.settings import Value, Workload


@dataclass(frozen=True, slots=True)
class Axis:
    """Axis of a sweep: a setting of the workload, ``arch``, or a key of the machine."""

    name: str
    values: tuple[Value, ...]


LARGEST_GRID = 1_000_000
_POPULATION = 20


class SearchKeys(Section):
    """Selection of the visited points."""

    method: Literal["grid", "random", "nsga2"] = key(
        "grid: all points; random: some, each once; nsga2: generations toward the front",
        default="grid",
    )
    points: int = key(
        "largest number of points; random and nsga2 need it", default=0, ge=1, le=LARGEST_GRID
    )
    seed: int = key("seed of the random choice (0)", default=0, ge=0, le=LARGEST_GRID)
    population: int = key(
        f"points of one generation, from 4; nsga2 only ({_POPULATION})",
        default=_POPULATION,
        ge=4,
        le=LARGEST_GRID,
    )

    @model_validator(mode="after")
    def _of_method(self) -> SearchKeys:
        if self.method == "grid" and self.model_fields_set - {"method"}:
            raise ValueError("a grid visits all points; remove the other keys")
        if self.method == "random" and "population" in self.model_fields_set:
            raise ValueError("population belongs to method nsga2")
        if self.method != "grid" and not self.points:
            raise ValueError("points is missing: the largest number of points to visit")
        return self

    @property
    def used(self) -> tuple[str, ...]:
        """Keys that have an effect with the method."""
        known = {"grid": 1, "random": 3, "nsga2": 4}
        return ("method", "points", "seed", "population")[: known[self.method]]


@dataclass(frozen=True, slots=True)
class Sweep:
    """Checked sweep, as data; :func:`gnomon.explore.run_sweep` evaluates it."""

    name: str  # name of its results
    workload: Workload  # the workload at each point
    arch: str | None  # the machine, by shipped name or path; None: an axis
    # settings and machine keys that are the same at all points
    fixed: tuple[tuple[str, Value], ...]
    axes: tuple[Axis, ...]  # axes; the last one varies fastest
    constraints: tuple[Constraint, ...]  # limits that a recommended point meets
    objectives: tuple[Objective, ...]  # objectives of the Pareto front
    per: tuple[str, ...]  # axes for whose values fronts and recommendations are computed separately
    search: SearchKeys  # selection of the visited points

    @property
    def grid_points(self) -> int:
        """Size of the whole grid."""
        return prod(len(axis.values) for axis in self.axes)

    def point(self, index: int) -> tuple[Value, ...]:
        """Return the values of a point of the grid, in the order of the axes."""
        values = []
        for axis in reversed(self.axes):
            index, place = divmod(index, len(axis.values))
            values.append(axis.values[place])
        return tuple(reversed(values))

    def index(self, places: Sequence[int]) -> int:
        """Return the point with these indices of values on the axes."""
        index = 0
        for axis, place in zip(self.axes, places, strict=True):
            index = index * len(axis.values) + int(place)
        return index

    def to_json(self) -> dict[str, Any]:
        """Return the sweep as JSON-compatible data, in the form of the sweep file."""
        return json_attributes(self, "name workload arch") | {
            "fixed": to_json_data(dict(self.fixed)),
            "axes": {axis.name: to_json_data(axis.values) for axis in self.axes},
            "constraints": [constraint.text for constraint in self.constraints],
            "objectives": [objective.text for objective in self.objectives],
            "per": list(self.per),
            "search": json_attributes(self.search, " ".join(self.search.used)),
        }

    @property
    def fingerprint(self) -> str:
        """SHA-256 (hexadecimal) of the whole sweep."""
        text = json.dumps(self.to_json(), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()
