"""A sweep: what runs, on which machine, which values vary, what is wanted."""

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
    """One thing that varies: a setting of the workload, ``arch``, or a key of the machine."""

    name: str
    values: tuple[Value, ...]


LARGEST_GRID = 1_000_000
_POPULATION = 20


class SearchKeys(Section):
    """Which points are visited."""

    method: Literal["grid", "random", "nsga2"] = key(
        "grid: all points; random: some, each once; nsga2: generations towards the front",
        default="grid",
    )
    points: int = key(
        "how many at most; random and nsga2 need it", default=0, ge=1, le=LARGEST_GRID
    )
    seed: int = key("of the random choice (0)", default=0, ge=0, le=LARGEST_GRID)
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
            raise ValueError("points is missing: how many to visit at most")
        return self

    @property
    def used(self) -> tuple[str, ...]:
        """The keys that mean something for the method."""
        known = {"grid": 1, "random": 3, "nsga2": 4}
        return ("method", "points", "seed", "population")[: known[self.method]]


@dataclass(frozen=True, slots=True)
class Sweep:
    """A checked sweep: data alone; :func:`gnomon.explore.run_sweep` evaluates it."""

    name: str  # names its results
    workload: Workload  # what runs at each point
    arch: str  # the machine, by shipped name or path
    # settings and machine keys that are the same at all points
    fixed: tuple[tuple[str, Value], ...]
    axes: tuple[Axis, ...]  # what varies; the last one varies fastest
    constraints: tuple[Constraint, ...]  # limits that a recommended point keeps
    objectives: tuple[Objective, ...]  # what the Pareto front is of
    per: tuple[str, ...]  # axes for whose values fronts and recommendations are made one by one
    search: SearchKeys  # which points are visited

    @property
    def grid_points(self) -> int:
        """Size of the whole grid."""
        return prod(len(axis.values) for axis in self.axes)

    def point(self, index: int) -> tuple[Value, ...]:
        """The values of a point of the grid, in the order of the axes."""
        values = []
        for axis in reversed(self.axes):
            index, place = divmod(index, len(axis.values))
            values.append(axis.values[place])
        return tuple(reversed(values))

    def index(self, places: Sequence[int]) -> int:
        """The point with these places of values on the axes."""
        index = 0
        for axis, place in zip(self.axes, places, strict=True):
            index = index * len(axis.values) + int(place)
        return index

    def to_json(self) -> dict[str, Any]:
        """Plain data, as the sweep file has it."""
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
        """SHA-256 (hexadecimal) of all of it."""
        text = json.dumps(self.to_json(), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()
