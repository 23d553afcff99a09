"""Cycles of single instructions of an in-order core that differ from those of their class."""

from typing import Annotated, Final

from pydantic import BeforeValidator, ValidationInfo, field_validator

from gnomon.arch.operands import PROPERTIES, LatencyModel, RuleProperty, cycles_by_number
from gnomon.base.errors import allowed_hint
from gnomon.base.schema import Section, names_tuple
from gnomon.isa import list_instructions

_SHIFTS: Final = ("sll", "srl", "sra", "slli", "srli", "srai")
_UNITS: Final = ("mul", "mulh", "mulhsu", "mulhu", "div", "divu", "rem", "remu")


def _list_mnemonics() -> list[str]:
    rows = list_instructions(("I", "M", "Zicsr", "Zifencei", "machine"))
    return [row.mnemonic for row in rows]


def _check_names(names: tuple[str, ...], allowed: list[str], what: str) -> tuple[str, ...]:
    for name in names:
        if name not in allowed:
            raise ValueError(f"{name} is not {what} {allowed_hint(name, allowed)}")
    return names


def _list_operands() -> list[str]:
    read = {"R": ("rs1", "rs2"), "S": ("rs1", "rs2"), "B": ("rs1", "rs2"), "I": ("rs1",),
            "shift": ("rs1",)}  # fmt: skip
    rows = list_instructions(("I", "M"))
    return [f"{row.mnemonic}.{each}" for row in rows for each in read.get(row.format, ())]


def _list_result_mnemonics() -> list[str]:
    kinds = ("alu", "mul", "mulh", "div", "load")
    return [row.mnemonic for row in list_instructions(("I", "M")) if row.timing_class in kinds]


class Bypass(Section):
    """The time at which results can be read: ``cycles`` after the end of the instructions ``of``.

    The entry applies to the operands ``to``, such as sw.rs2; if that is empty, to all operands
    without an entry.
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
        return _check_names(to, _list_operands(), "an operand")

    @field_validator("cycles")
    @classmethod
    def _reasonable(cls, cycles: int) -> int:
        if not 0 <= cycles <= 64:
            raise ValueError(f"must be 0 to 64, not {cycles}")
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
        return _check_names(of, _list_mnemonics(), "an instruction")

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
