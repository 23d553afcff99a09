"""A functional unit of a machine, and its instructions, after their parameters are chosen."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple

from gnomon.arch.operands import InstructionLatency, LatencyModel
from gnomon.arch.units.area import UnitArea
from gnomon.isa import Instruction

MOST_INSTRUCTIONS: Final = 32
"""Instructions of all units of a machine: the numbers that the engine has for them."""

MOST_VECTOR_INSTRUCTIONS: Final = 8
"""Vector instructions of all units of a machine."""

MOST_VECTOR_UNITS: Final = 2
"""Units of a machine with vector instructions: each is a functional unit in the engine."""

ELEMENT_BITS: Final = (8, 16, 32)
"""Widths of the elements of vectors, by MVTYPE."""

Third = Literal["none", "immediate", "rs3", "rd"]
"""Source of the third operand ``c``: the immediate, a third register, or the old value of rd."""


VectorPart = Literal["adder", "shifter", "multiplier", "accumulator", "comparator"]
"""Functional unit of the vector unit."""


@dataclass(frozen=True, slots=True)
class VectorForm:
    """The elements of a vector instruction.

    ``elements``: their widths in bits. ``reduces``: the result is one word, the sum of the
    elements; else it is a vector. ``holds``: functional units of the vector unit that it needs,
    in addition to that of its own unit.
    """

    elements: tuple[int, ...]
    reduces: bool
    holds: tuple[VectorPart, ...]


@dataclass(frozen=True, slots=True)
class UnitInstruction:
    """An instruction of a unit.

    ``row``: its encoding. ``model``: cycles in execute, the first one included; of a vector
    instruction those from its first read to its first write. ``use_cycles``: on an in-order core,
    cycles from the end of the instruction until its result can be read.
    """

    row: Instruction
    model: LatencyModel
    use_cycles: int
    third: Third
    vector: VectorForm | None = None  # of a vector instruction

    @property
    def mnemonic(self) -> str:
        return self.row.mnemonic

    @property
    def function(self) -> str:
        """Name of its C function, and of the function in ``units.h``."""
        return self.row.mnemonic.replace(".", "_")

    @property
    def has_operands(self) -> tuple[bool, bool, bool]:
        """Whether it has each of the operands a, b and c."""
        return self.row.rs1 is not None, self.row.rs2 is not None, self.third != "none"

    def latency(self, port_cycles: int = 0) -> InstructionLatency:
        """Return the latency model as a core has those of its own instructions.

        Args:
            port_cycles: that the port of the core adds for any operands.
        """
        model = self.model.plus(port_cycles)
        static = 1 if model.depends_on_operands else model.least_cycles
        return InstructionLatency((self.row.mnemonic,), model, static)


class UnitParameter(NamedTuple):
    """A parameter and its value in a machine; the range includes its ends."""

    name: str
    value: int
    default: int
    least: int
    most: int
    meaning: str


@dataclass(frozen=True, slots=True)
class UnitRtl:
    """SystemVerilog of a unit: the text of its files by name, and its top module."""

    files: tuple[tuple[str, str], ...]
    top: str


@dataclass(frozen=True, slots=True)
class UnitPrice:
    """Energy per execution beyond that of an idle pipeline, and the source of the figure."""

    pj: float
    source: str


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit with the parameters of a machine.

    ``code``: the text of its C file, ``code_file`` its path. ``folder``: of its files.
    ``state_bytes``: of the state that its functions keep, for each hart or, if ``shared``, for all.
    ``digest``: SHA-256 (hexadecimal) of everything that a run depends on.
    """

    name: str
    title: str
    parameters: tuple[UnitParameter, ...]
    instructions: tuple[UnitInstruction, ...]
    code: str
    digest: str
    code_file: str = field(compare=False)
    folder: str = field(compare=False)
    state_bytes: int = 0
    shared: bool = False
    rtl: UnitRtl | None = None
    price: UnitPrice | None = None
    area: UnitArea | str = field(default="", compare=False)  # or why it is unavailable

    @property
    def values(self) -> dict[str, int]:
        """Values of the parameters by name."""
        return {each.name: each.value for each in self.parameters}

    @property
    def command(self) -> str:
        """Command that measures area and energy of the unit with its parameters."""
        return f"gnomon rtl unit {self.name}{join_points([self])}"

    @property
    def is_vector(self) -> bool:
        """Whether some of its instructions are vector instructions."""
        return any(each.vector is not None for each in self.instructions)

    def to_json(self) -> dict[str, int | str]:
        """Return the parameters, and the digest of the unit."""
        return {**self.values, "digest": self.digest}


def join_points(points: Iterable[Unit]) -> str:
    """Return arguments of a command that name points of one unit, such as `` bits=1,2``."""
    values: dict[str, set[int]] = {}
    defaults: dict[str, int] = {}
    for point in points:
        for each in point.parameters:
            values.setdefault(each.name, set()).add(each.value)
            defaults[each.name] = each.default
    return "".join(
        f" {name}={','.join(map(str, sorted(found)))}"
        for name, found in values.items()
        if found != {defaults[name]}
    )


def instruction_rows(units: Iterable[Unit]) -> tuple[Instruction, ...]:
    """Return the encodings of all instructions, in the order of their numbers in the engine."""
    return tuple(each.row for unit in units for each in unit.instructions)
