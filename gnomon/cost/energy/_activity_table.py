"""Tables of measured switching activity: toggles by instruction class, operand values and unit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gnomon.base.content import content
from gnomon.base.errors import GnomonError, allowed_hint, did_you_mean
from gnomon.base.tables import read_csv_table, read_yaml_table
from gnomon.base.units import counted
from gnomon.cost.energy._hamming import (
    Curves,
    Toggles,
    compute_scalar_shift,
    compute_vector_shift,
    parse_distance,
)

_WORDS_MEASURED = (8, 32, 128)


class DataSet(NamedTuple):
    """Operand values: a measured set, or an interpolation between ``zeros`` and ``q15``.

    ``share`` is the position of the interpolation, 0 to 1, within ``low`` to ``high``; None for a
    measured set. ``distance`` is the Hamming distance in bits between consecutive operands, for
    the Hamming model.
    """

    name: str
    meaning: str
    share: float | None = None
    low: float = 0.0
    high: float = 0.0
    distance: int | None = None

    @property
    def measured(self) -> str:
        """Name of the measured set that toggles are based on."""
        return self.name if self.share is None and self.distance is None else "q15"


class Slot(NamedTuple):
    """Toggles of one instruction in all cycles of its slot, and the number of cycles."""

    toggles: Toggles
    cycles: float


class VectorActivity(NamedTuple):
    """Toggles of one vector instruction: ``fixed + per_word x words``, with 32-bit words.

    ``fixed`` includes the 3 cycles of its issue slot with one active hart. ``worst`` is the largest
    relative error of the line at the three measured lengths.
    """

    fixed: Toggles
    per_word: Toggles
    worst: float


@dataclass(frozen=True, eq=False)
class ActivityTable:
    """One file of ``models/activity`` with its tables. Toggles are by unit of ``units``.

    A table of measurements is read at its first use: most programs need one of the three.
    """

    name: str
    path: str
    source: str
    not_counted: str
    units: tuple[str, ...]
    conditions: Mapping[str, tuple[Any, ...]]
    idle: Toggles
    stalled: Toggles
    data: Mapping[str, DataSet]
    default_data: str
    instructions: Mapping[str, str]
    estimates: Mapping[str, Any]
    hamming_like: Mapping[str, str]
    _tables: Mapping[str, Path]
    _units: Mapping[str, int]  # place in ``units`` by part of the RTL

    @staticmethod
    @cache
    def load(name: str) -> ActivityTable:
        """Load a table of ``models/activity``.

        Raises:
            GnomonError: if there is no table of this name, or one of its files is invalid.
        """
        folder = content("models", "activity")
        path = folder / f"{name}.yaml"
        if not path.is_file():
            known = sorted(p.stem for p in folder.glob("*.yaml"))
            raise GnomonError(
                f"no activity table is called {name!r} {allowed_hint(name, known, 'known')}"
            )
        return _read(name, path)

    @cached_property
    def _scalar(self) -> Mapping[tuple[str, str, int], Slot]:
        with _as_error(self.path):
            return {
                (kind, operands, int(harts)): Slot(own, float(cycles))
                for (kind, operands, harts, cycles), own in self._rows(
                    "scalar", "class", "operands", "harts", "cycles"
                )
            }

    @cached_property
    def _vector(self) -> Mapping[tuple[str, int, str], Mapping[int, Toggles]]:
        found: dict[tuple[str, int, str], dict[int, Toggles]] = {}
        keys = ("class", "simd", "operands", "words")
        with _as_error(self.path):
            for (kind, simd, operands, words), own in self._rows("vector", *keys):
                found.setdefault((kind, int(simd), operands), {})[int(words)] = own
        return found

    @cached_property
    def _curves(self) -> Curves:
        found: Curves = {}
        keys = ("class", "simd", "harts", "distance")
        with _as_error(self.path):
            for (kind, simd, harts, distance), own in self._rows("hamming", *keys):
                found.setdefault((kind, int(simd or 0), int(harts)), {})[int(distance)] = own
        return found

    def _rows(self, table: str, *keys: str) -> Iterator[tuple[list[str], Toggles]]:
        """Yield the keys of each row of a table, and its toggles."""
        for row in read_csv_table(self._tables[table]):
            values = dict(row.values)
            values.pop("nets", None)
            found = [values.pop(key) for key in keys]
            yield found, _sum_by_unit(values, self._units, len(self.units))

    def data_set(self, name: str) -> DataSet:
        """Return the operand values of a name.

        Raises:
            GnomonError: if the table has no such values.
        """
        if name in self.data:
            return self.data[name]
        distance = parse_distance(name)
        if distance is not None and self._curves:
            meaning = f"consecutive operands differ in {distance} bits"
            return DataSet(name, meaning, distance=distance)
        known = [*self.data, *(["hamming-0 to hamming-32"] if self._curves else [])]
        raise GnomonError(
            f"activity table {self.name} has no operand values {name!r} (allowed:"
            f" {', '.join(known)}{did_you_mean(name, self.data)})"
        )

    def scalar(self, name: str, data: DataSet, harts: int) -> Slot:
        """Return the toggles of a class of scalar instructions with 1 or 3 active harts.

        Raises:
            GnomonError: if the class was not measured.
        """

        def at(values: str) -> Slot:
            row = self._scalar.get((name, values, harts))
            if row is None:
                raise GnomonError(
                    f"{self.path}: no toggles of class {name!r} with operands {values} and"
                    f" {counted(harts, 'active hart')}"
                )
            return row

        slot = at(data.measured)
        if data.share is not None:
            zeros = at("zeros").toggles
            return slot._replace(toggles=_between(zeros, slot.toggles, data.share))
        if data.distance is not None:
            shift = compute_scalar_shift(
                self._curves, self.hamming_like, name, harts, data.distance
            )
            return slot if shift is None else slot._replace(toggles=slot.toggles + shift)
        return slot

    @lru_cache(maxsize=1024)  # noqa: B019 - tables live as long as the process
    def vector(self, name: str, data: DataSet, simd: int) -> VectorActivity:
        """Return the toggles of a class of vector instructions.

        Raises:
            GnomonError: if the class was not measured.
        """

        def at(values: str) -> Mapping[int, Toggles]:
            rows = self._vector.get((name, simd, values))
            if rows is None:
                raise GnomonError(
                    f"{self.path}: no toggles of class {name!r} with operands {values} at"
                    f" SIMD {simd}"
                )
            return rows

        rows = at(data.measured)
        if data.share is not None:
            zeros = at("zeros")
            rows = {n: _between(zeros[n], rows[n], data.share) for n in _WORDS_MEASURED}
        line = _line(rows)
        if data.distance is not None:
            shift = compute_vector_shift(self._curves, self.hamming_like, name, simd, data.distance)
            return line if shift is None else line._replace(per_word=line.per_word + shift)
        return line

    def instruction(self, name: str, data: DataSet, harts: int) -> Slot:
        """Return the toggles of a scalar instruction by its class.

        Raises:
            GnomonError: if it has no class, or the class was not measured.
        """
        if name not in self.instructions:
            raise self._missing(name)
        return self.scalar(self.instructions[name], data, harts)

    def vector_instruction(
        self, name: str, data: DataSet, simd: int
    ) -> tuple[VectorActivity, bool]:
        """Return the toggles of a vector instruction, and whether they are an estimate.

        Raises:
            GnomonError: if the table has neither figures nor an estimate.
        """
        products, divisions = self.estimates["scaled_products"], self.estimates["divisions"]
        if name in products:
            like = self.vector(products[name], data, simd)
            scaled, plain = (self.vector(each, data, simd) for each in ("kdotpps", "kdotp"))
            fixed = like.fixed + scaled.fixed - plain.fixed
            per_word = like.per_word + scaled.per_word - plain.per_word
            return VectorActivity(fixed, per_word, like.worst), True
        if name in divisions:
            like = self.vector(divisions[name], data, simd)
            scalar = self.scalar("divu", data, 3).toggles
            per_word = like.per_word.copy()
            per_word[self.units.index("vcu_mul")] = 0.0
            per_word[self.units.index("vcu_div")] = scalar[self.units.index("divider")]
            return like._replace(per_word=per_word), True
        try:
            return self.vector(name, data, simd), False
        except GnomonError:
            raise self._missing(name) from None

    def _missing(self, name: str) -> GnomonError:
        return GnomonError(
            f"{self.path}: no source for the toggles of {name!r}, so the energy of a program that"
            f" executes it is not known with this table{did_you_mean(name, self.instructions)}; a"
            " gate-level table counts every instruction (--set power=NAME)"
        )

    def retry(self, simd: int, harts: int) -> Slot:
        """Return one slot lost to a busy vector unit, which is independent of operand values.

        Raises:
            GnomonError: if it was not measured.
        """
        rows = self._vector.get(("vcu_retry", simd, "q15"))
        if rows is None:
            raise GnomonError(f"{self.path}: no toggles of class 'vcu_retry' at SIMD {simd}")
        above_idle = rows[0] - 3 * self.idle
        if harts == 1:
            return Slot(rows[0], 3.0)
        part = float(self.estimates["retry_of_three_harts"])
        return Slot(self.idle + part * above_idle, 1.0)


def _between(low: Toggles, high: Toggles, share: float) -> Toggles:
    return low + share * (high - low)


def _line(rows: Mapping[int, Toggles]) -> VectorActivity:
    """Fit a line through three lengths, by least squares of relative errors of the totals."""
    lengths = np.array(_WORDS_MEASURED, dtype=np.float64)
    table = np.array([rows[n] for n in _WORDS_MEASURED])
    totals = table.sum(axis=1)
    # In closed form: a solver of LAPACK gives other last digits on other processors.
    weights = 1 / (totals * totals)
    weights /= weights.sum()
    length, mean = (weights * lengths).sum(), (weights[:, None] * table).sum(axis=0)
    lever = weights * (lengths - length)
    per_word = (lever[:, None] * (table - mean)).sum(axis=0) / (lever * (lengths - length)).sum()
    fixed = mean - per_word * length
    fitted = fixed + lengths[:, None] * per_word
    worst = float(np.abs(fitted.sum(axis=1) / totals - 1).max())
    return VectorActivity(fixed, per_word, worst)


@contextmanager
def _as_error(file: str) -> Iterator[None]:
    """Turn errors of a table's content into a message that names its file."""
    try:
        yield
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        reason = " ".join(str(error).split())
        raise GnomonError(f"{file}: not a table of switching activity: {reason}") from None


