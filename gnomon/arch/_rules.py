"""Cycles of single instructions of an in-order core that differ from those of their class."""

from functools import cache
from typing import Annotated, Final

from pydantic import BeforeValidator, ValidationInfo, field_validator

from gnomon.arch.operands import PROPERTIES, LatencyModel, RuleProperty, cycles_by_number
from gnomon.base.errors import allowed_hint, did_you_mean
from gnomon.base.schema import Section, names_tuple
from gnomon.isa import list_instructions

_SHIFTS: Final = ("sll", "srl", "sra", "slli", "srli", "srai")
_UNITS: Final = ("mul", "mulh", "mulhsu", "mulhu", "div", "divu", "rem", "remu")


@cache
def _list_mnemonics() -> list[str]:
    rows = list_instructions(("I", "M", "Zicsr", "Zifencei", "machine"))
    return [row.mnemonic for row in rows]


def _check_names(names: tuple[str, ...], allowed: list[str], what: str) -> tuple[str, ...]:
    for name in names:
        if name not in allowed:
            raise ValueError(f"{name} is not {what} {allowed_hint(name, allowed)}")
    return names


def check_mnemonics(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return names of instructions.

    Raises:
        ValueError: if one is unknown.
    """
    return _check_names(names, _list_mnemonics(), "an instruction")


FIELDS: Final = ("rs1", "rs2", "rd")
"""Register fields: bits 15, 20 and 7 of an instruction, whether it uses them or not."""


@cache
def _list_operands() -> frozenset[str]:
    """Return the fields that are registers to be read, such as ``sw.rs2``."""
    rows = list_instructions(("I", "M", "Zicsr"))
    return frozenset(
        f"{row.mnemonic}.{each}" for row in rows for each in ("rs1", "rs2") if each in row.reads
    )


def _list_result_mnemonics() -> list[str]:
    kinds = ("alu", "mul", "mulh", "div", "load")
    return [row.mnemonic for row in list_instructions(("I", "M")) if row.timing_class in kinds]


class Bypass(Section):
    """The time at which results can be read: ``cycles`` after the end of the instructions ``of``.

    The entry applies to the register fields ``to``: one of an instruction, such as sw.rs2, or rs1,
    rs2 or rd of all instructions without an entry of their own. If ``to`` is empty, it applies to
    all operands without an entry. A field that is not an operand waits, too: for bits of an
    immediate that equal the number of the register, and with rd before a newer write.
    """

    of: Annotated[tuple[str, ...], BeforeValidator(names_tuple)]
    to: Annotated[tuple[str, ...], BeforeValidator(names_tuple)] = ()
    cycles: int

    @field_validator("of")
    @classmethod
    def _makes(cls, of: tuple[str, ...]) -> tuple[str, ...]:
        if not of:
            raise ValueError("must name an instruction")
        return _check_names(of, _list_result_mnemonics(), "an instruction with a result")

    @field_validator("to")
    @classmethod
    def _reads(cls, to: tuple[str, ...]) -> tuple[str, ...]:
        known = [*FIELDS, *(f"{name}.{each}" for name in _list_mnemonics() for each in FIELDS)]
        for name in to:
            if name not in known:
                raise ValueError(
                    f"{name} is not a register field (allowed: rs1, rs2, rd, or one of an "
                    f"instruction, such as sw.rs2{did_you_mean(name, known)})"
                )
        return to

    @field_validator("cycles")
    @classmethod
    def _reasonable(cls, cycles: int) -> int:
        if not 0 <= cycles <= 64:
            raise ValueError(f"must be 0 to 64, not {cycles}")
        return cycles

    @property
    def holds_fields(self) -> bool:
        """Whether instructions wait because of fields that are not operands."""
        return any(name not in _list_operands() for name in self.to)

    def fields_of_all(self) -> list[str]:
        """Return rs1, rs2 and rd of ``to`` as fields of each instruction."""
        return [
            f"{each}.{name}" for name in self.to if name in FIELDS for each in _list_mnemonics()
        ]

    def fields_of_one(self) -> list[str]:
        """Return the fields of ``to`` that are those of one instruction."""
        return [name for name in self.to if name not in FIELDS]


class Interlock(Section):
    """Wait without a shared register.

    The instructions ``to`` issue at the earliest ``cycles`` after the end of the last one of
    ``of``, such as a multiplication after a load, or a division while the divider is busy.
    """

    of: Annotated[tuple[str, ...], BeforeValidator(names_tuple)]
    to: Annotated[tuple[str, ...], BeforeValidator(names_tuple)]
    cycles: int

    @field_validator("of", "to")
    @classmethod
    def _known(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        if not names:
            raise ValueError("must name an instruction")
        return check_mnemonics(names)

    @field_validator("cycles")
    @classmethod
    def _reasonable(cls, cycles: int) -> int:
        if not 1 <= cycles <= 64:
            raise ValueError(f"must be 1 to 64, not {cycles}")
        return cycles


class Rule(Section):
    """Cycles of the instructions ``of``.

    ``cycles`` is one number, or a table by the operand property ``by``: ``shift-amount``;
    ``signs``, 3 x that of rs1 + that of rs2, where a sign is 0 = zero, 1 = positive, 2 = negative;
    ``signs-product``, twice that, + 1 if the low word of the product is 0;
    ``rs1-bits``, ``rs2-bits``, the length of the operand as unsigned. With n that number, ``each``
    adds each x n, ``step`` adds n // step + n % step. ``hides`` false: wait states of the fetch
    are added, regardless of ``prefetch``. ``access``: it has the wait states of a load.
    """

    of: Annotated[tuple[str, ...], BeforeValidator(names_tuple)]
    by: RuleProperty | None = None
    cycles: int | Annotated[tuple[int, ...], BeforeValidator(names_tuple)]
    each: int = 0
    step: int = 0
    hides: bool = True
    access: bool = False

    @field_validator("of")
    @classmethod
    def _known(cls, of: tuple[str, ...]) -> tuple[str, ...]:
        if not of:
            raise ValueError("must name an instruction")
        return check_mnemonics(of)

    @field_validator("by")
    @classmethod
    def _has_operands(cls, by: str | None, info: ValidationInfo) -> str | None:
        if by is None:
            return by
        allowed: tuple[str, ...] = () if by == "shift-amount" else _UNITS
        if by in ("shift-amount", "rs1-bits"):
            allowed = (*_SHIFTS, *allowed)
        for name in info.data.get("of", ()):
            if name not in allowed:
                raise ValueError(f"{by} does not apply to {name} (allowed: {', '.join(allowed)})")
        return by

    @field_validator("step", "each")
    @classmethod
    def _reasonable(cls, value: int, info: ValidationInfo) -> int:
        if not 0 <= value <= 32:
            raise ValueError(f"must be 0 to 32, not {value}")
        if value and info.data.get("by") is None:
            raise ValueError("needs by, which defines the number n")
        return value

    @field_validator("access")
    @classmethod
    def _static(cls, access: bool, info: ValidationInfo) -> bool:
        if access and info.data.get("by") is not None:
            raise ValueError("must be false with by")
        return access

    @field_validator("cycles")
    @classmethod
    def _entries(cls, cycles: int | tuple[int, ...], info: ValidationInfo) -> int | tuple[int, ...]:
        listed = (cycles,) if isinstance(cycles, int) else cycles
        by = info.data.get("by")
        if not isinstance(cycles, int) and "by" in info.data:
            if by is None:
                raise ValueError("must be one number: a table needs by")
            if len(cycles) != PROPERTIES[by].size:
                raise ValueError(
                    f"must be one number, or {PROPERTIES[by].size} with by: {by}, not {len(cycles)}"
                )
        if not all(1 <= each <= 256 for each in listed):
            raise ValueError("must be 1 to 256 cycles")
        return cycles

    def table(self) -> tuple[int, ...]:
        """Return the cycles for each value of ``by``; one entry without ``by``."""
        return cycles_by_number(self.by, self.cycles, each=self.each, step=self.step)

    def model(self) -> LatencyModel:
        """Return the latency model of the instructions."""
        return LatencyModel(self.by or "none", self.table(), source="core.latency.rules")

    def __str__(self) -> str:
        """Return the rule as a machine file writes it on one line."""
        given = {
            name: value
            for name, value in self.to_dict().items()
            if value != type(self).model_fields[name].default
        }
        return str(given).replace("'", "")
