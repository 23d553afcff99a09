"""``unit.yaml``: descriptions of functional units in the folders ``units/<name>/``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, get_args

from pydantic import BeforeValidator, Field, ValidationInfo, field_validator

from gnomon.arch.operands import (
    PROPERTIES,
    RULE_PROPERTIES,
    LatencyModel,
    RuleProperty,
    cycles_by_number,
)
from gnomon.arch.units._unit import (
    Third,
    VectorPart,
)
from gnomon.base.expressions import evaluate
from gnomon.base.schema import (
    ProblemAt,
    Section,
    Version,
    key,
    names_tuple,
    none_word,
    version_key,
)

LONGEST_CYCLES: Final = 256
"""Most cycles of an instruction: size of the engine's table."""
MOST_STATE_BYTES: Final = 4096
LONGEST_VECTOR_CYCLES: Final = 64
"""Most cycles from the first read to the first write of a vector instruction."""

OPCODES: Final = {"custom-0": 0x0B, "custom-1": 0x2B, "custom-2": 0x5B, "custom-3": 0x7B}
_PARAMETER: Final = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
_RESERVED: Final = ("digest", "state", "inline", "a", "b", "c")
_FILE_NAME: Final = r"^[A-Za-z0-9_][A-Za-z0-9_.-]*$"
_FILE_NAMES: Final = "letters, digits, '_', '.', '-'"
_OF_HEADER: Final = "has_"  # UNIT_HAS_<INSTRUCTION>
_MOST_PARAMETERS = 12  # their ends have 2 ** 12 combinations
_LEAST, _MOST = -(2**31), 2**31 - 1  # int in C and SystemVerilog
_MOST_USE_CYCLES = 64

Number = int | str
"""A whole number, or an expression over the parameters, such as ``stages + 1``."""


class ParameterKeys(Section):
    """A parameter: its default and its range, ends included."""

    default: int = key("value if a machine does not set it", allowed="a whole number")
    range: Annotated[tuple[int, int], BeforeValidator(names_tuple)] = key(
        "smallest and largest value", allowed="[smallest, largest]"
    )
    meaning: str = key("one line", default="")

    @field_validator("range")
    @classmethod
    def _holds_default(cls, given: tuple[int, int], info: ValidationInfo) -> tuple[int, int]:
        default = info.data.get("default")
        if not _LEAST <= min(given) <= max(given) <= _MOST:
            raise ValueError(f"must be within {_LEAST} to {_MOST}, not {list(given)}")
        if given[0] > given[1]:
            raise ValueError(f"must be [smallest, largest], not {list(given)}")
        if default is not None and not given[0] <= default <= given[1]:
            raise ValueError(f"does not contain the default {default}")
        return given


class EncodingKeys(Section):
    """Fields of the instruction word that are constant."""

    format: Literal["R", "I", "R4"] = key(
        "R: rd, rs1, rs2; I: rd, rs1, a signed 12-bit immediate; R4: rd, rs1, rs2, rs3"
    )
    opcode: Literal["custom-0", "custom-1", "custom-2", "custom-3"] = key(
        "major opcode; the T13 has its vector unit in custom-0 and custom-1"
    )
    funct3: int = key("bits 14:12", ge=0, le=7)
    funct7: int | None = key("bits 31:25 of format R", default=None, ge=0, le=127)
    funct2: int | None = key("bits 26:25 of format R4", default=None, ge=0, le=3)

    @field_validator("funct7", "funct2")
    @classmethod
    def _of_format(cls, value: int | None, info: ValidationInfo) -> int | None:
        of, form = {"funct7": "R", "funct2": "R4"}[info.field_name or ""], info.data.get("format")
        if value is not None and form not in (of, None):
            raise ValueError(f"format {form} has no {info.field_name} (allowed: with format {of})")
        return value

    def match_and_mask(self) -> tuple[int, int]:
        """Return the bits of the word that are constant, and their mask."""
        match, mask = OPCODES[self.opcode] | self.funct3 << 12, 0x707F
        if self.format == "R":
            return match | (self.funct7 or 0) << 25, mask | 0x7F << 25
        if self.format == "R4":
            return match | (self.funct2 or 0) << 25, mask | 3 << 25
        return match, mask


