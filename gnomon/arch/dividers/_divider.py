"""The table of dividers, ``models/dividers/laws.yaml``: cycles of each, and their certainty."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, PrivateAttr, model_validator

from gnomon.arch.dividers._laws import LAWS
from gnomon.arch.operands import WORD_BITS, LatencyModel
from gnomon.base.content import content
from gnomon.base.errors import GnomonError, allowed_hint
from gnomon.base.schema import Problems, Section, key, validate_tree
from gnomon.base.tables import read_yaml_table
from gnomon.base.yaml import Mapping, Place

OTHER_NAMES = {"restoring-radix2": "restoring_r2"}
"""Earlier spellings that are still accepted, and the current names."""


def _parameter_key(name: str, meaning: str, unit: str) -> Any:
    laws = ", ".join(law for law, each in LAWS.items() if name in each.keys)
    return key(meaning, unit=unit, allowed=f"whole number; with law {laws}", default=None)


class Divider(Section):
    """A divider for 32-bit operands.

    Scalar divisions are measured for restoring_r2 (T13x) and klessydra_vl_hf (Morph), vector
    divisions for klessydra_vl_std; the others are inferred.
    """

    START_UP_CYCLES: ClassVar = 2
    """Busy cycles of a vector division before its first step, issue cycle included (measured)."""
    TRIVIAL_STEP_CYCLES: ClassVar = 2
    """Cycles of a vector step in which no lane has anything to divide (measured)."""
    STEP_OVERHEAD_CYCLES: ClassVar = 2
    """Cycles of a vector step beyond the engine: one hand-over, one write-back (measured)."""
    LAWS: ClassVar = LAWS

    name: str = key("name in `core.divider` and `vcu.divider` of a machine")
    title: str = key("one human-readable line")
    law: str = key("latency model", pattern=f"^({'|'.join(LAWS)})$", allowed=", ".join(LAWS))
    cycles: int | None = _parameter_key("cycles", "of any division", "cycles")
    bits_per_cycle: int | None = _parameter_key(
        "bits_per_cycle", "quotient bits of one step", "bits"
    )
    overhead_cycles: int | None = _parameter_key(
        "overhead_cycles", "in addition to the steps", "cycles"
    )
    least_skip: int | None = _parameter_key("least_skip", "shortest skip", "bits")
    most_skip: int | None = _parameter_key("most_skip", "longest skip", "bits")
    least_cycles: int = key(
        "fewest over all 32-bit operands, from the first cycle with the operands to the one that"
        " shows the result",
        unit="cycles",
    )
    most_cycles: int = key("most over all 32-bit operands", unit="cycles")
    wide: bool = key("the latency model also holds for the longer dividends of kdivps")
    certainty: Literal["measured", "checked", "derived", "published", "yours"] = key(
        "certainty of the latency model: by simulation of published RTL with residual 0; derived,"
        " and a reference design agreed; derived from first principles; published by its author;"
        " a user's"
    )
    source: str = key("source of the latency model")
    _engine: LatencyModel | None = PrivateAttr(default=None)

    @staticmethod
    def by_name() -> dict[str, Divider]:
        """Return all shipped dividers."""
        return _read_shipped()

    @staticmethod
    def named(name: str) -> Divider:
        """Return one of them, by its name or an earlier spelling of it.

        Raises:
            GnomonError: if there is no such divider.
        """
        known = _read_shipped()
        name = OTHER_NAMES.get(name, name)
        if name not in known:
            raise GnomonError(f"no divider is called {name!r} {allowed_hint(name, known, 'known')}")
        return known[name]

    @model_validator(mode="after")
    def _parameters_of_law(self) -> Divider:
        named = {name for law in self.LAWS.values() for name in law.keys}
        given, needed = self.model_fields_set & named, self.LAWS[self.law].keys
        found: list[tuple[Place, str]] = [
            ((), f"{name} is missing with law {self.law}") for name in needed if name not in given
        ]
        found += [((name,), f"is not of law {self.law}") for name in sorted(given - {*needed})]
        if found:
            raise Problems(found, own=True)
        return self

    @property
    def engine(self) -> LatencyModel:
        """The engine cycles of a division of magnitudes."""
        if self._engine is None:
            law = self.LAWS[self.law]
            self._engine = law.model(
                [getattr(self, name) for name in law.keys], self.source,
                (self.least_cycles, self.most_cycles),
            )  # fmt: skip
        return self._engine

    @property
    def lane(self) -> LatencyModel:
        """The engine cycles of a lane, without the lanes that have nothing to divide."""
        return replace(self.engine, magnitudes=True)

    def execute(self, *, signed: bool) -> LatencyModel:
        """Return the model of div and rem, or of divu and remu: one cycle more than the engine."""
        engine = self.engine
        return replace(
            engine, cycles=tuple(each + 1 for each in engine.cycles), magnitudes=signed,
            bounds=(self.least_cycles + 1, self.most_cycles + 1),
        )  # fmt: skip

    def with_table(self, lookup: Sequence[int]) -> Divider:
        """Return a copy with a user's cycles, from ``DividerTable.lookup``.

        Other latency models than ``table`` do not have them.
        """
        copy = self.model_copy()
        if self.law == "table":
            copy._engine = replace(self.engine, cycles=tuple(lookup))  # noqa: SLF001 - of the copy
        return copy

    def engine_cycles(self, dividend: int, divisor: int, width_bits: int = WORD_BITS) -> int:
        """Return the engine cycles of a division of magnitudes."""
        return self.engine.cycles_of(dividend, divisor, width_bits)

    def execute_cycles(self, dividend: int, divisor: int, *, signed: bool) -> int:
        """Return the cycles of div, divu, rem or remu in execute."""
        return self.execute(signed=signed).cycles_of(dividend, divisor)

    def lane_cycles(self, dividend: int, divisor: int, pre_shift: int = 0) -> int:
        """Return the engine cycles of one lane of a vector step; 0 if an operand is zero.

        ``pre_shift`` is 0 for kvdiv, kvrem and their scalar forms, else the left shift of kvdivps.
        """
        if dividend == 0 or divisor == 0:
            return 0
        return self.lane.cycles_of(dividend << pre_shift, divisor, WORD_BITS + pre_shift)

    @classmethod
    def step_cycles(cls, slowest_lane_cycles: int) -> int:
        """Return the cycles of one vector step from the ``lane_cycles`` of its slowest lane."""
        if slowest_lane_cycles == 0:
            return cls.TRIVIAL_STEP_CYCLES
        return cls.STEP_OVERHEAD_CYCLES + slowest_lane_cycles

    def vector_cycles(
        self, dividends: Sequence[int], divisors: Sequence[int], *, simd: int, pre_shift: int = 0
    ) -> int:
        """Return the busy cycles of one vector division with idle scratchpads and a free divider.

        A step takes ``simd`` elements and is as slow as its slowest lane. Lanes beyond the end of
        the vector do nothing.

        Raises:
            GnomonError: if the lengths differ, or the divider is unknown for shifted dividends.
        """
        if len(dividends) != len(divisors):
            raise GnomonError(
                f"{len(dividends)} dividends and {len(divisors)} divisors: must be equally many"
            )
        if pre_shift and not self.wide:
            raise GnomonError(f"{self.name}: its cycles are unavailable for shifted dividends")
        pairs = zip(dividends, divisors, strict=True)
        lanes = [self.lane_cycles(a, b, pre_shift) for a, b in pairs]
        steps = (max(lanes[first : first + simd]) for first in range(0, len(lanes), simd))
        return self.START_UP_CYCLES + sum(map(self.step_cycles, steps)) if lanes else 0


def _add_names(rows: Any) -> Any:
    return {
        name: {"name": name, **row} if isinstance(row, dict) else row for name, row in rows.items()
    }


class DividersFile(Section):
    """The file, as if its rows were in a section."""

    dividers: Annotated[dict[str, Divider], BeforeValidator(_add_names)] = key("by name")


def read_dividers(path: Path) -> dict[str, Divider]:
    tree = read_yaml_table(path, "table of dividers").tree
    return validate_tree(
        Mapping(tree.origin, {"dividers": (tree.origin, tree)}), DividersFile
    ).dividers


@cache
def _read_shipped() -> dict[str, Divider]:
    return read_dividers(content("models", "dividers", "laws.yaml"))
