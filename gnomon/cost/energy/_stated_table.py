"""Stated tables: the user's own energies of a core, by unit and class of instruction.

Nothing is simulated or fitted: each price has the source that the user states. A run pays the
prices of its cycles, of the instructions that it executed, and of the words of its vector
instructions. Prices do not depend on operands.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Annotated, Any, Final, Literal

from pydantic import Field, ValidationInfo, field_validator, model_validator

from gnomon.arch import Architecture
from gnomon.arch.keys import all_keys, key_paths, nearest_key, written
from gnomon.base.errors import GnomonError, allowed_hint, did_you_mean
from gnomon.base.interval import Interval
from gnomon.base.schema import ProblemAt, Section, Version, key, version_key
from gnomon.base.units import parse_frequency, parse_size
from gnomon.cost.energy._classes import (
    CLASSES,
    COUNTED_AS,
    ILLEGAL,
    UNIT,
    VECTOR_CLASSES,
    find_class,
)
from gnomon.cost.energy._gate_table import LEAKAGE
from gnomon.cost.energy._power_table import Text as _Text
from gnomon.isa import INSTRUCTIONS
from gnomon.sim import Work

STATED: Final = "stated"
NO_OPERANDS: Final = "prices of the stated table {} do not depend on operands"
_UJ_PER_PJ: Final = 1e-6
_LARGEST: Final = 1e6
_ALLOWED: Final = "0 to 1000000"
_CLASSES: Final = (*CLASSES, UNIT)
_CLASS_NAMES: Final = ", ".join(_CLASSES)
_EMPTY: Final = "vector.empty"
_MNEMONICS: Final = (*(row.mnemonic for row in INSTRUCTIONS), *COUNTED_AS, ILLEGAL)
_PARSERS: Final = {"bytes": parse_size, "Hz": parse_frequency}
_WORD_BYTES: Final = 4
_Number = Annotated[float, Field(ge=0, le=_LARGEST)]


class _Figure(Section):
    """A figure of 0 or more with an interval."""

    value: _Number = key("energy", unit="pJ", allowed=_ALLOWED)
    low: _Number = key("lower end of its interval", unit="pJ", allowed=_ALLOWED)
    high: _Number = key("upper end", unit="pJ", allowed=_ALLOWED)

    @field_validator("high")
    @classmethod
    def _ordered(cls, high: float, info: ValidationInfo) -> float:
        low, value = info.data.get("low", 0.0), info.data.get("value", high)
        if not low <= value <= high:
            raise ValueError(
                f"value must be within low and high ({low:g} to {high:g}), not {value:g}"
            )
        return high

    def interval(self) -> Interval:
        """Return the figure in its own unit."""
        return Interval(self.value, self.low, self.high)


class StatedPrice(_Figure):
    """An energy and its source."""

    source: _Text | None = key(
        "source of this price; default: that of its unit", allowed="text", default=None
    )

    def times(self, count: float) -> Interval:
        """Return the energy of ``count`` events in µJ."""
        return self.interval().scaled(count * _UJ_PER_PJ, "µJ")


class StatedPower(_Figure):
    """A power and its source."""

    value: _Number = key("power", unit="µW", allowed=_ALLOWED)
    low: _Number = key("lower end of its interval", unit="µW", allowed=_ALLOWED)
    high: _Number = key("upper end", unit="µW", allowed=_ALLOWED)
    source: _Text = key("source of this power")


_PRICES = dict[str, StatedPrice]


class StatedUnit(Section):
    """Energies of one unit of a core; they add up."""

    source: _Text = key("source of its prices: publication, data sheet, measurement, estimate")
    cycle: StatedPrice | None = key("energy of every wall cycle", default=None)
    by_class: _PRICES = key(
        "energy of an executed instruction, by timing class", alias="class", default={},
        allowed=f"energies by class: {_CLASS_NAMES}",
    )  # fmt: skip
    instruction: _PRICES = key(
        "the same by mnemonic, instead of the price of its class in this unit", default={},
        allowed="energies by mnemonic",
    )  # fmt: skip
    word: _PRICES = key(
        "energy of each 32-bit word of a vector instruction, by timing class", default={},
        allowed=f"energies by class: {', '.join(VECTOR_CLASSES)}",
    )  # fmt: skip

    @field_validator("by_class", "word")
    @classmethod
    def _known(cls, prices: _PRICES, info: ValidationInfo) -> _PRICES:
        classes, what = _CLASSES, "a class"
        if info.field_name == "word":
            classes, what = VECTOR_CLASSES, "a class of vector instructions"
        for name in prices:
            if name not in classes:
                raise ProblemAt(name, f"is not {what} {allowed_hint(name, classes, 'classes')}")
        return prices

    @field_validator("instruction")
    @classmethod
    def _counted(cls, prices: _PRICES) -> _PRICES:
        of_csr = [name for name, kind in COUNTED_AS.items() if kind == "csr"]
        for name in prices:
            if find_class(name) == "csr" and name not in of_csr:
                raise ProblemAt(name, f"accesses to CSRs are counted as {', '.join(of_csr)}")
        return prices

    def prices(self) -> Iterator[tuple[str, StatedPrice]]:
        """Yield all prices with their keys."""
        if self.cycle is not None:
            yield "cycle", self.cycle
        kinds = {"class": self.by_class, "instruction": self.instruction, "word": self.word}
        for kind, prices in kinds.items():
            yield from ((f"{kind}.{name}", price) for name, price in prices.items())


class StatedTable(Section):
    """One file of kind stated."""

    schema_version: Version = version_key()
    kind: Literal["stated"] = key("origin of its figures: the user states them")
    name: _Text = key("name of the table")
    title: _Text = key("one-line title")
    library: _Text = key(
        "technology of all prices: node, cells, voltage; only energies of one technology are"
        " compared"
    )
    static: _Text = key("treatment of static power, such as: not included")
    machine: dict[str, list[Any]] = key(
        "machines that it prices, such as {name: [my-core]}",
        allowed="lists of values by dotted key of a machine",
    )
    leakage_uw: StatedPower | None = key(
        "leakage, which becomes part of the energy; default: none", default=None
    )
    units: dict[str, StatedUnit] = key("prices by unit of the core", allowed="units by name")

    @field_validator("machine")
    @classmethod
    def _has_keys(cls, machine: dict[str, list[Any]]) -> dict[str, list[Any]]:
        if not machine:
            raise ValueError("must state at least one key, such as {name: [my-core]}")
        paths = key_paths()
        for path, allowed in machine.items():
            if path not in paths:
                raise ProblemAt(path, f"is not a key of a machine{nearest_key(path, paths)}")
            if not allowed:
                raise ProblemAt(path, "must list at least one value")
        return {path: _parse_allowed(path, values) for path, values in machine.items()}

    @model_validator(mode="after")
    def _has_prices(self) -> StatedTable:
        if not any(True for unit in self.units.values() for _ in unit.prices()):
            raise ProblemAt("units", "must have a unit with at least one price")
        if LEAKAGE in self.units:
            raise ProblemAt(f"units.{LEAKAGE}", "is the name of another part (leakage_uw)")
        return self

    def sources(self) -> dict[str, str]:
        """Return the sources by unit, and by price if it has its own."""
        found = {}
        for name, unit in self.units.items():
            found[name] = unit.source
            own = ((path, price.source) for path, price in unit.prices())
            found |= {f"{name}.{path}": text for path, text in own if text is not None}
        if self.leakage_uw is not None:
            found[LEAKAGE] = self.leakage_uw.source
        return found


def compute_stated_energies(
    work: Work, architecture: Architecture, table: StatedTable
) -> tuple[dict[str, Interval], dict[str, tuple[int, float]]]:
    """Return energies in µJ by unit, and counts with their µJ by event.

    Events are cycles and instructions by mnemonic. Retries and vector instructions without
    elements cost their cycles alone.

    Raises:
        GnomonError: if the table is for other machines, prices an instruction that the machine
            lacks, or prices instructions and not one that was executed.
    """
    _check_machine(architecture, table)
    own = {row.mnemonic: row.timing_class for row in architecture.unit_rows}
    _check_mnemonics(own, architecture, table)
    counts = {name: n for name, n in work.instructions.items() if n and name != _EMPTY}
    issued = counts | {name: each.issued for name, each in work.vector.items() if each.issued}
    nothing = Interval(0.0, 0.0, 0.0, "µJ")
    units = {
        name: nothing if unit.cycle is None else unit.cycle.times(work.wall_cycles)
        for name, unit in table.units.items()
    }
    events = {"cycle": (work.wall_cycles, sum(each.value for each in units.values()))}
    constant = not any(
        unit.by_class or unit.instruction or unit.word for unit in table.units.values()
    )
    for mnemonic, count in issued.items() if not constant else ():
        kind = own.get(mnemonic) or find_class(mnemonic)
        vector = work.vector.get(mnemonic)
        words = vector.size_bytes / _WORD_BYTES if vector is not None else 0.0
        known, of_words, uj = False, False, 0.0
        for name, unit in table.units.items():
            price = unit.instruction.get(mnemonic) or unit.by_class.get(kind)
            parts = [] if price is None else [price.times(count)]
            known |= price is not None
            if words and kind in unit.word:
                parts.append(unit.word[kind].times(words))
                of_words = True
            units[name] = sum(parts, units[name])
            uj += sum(each.value for each in parts)
        if not known or (words and not of_words):
            what = (
                f"word.{kind}" if known else f"class.{kind}" if kind else f"instruction.{mnemonic}"
            )
            raise GnomonError(
                f"stated table {table.name} prices instructions and has no {what} in any unit, and"
                f" {count:,} {mnemonic} were executed (a value of 0 states that they are free)"
            )
        events[mnemonic] = count, uj
    if table.leakage_uw is not None:
        power, seconds = table.leakage_uw, work.wall_cycles / int(architecture.clock)
        units[LEAKAGE] = power.interval().scaled(seconds, "µJ")
    return units, events


def _check_machine(architecture: Architecture, table: StatedTable) -> None:
    """Check that a table is for a machine."""
    values, differ, units = architecture.to_dict(), [], _list_units()
    for path, allowed in table.machine.items():
        value = _read_value(values, path)
        stated = [written(_without_none(each), units[path]) for each in allowed]
        if written(value, units[path]) not in stated:
            differ.append(
                f"{path} = {written(value, units[path])} (it states: {', '.join(stated)})"
            )
    if differ:
        raise GnomonError(
            f"stated table {table.name} has no figures for {'; '.join(differ)} of"
            f" {architecture.name}"
        )


@cache
def _list_units() -> dict[str, str]:
    return {each.path: each.unit for each in all_keys()}


def _parse_allowed(path: str, values: list[Any]) -> list[Any]:
    """Return values of a key of a machine; sizes in bytes, frequencies in hertz."""
    parse = _PARSERS.get(_list_units()[path])
    if parse is None:
        return values
    try:
        return [None if _without_none(each) is None else int(parse(each)) for each in values]
    except GnomonError as problem:
        raise ProblemAt(path, str(problem)) from None


def _without_none(value: object) -> object:
    """Return None for ``none``, as a machine that lacks a section shows it."""
    return None if value == "none" else value


def _read_value(values: Mapping[str, Any], path: str) -> object:
    found: Any = values
    for part in path.split("."):
        found = found.get(part) if isinstance(found, dict) else None
    return found


def _check_mnemonics(
    own: Mapping[str, str], architecture: Architecture, table: StatedTable
) -> None:
    """Check that the machine may have each priced instruction."""
    for name, unit in table.units.items():
        for mnemonic in unit.instruction:
            if mnemonic not in (*own, ILLEGAL) and not find_class(mnemonic):
                raise GnomonError(
                    f"stated table {table.name}: units.{name}.instruction.{mnemonic}: no"
                    f" instruction of {architecture.name} has this name"
                    f"{did_you_mean(mnemonic, [*own, *_MNEMONICS])}"
                )