class OperandKeys(Section):
    """Operands; a field that is left out is ignored, and encoded as 0."""

    rd: Literal["result", "accumulator"] | None = key(
        "result = written; of a vector instruction, the address of the result; accumulator = read"
        " as the third operand, and written",
        default=None,
    )
    rs1: Literal["operand", "vector"] | None = key(
        "first operand, a; vector = address of a vector, a its element", default=None
    )
    rs2: Literal["operand", "vector", "scalar"] | None = key(
        "second operand, b; vector as in rs1; scalar = b for all elements of a vector", default=None
    )
    rs3: Literal["operand", "scalar"] | None = key(
        "third operand, c, of format R4; scalar = c for all elements of a vector", default=None
    )
    imm: Literal["immediate"] | None = key("third operand, c, of format I", default=None)

    def given(self) -> dict[str, str]:
        """Return the operands that the instruction has."""
        return {name: value for name, value in self if value is not None}

    @property
    def third(self) -> Third:
        """Source of the third operand."""
        if self.rd == "accumulator":
            return "rd"
        return "rs3" if self.rs3 else "immediate" if self.imm else "none"


def _one_number(value: object) -> object:
    """Convert constant cycles to a section."""
    return {"cycles": value} if isinstance(value, int | str) else value


class LawKeys(Section):
    """A latency model, with the keys of ``core.latency.rules``."""

    by: RuleProperty | None = key(
        "operand property: the number n that indexes cycles",
        default=None,
        allowed=", ".join(RULE_PROPERTIES),
    )
    cycles: Number | Annotated[tuple[Number, ...], BeforeValidator(names_tuple)] = key(
        "cycles in execute, the first one included; a list has one entry per n",
        allowed="a whole number, an expression over the parameters, or a list of these",
    )
    each: Number = key("further cycles, each x n", default=0, allowed="a number, an expression")
    step: Number = key("further cycles, n // step + n % step; 0: none", default=0,
                       allowed="a number, an expression")  # fmt: skip

    def model(self, parameters: Mapping[str, int], source: str) -> LatencyModel:
        """Return the latency model for some parameters.

        Raises:
            ValueError: if a value is not an expression over the parameters, or is out of range.
        """
        listed = self.cycles if isinstance(self.cycles, tuple) else (self.cycles,)
        size = PROPERTIES[self.by or "none"].size
        if isinstance(self.cycles, tuple) and len(listed) != size:
            what = f"{size} with by: {self.by}" if self.by else "1 without by"
            raise ValueError(f"cycles must be one number, or {what}, not {len(listed)}")
        numbers = [evaluate(each, parameters) for each in listed]
        each, step = evaluate(self.each, parameters), evaluate(self.step, parameters)
        if self.by is None and (each or step):
            raise ValueError("each and step need by, which defines the number n")
        if each < 0 or step < 0:
            raise ValueError(f"each and step must be at least 0, not {min(each, step)}")
        base = numbers if isinstance(self.cycles, tuple) else numbers[0]
        found = cycles_by_number(self.by, base, each=each, step=step)
        if not min(found) >= 1 or not max(found) <= LONGEST_CYCLES:
            given = ", ".join(f"{name} = {value}" for name, value in parameters.items())
            raise ValueError(
                f"must be 1 to {LONGEST_CYCLES} cycles, not {min(found)} to {max(found)}"
                f"{f' (with {given})' if given else ''}"
            )
        return LatencyModel(self.by or "none", found, source=source)


class VectorKeys(Section):
    """Elements of an instruction of the vector unit."""

    elements: Annotated[tuple[Literal[8, 16, 32], ...], BeforeValidator(names_tuple)] = key(
        "widths of the elements that it takes, in bits; C gets them sign-extended",
        allowed="a list of 8, 16, 32",
    )
    form: Literal["map", "reduce"] = key(
        "map: a vector of results, one per element; reduce: one word, the sum of the results"
    )
    holds: Annotated[tuple[VectorPart, ...], BeforeValidator(names_tuple)] = key(
        "functional units of the vector unit that it needs in addition to its own; reduce: always"
        " the accumulator",
        default=(),
        allowed=f"a list of {', '.join(get_args(VectorPart))}",
    )

    @field_validator("elements", "holds")
    @classmethod
    def _once(cls, given: tuple[Any, ...], info: ValidationInfo) -> tuple[Any, ...]:
        if len(set(given)) < len(given):
            raise ValueError(f"names a value twice: {', '.join(map(str, given))}")
        if not given and info.field_name == "elements":
            raise ValueError("must name at least one width")
        return given