def _read(name: str, path: Path) -> ActivityTable:
    raw = read_yaml_table(path, "table of switching activity").data
    with _as_error(path.name):
        units = {rtl: place for place, parts in enumerate(raw["units"].values()) for rtl in parts}
        as_written = ("source", "not_counted", "default_data", "instructions", "estimates",
                      "hamming_like")  # fmt: skip
        return ActivityTable(
            name=name,
            path=path.name,
            units=tuple(raw["units"]),
            conditions={key: tuple(values) for key, values in raw["conditions"].items()},
            idle=_sum_by_unit(raw["idle"], units, len(raw["units"])),
            stalled=_sum_by_unit(raw["stalled"], units, len(raw["units"])),
            data={key: _data_set(key, value) for key, value in raw["data"].items()},
            _tables={key: path.parent / file for key, file in raw["tables"].items()},
            _units=units,
            **{key: raw[key] for key in as_written},
        )


def _sum_by_unit(values: Mapping[str, Any], units: Mapping[str, int], count: int) -> Toggles:
    """Sum up the toggles of parts of the RTL; ``units`` gives their units, 0 to ``count - 1``."""
    toggles = np.zeros(count)
    for rtl, value in values.items():
        if rtl not in units:
            raise ValueError(f"{rtl!r} belongs to no unit")
        toggles[units[rtl]] += float(value)
    return toggles


def _data_set(name: str, value: Mapping[str, Any]) -> DataSet:
    if "measured" in value:
        return DataSet(name, str(value["measured"]))
    share, low, high = (float(value[key]) for key in ("share", "low", "high"))
    return DataSet(name, f"as {value['of']}", share, low, high)
