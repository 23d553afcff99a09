"""The table of dividers, ``models/dividers/laws.yaml``: cycles of each, and their certainty."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, PrivateAttr, model_validator

from gnomon.arch.dividers import _laws
from gnomon.base.content import content
from gnomon.base.errors import GnomonError, allowed_hint
from gnomon.base.schema import Problems, Section, key, validate_tree
from gnomon.base.tables import read_yaml_table
from gnomon.base.yaml import Mapping, Place

OTHER_NAMES = {"restoring-radix2": "restoring_r2"}
"""Earlier spellings that are still accepted, and the current names."""

_STEP_OVERHEAD_CYCLES = 2  # beyond the engine: one hand-over, one write-back (measured)
_M32 = 0xFFFFFFFF


def _parameter_key(name: str, meaning: str, unit: str) -> Any:
    laws = ", ".join(law for law, each in _laws.LAWS.items() if name in each[1])
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
    LAWS: ClassVar = _laws.LAWS

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
    _lookup: Sequence[int] = PrivateAttr(default=())

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
        named = {name for _, names in self.LAWS.values() for name in names}
        given, needed = self.model_fields_set & named, self.LAWS[self.law][1]
        found: list[tuple[Place, str]] = [
            ((), f"{name} is missing with law {self.law}") for name in needed if name not in given
        ]
        found += [((name,), f"is not of law {self.law}") for name in sorted(given - {*needed})]
        if found:
            raise Problems(found, own=True)
        return self

    @property
    def law_number(self) -> int:
        """The law as the engine has it."""
        return list(self.LAWS).index(self.law)

    @cached_property
    def first(self) -> int:
        """The first parameter of the law; 0 where it takes none."""
        return self._parameter(0)

    @cached_property
    def second(self) -> int:
        """The second one."""
        return self._parameter(1)

    def _parameter(self, place: int) -> int:
        names = self.LAWS[self.law][1]
        return int(getattr(self, names[place])) if place < len(names) else 0

    @property
    def fixed_cycles(self) -> int | None:
        """Cycles in the execute stage if they are equal for all operands, else None."""
        return self.most_cycles + 1 if self.least_cycles == self.most_cycles else None

    @property
    def lookup(self) -> Sequence[int]:
        """Cycles at ``33 * bits of dividend + bits of divisor``, for latency model ``table``."""
        return self._lookup

    def with_table(self, lookup: Sequence[int]) -> Divider:
        """Return a copy with a user's cycles, from ``DividerTable.lookup``."""
        copy = self.model_copy()
        copy._lookup = lookup  # noqa: SLF001 - of the copy
        return copy

    def engine_cycles(self, dividend: int, divisor: int, width_bits: int = _laws.WORD_BITS) -> int:
        """Return engine cycles of a division of magnitudes (:mod:`gnomon.arch.dividers._laws`)."""
        return _laws.engine_cycles(self, dividend, divisor, width_bits)

    def execute_cycles(self, dividend: int, divisor: int, *, signed: bool) -> int:
        """Return the cycles of div, divu, rem or remu in execute: one more than the engine's."""
        a, b = (abs(each) if signed else each & _M32 for each in (dividend, divisor))
        return 1 + self.engine_cycles(a, b)

    def lane_cycles(self, dividend: int, divisor: int, pre_shift: int = 0) -> int:
        """Return the engine cycles of one lane of a vector step; 0 if an operand is zero.

        ``pre_shift`` is 0 for kvdiv, kvrem and their scalar forms, else the left shift of kvdivps.
        """
        if dividend == 0 or divisor == 0:
            return 0
        return self.engine_cycles(
            abs(dividend) << pre_shift, abs(divisor), _laws.WORD_BITS + pre_shift
        )

    @classmethod
    def step_cycles(cls, slowest_lane_cycles: int) -> int:
        """Return the cycles of one vector step from the ``lane_cycles`` of its slowest lane."""
        if slowest_lane_cycles == 0:
            return cls.TRIVIAL_STEP_CYCLES
        return _STEP_OVERHEAD_CYCLES + slowest_lane_cycles

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