class InstructionKeys(Section):
    """One instruction."""

    encoding: EncodingKeys = key("constant fields of the word")
    operands: OperandKeys = key("operands")
    cycles: Annotated[LawKeys, BeforeValidator(_one_number)] = key(
        "cycles in execute; of a vector instruction from its first read to its first write",
        allowed="a number, an expression, or {by, cycles, each, step}",
    )
    use: Number = key(
        "on an in-order core: cycles from the end until the result can be read",
        default=0,
        allowed="0 to 64, or an expression",
    )
    vector: Annotated[VectorKeys | None, BeforeValidator(none_word)] = key(
        "elements, if it is an instruction of the vector unit", default=None
    )
    meaning: str = key("one line", default="")

    def use_cycles(self, parameters: Mapping[str, int]) -> int:
        """Return ``use`` for some parameters.

        Raises:
            ValueError: if it is not an expression over the parameters, or is out of range.
        """
        cycles = evaluate(self.use, parameters)
        if not 0 <= cycles <= _MOST_USE_CYCLES:
            raise ValueError(f"must be 0 to {_MOST_USE_CYCLES} cycles, not {cycles}")
        return cycles


class StateKeys(Section):
    """State that the functions keep between executions; it is 0 at reset."""

    bytes: int = key("size", unit="bytes", ge=1, le=MOST_STATE_BYTES)
    of: Literal["hart", "shared"] = key("one for each hart, or one for all")


class UnitRtlKeys(Section):
    """SystemVerilog of the unit, with the port of docs/reference/unit.md."""

    sources: Annotated[
        tuple[Annotated[str, Field(pattern=_FILE_NAME)], ...], BeforeValidator(names_tuple)
    ] = key("files, in the order of compilation", allowed=f"a list of file names of {_FILE_NAMES}")
    top: str = key("top module", pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", allowed="a module name")


class PriceKeys(Section):
    """Stated energy."""

    value: float = key(
        "energy per execution, beyond that of an idle pipeline in its cycles", unit="pJ", ge=0
    )
    source: str = key("source of the figure", min_length=1)


def _stateless(value: object) -> object:
    return None if value in ("none", "0 B", 0) else value


class UnitFile(Section):
    """Content of ``unit.yaml``."""

    schema_version: Version = version_key()
    title: str = key("one human-readable line", min_length=1)
    source: str = key("origin of the unit and of its latency models", min_length=1)
    parameters: dict[str, ParameterKeys] = key(
        "numbers that a machine sets: macro UNIT_<NAME> in C, parameter <NAME> in SystemVerilog",
        default={},
    )
    code: str = key(
        "C file: one function UNIT(<instruction>) per instruction",
        pattern=_FILE_NAME,
        allowed=f"a file name of {_FILE_NAMES}",
    )
    rtl: Annotated[UnitRtlKeys | None, BeforeValidator(none_word)] = key(
        "SystemVerilog; none = no lock-step, area or gate energy", default=None
    )
    state: Annotated[StateKeys | None, BeforeValidator(_stateless)] = key(
        "memory of the unit", default=None
    )
    occupies: Literal["execute"] = key("stage that the unit holds", default="execute")
    instructions: dict[str, InstructionKeys] = key("instructions by mnemonic")
    price: Annotated[PriceKeys | None, BeforeValidator(none_word)] = key(
        "energy per execution, in pJ; none = from its gates, else unavailable", default=None
    )

    @field_validator("parameters")
    @classmethod
    def _parameter_names(cls, given: dict[str, Any]) -> dict[str, Any]:
        if len(given) > _MOST_PARAMETERS:
            raise ValueError(f"at most {_MOST_PARAMETERS} parameters, not {len(given)}")
        for name in given:
            taken = name in _RESERVED or name.startswith(_OF_HEADER)
            if not _PARAMETER.fullmatch(name) or taken:
                raise ProblemAt(name, "not a name of a parameter (lower-case letters, digits, '_';"
                                f" not {', '.join(_RESERVED)}, {_OF_HEADER}...)")  # fmt: skip
        return given
