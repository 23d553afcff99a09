"""The keys of a machine file: types, ranges, meanings, and the rules between keys.

Field order matters: a rule sees the keys above its own (``info.data``), so that each error is
reported at the key that causes it and one wrong key does not hide another.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BeforeValidator, PlainValidator, ValidationInfo, field_validator

from gnomon.arch._address_map import RESERVED, Span, check_span
from gnomon.arch._model import ProblemAt, Section, key
from gnomon.arch._problems import shown
from gnomon.arch._quirks import CoreQuirks, VcuQuirks
from gnomon.errors import GnomonError, did_you_mean
from gnomon.units import Bytes, Hertz, format_frequency, format_size, parse_frequency, parse_size

if TYPE_CHECKING:
    from collections.abc import ItemsView, Iterable, KeysView

SCHEMA_VERSION = 1
LARGEST_MEMORY = Bytes(256 * 2**20)
LARGEST_SCRATCHPAD = Bytes(16 * 2**20)
# Cycles in the execute stage: 1 to set up, 32 steps, 1 for the result, for any operands
# (measured on the RTL).
DIVIDER_CYCLES = {"restoring-radix2": 34}
# Additions to the vector instructions of the public RTL. None is modelled yet.
VCU_EXTENSIONS: tuple[str, ...] = ()


def _size(value: object) -> Bytes:
    try:
        return parse_size(value)
    except GnomonError as error:
        raise ValueError(str(error)) from None


def _frequency(value: object) -> Hertz:
    try:
        frequency = parse_frequency(value)
    except GnomonError as error:
        raise ValueError(str(error)) from None
    if not 0 < frequency <= 10**11:
        raise ValueError(f"must be above 0 and at most 100 GHz, not {format_frequency(frequency)}")
    return frequency


def _none(value: object) -> object:
    return None if value == "none" else value


def _reset_pc(value: object) -> int | Literal["entry"]:
    if value == "entry":
        return "entry"
    if type(value) is not int or not 0 <= value < 2**32:
        raise ValueError(f"must be a 32-bit address such as 0x80, or 'entry', not {shown(value)}")
    return value


def _names(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value


def _apart(span: Span, others: Iterable[Span], subkey: str) -> None:
    try:
        check_span(span, others)
    except ValueError as error:
        raise ProblemAt(subkey, str(error)) from None


Size = Annotated[Bytes, PlainValidator(_size)]
Frequency = Annotated[Hertz, PlainValidator(_frequency)]
ResetPc = Annotated[int | Literal["entry"], PlainValidator(_reset_pc)]
TableName = Annotated[str | None, BeforeValidator(_none)]


class Region(Section):
    """One memory: where it starts and how long it is."""

    base: int = key("first byte address", unit="address", ge=0, lt=2**32)
    size: Size = key("length", unit="bytes")

    @field_validator("base")
    @classmethod
    def _aligned(cls, base: int) -> int:
        if base % 4:
            raise ValueError(f"must be a multiple of 4, not 0x{base:X}")
        return base

    @field_validator("size")
    @classmethod
    def _usable(cls, size: Bytes) -> Bytes:
        if size % 4 or not 0 < size <= LARGEST_MEMORY:
            raise ValueError(
                f"must be a multiple of 4 bytes up to {format_size(LARGEST_MEMORY)}, "
                f"not {format_size(size)}"
            )
        return size

    def span(self, name: str) -> Span:
        """The addresses of this memory, under a name for messages."""
        return Span(name, self.base, self.base + self.size)


class Memory(Section):
    """Instruction and data memory, and what happens everywhere else."""

    instruction: Region = key(
        "memory that instructions are fetched from; loads and stores reach it"
    )
    data: Region = key("memory for data")
    unmapped: Literal["protocol", "fault"] = key(
        "loads and stores outside every memory: protocol = loads return 0, stores are dropped, as "
        "in the reference runs of the RTL; fault = the run stops. A fetch there is always a fault",
        default="fault",
    )

    @field_validator("instruction")
    @classmethod
    def _instruction_apart(cls, region: Region) -> Region:
        _apart(region.span("instruction memory"), RESERVED, "base")
        return region

    @field_validator("data")
    @classmethod
    def _data_apart(cls, region: Region, info: ValidationInfo) -> Region:
        others = list(RESERVED)
        if "instruction" in info.data:
            others.append(info.data["instruction"].span("instruction memory"))
        _apart(region.span("data memory"), others, "base")
        return region


class Latency(Section):
    """Cycles per instruction class of an in-order core; reads like a mapping."""

    alu: int = key("integer, lui, auipc", unit="cycles", ge=1, le=1000)
    mul: int = key("mul", unit="cycles", ge=1, le=1000)
    mulh: int = key("mulh, mulhu, mulhsu", unit="cycles", ge=1, le=1000)
    div: int = key("div, divu, rem, remu", unit="cycles", ge=1, le=1000)
    load: int = key("loads", unit="cycles", ge=1, le=1000)
    store: int = key("stores", unit="cycles", ge=1, le=1000)
    branch: int = key("branches that are not taken", unit="cycles", ge=1, le=1000)
    branch_taken: int = key(
        "extra cycles of a branch that is taken",
        unit="cycles",
        ge=0,
        le=1000,
        alias="branch-taken",
    )
    jump: int = key("jal, jalr", unit="cycles", ge=1, le=1000)
    csr: int = key("CSR accesses", unit="cycles", ge=1, le=1000)
    fence: int = key("fence, fence.i", unit="cycles", ge=1, le=1000)
    amo: int = key("amoswap.w", unit="cycles", ge=1, le=1000)
    system: int = key("ecall, ebreak, mret, wfi", unit="cycles", ge=1, le=1000)

    def _table(self) -> dict[str, int]:
        return self.model_dump(by_alias=True)

    def __getitem__(self, instruction_class: str) -> int:
        return self._table()[instruction_class]

    def keys(self) -> KeysView[str]:
        """The instruction classes, as spelled in a machine file (``branch-taken``)."""
        return self._table().keys()

    def items(self) -> ItemsView[str, int]:
        """Pairs of instruction class and cycles."""
        return self._table().items()


class Core(Section):
    """The scalar pipeline."""

    model: Literal["t13", "inorder"] = key(
        "pipeline: t13 = the interleaved pipeline of Klessydra-T13, cycle by cycle as the RTL; "
        "inorder = one hart, one instruction at a time, cycles from core.latency"
    )
    harts: int = key(
        "hardware threads, THREAD_POOL_SIZE in the RTL",
        unit="harts",
        allowed="3, 4, 5 with core.model t13; 1 with inorder",
    )
    superscalar: bool = key(
        "superscalar_exec_en: units of different kinds work side by side; false = an instruction "
        "waits until the load-store and vector units are idle",
        default=False,
    )
    divider: str | None = key(
        "scalar divider; restoring-radix2 takes 34 cycles in execute for any operands. Not used "
        "by core.model inorder, where core.latency.div says it",
        default=None,
        allowed=", ".join([*DIVIDER_CYCLES, "none"]),
        validate_default=True,
    )
    count_all: bool = key(
        "the cycle counter of a hart counts every cycle; false = only those in which the hart "
        "holds the execute stage",
        default=True,
    )
    reset_pc: ResetPc = key(
        "address of the first instruction; entry = the entry point of the program file",
        unit="address",
        default="entry",
        allowed="a 32-bit address, entry",
        validate_default=True,
    )
    latency: Latency | None = key(
        "cycles of each instruction class; needed with core.model inorder, which knows no other "
        "timing, and refused with t13, whose timing is the RTL's",
        default=None,
        validate_default=True,
    )
    quirks: CoreQuirks = key(
        "deviations of the RTL from the manual", default=CoreQuirks(), validate_default=True
    )

    @field_validator("harts")
    @classmethod
    def _harts_of_model(cls, harts: int, info: ValidationInfo) -> int:
        model = info.data.get("model")
        if model == "t13" and harts not in (3, 4, 5):
            raise ValueError(
                f"must be 3, 4 or 5 with core.model t13, not {harts} (with 2 harts the RTL "
                "executes wrong code after a jump; the program protocol is checked for 3, 4, 5)"
            )
        if model == "inorder" and harts != 1:
            raise ValueError(f"must be 1 with core.model inorder, not {harts}")
        return harts

    @field_validator("superscalar")
    @classmethod
    def _superscalar_of_model(cls, superscalar: bool, info: ValidationInfo) -> bool:
        if superscalar and info.data.get("model") == "inorder":
            raise ValueError("must be false with core.model inorder: one instruction at a time")
        return superscalar

    @field_validator("divider", mode="before")
    @classmethod
    def _divider_of_model(cls, divider: object, info: ValidationInfo) -> object:
        divider = _none(divider)
        model = info.data.get("model")
        if model == "inorder" and divider is not None:
            raise ValueError(
                f"must be none with core.model inorder, not {shown(divider)} "
                "(core.latency.div says what a division costs)"
            )
        if model == "t13" and divider not in DIVIDER_CYCLES:
            near = did_you_mean(str(divider), DIVIDER_CYCLES)
            raise ValueError(
                f"{shown(divider)} is not a divider (allowed: {', '.join(DIVIDER_CYCLES)}{near})"
            )
        return divider

    @field_validator("reset_pc")
    @classmethod
    def _reset_pc_of_model(cls, reset_pc: int | str, info: ValidationInfo) -> int | str:
        if info.data.get("model") == "t13" and (
            not isinstance(reset_pc, int) or reset_pc % 256 != 0x80
        ):
            given = reset_pc if isinstance(reset_pc, str) else f"0x{reset_pc:X}"
            raise ValueError(
                f"must end in 0x80 with core.model t13, not {given} (the RTL starts at "
                "(boot_addr & ~0xFF) + 0x80)"
            )
        if isinstance(reset_pc, int) and reset_pc % 4:
            raise ValueError(f"must be a multiple of 4, not 0x{reset_pc:X}")
        return reset_pc

    @field_validator("latency", mode="before")
    @classmethod
    def _latency_of_model(cls, latency: object, info: ValidationInfo) -> object:
        latency = _none(latency)
        model = info.data.get("model")
        if model == "t13" and latency is not None:
            raise ValueError(
                "only core.model inorder has a latency table; t13 keeps the RTL's timing"
            )
        if model == "inorder" and latency is None:
            raise ValueError(
                "core.model inorder needs a latency table "
                f"(cycles for each of {', '.join(_latency_classes())})"
            )
        return latency

    @field_validator("quirks")
    @classmethod
    def _quirks_of_model(cls, quirks: CoreQuirks, info: ValidationInfo) -> CoreQuirks:
        if info.data.get("model") == "inorder":
            for name, present in quirks:
                if present:
                    raise ProblemAt(
                        name, "must be false with core.model inorder: it is the T13 RTL's"
                    )
        return quirks


def _latency_classes() -> list[str]:
    return [field.alias or name for name, field in Latency.model_fields.items()]


class Scratchpads(Section):
    """The memories of the vector unit."""

    count: int = key("number of scratchpads, SPM_NUM in the RTL", unit="scratchpads", ge=1, le=8)
    size: Size = key("length of one scratchpad, 2^Addr_Width in the RTL", unit="bytes")
    base: int = key(
        "address of scratchpad 0; scratchpad i follows at base + i * size",
        unit="address",
        default=0x1000_0000,
        ge=0,
        lt=2**32,
    )

    @field_validator("size")
    @classmethod
    def _power_of_two(cls, size: Bytes) -> Bytes:
        if size < 4 or size & (size - 1) or size > LARGEST_SCRATCHPAD:
            raise ValueError(
                f"must be a power of two from 4 B to {format_size(LARGEST_SCRATCHPAD)}, "
                f"not {format_size(size)} (the RTL sizes scratchpads as 2^Addr_Width bytes)"
            )
        return size

    @field_validator("base")
    @classmethod
    def _aligned(cls, base: int, info: ValidationInfo) -> int:
        size = info.data.get("size")
        if size and base % size:
            raise ValueError(
                f"must be a multiple of vcu.scratchpads.size ({format_size(size)}), not 0x{base:X}"
            )
        return base

    def span(self) -> Span:
        """The addresses of all scratchpads together."""
        return Span("scratchpads", self.base, self.base + self.count * self.size)


class Vcu(Section):
    """The vector unit."""

    simd: Literal[1, 2, 4, 8] = key(
        "32-bit words handled per cycle, and banks of each scratchpad",
        unit="words per cycle",
        why="the RTL takes powers of two only",
    )
    sharing: Literal["shared", "replicated", "multithreaded"] = key(
        "shared = one unit and one set of scratchpads for all harts; replicated = one of each per "
        "hart; multithreaded = scratchpads and control per hart, one set of functional units",
        default="shared",
    )
    scratchpads: Scratchpads = key("memories of the vector unit")
    extensions: Annotated[tuple[str, ...], BeforeValidator(_names)] = key(
        "vector instructions beyond those of the public RTL",
        default=(),
        allowed=", ".join(VCU_EXTENSIONS) or "none in this version",
    )
    divider: TableName = key(
        "divider of the vector unit; the public RTL has none",
        default=None,
        allowed="none",
    )
    quirks: VcuQuirks = key(
        "deviations of the RTL from what its instructions mean", default=VcuQuirks()
    )

    @field_validator("scratchpads")
    @classmethod
    def _one_word_per_bank(cls, scratchpads: Scratchpads, info: ValidationInfo) -> Scratchpads:
        simd = info.data.get("simd", 1)
        if scratchpads.size < 4 * simd:
            raise ProblemAt(
                "size",
                f"must hold one word for each of the {simd} banks of vcu.simd {simd}: at least "
                f"{4 * simd} B, not {format_size(scratchpads.size)}",
            )
        return scratchpads

    @field_validator("extensions")
    @classmethod
    def _known_extensions(cls, extensions: tuple[str, ...]) -> tuple[str, ...]:
        for name in extensions:
            if name not in VCU_EXTENSIONS:
                allowed = ", ".join(VCU_EXTENSIONS) or "none in this version"
                raise ValueError(
                    f"{shown(name)} is not an extension "
                    f"(allowed: {allowed}{did_you_mean(name, VCU_EXTENSIONS)})"
                )
        return extensions

    @field_validator("divider")
    @classmethod
    def _divider_needs_extension(cls, divider: str | None) -> str | None:
        if divider is not None:
            raise ValueError(
                f"must be none, not {shown(divider)}: no vector instruction here divides"
            )
        return divider


class Architecture(Section):
    """One machine, checked. Two equal machines have the same ``fingerprint``."""

    schema_version: Literal[1] = key(
        "version of this file format",
        alias="schema",
        why="other versions are not known to this program",
    )
    name: str = key(
        "name of the machine",
        pattern=r"^[a-z0-9][a-z0-9._-]{0,63}$",
        allowed="lower-case letters, digits, '.', '_', '-', at most 64",
    )
    title: str = key("one line for people", min_length=1, max_length=200, allowed="a text")
    source: str = key(
        "where the figures come from and how sure they are", min_length=1, allowed="a text"
    )
    clock: Frequency = key("clock frequency", unit="Hz", allowed="such as 100 MHz")
    memory: Memory = key("memories and the rest of the address space")
    core: Core = key("the scalar core")
    vcu: Annotated[Vcu | None, BeforeValidator(_none)] = key(
        "the vector unit; none = a scalar machine", default=None
    )
    power: TableName = key(
        "power table that prices activity; none = energy is not known", default=None
    )
    area: TableName = key("area table; none = area is not known", default=None)

    @field_validator("core")
    @classmethod
    def _starts_in_memory(cls, core: Core, info: ValidationInfo) -> Core:
        memory = info.data.get("memory")
        if memory is not None and isinstance(core.reset_pc, int):
            span = memory.instruction.span("instruction memory")
            if not span.base <= core.reset_pc < span.end:
                raise ProblemAt("reset_pc", f"0x{core.reset_pc:X} is outside {span}")
        return core

    @field_validator("vcu")
    @classmethod
    def _vcu_fits(cls, vcu: Vcu | None, info: ValidationInfo) -> Vcu | None:
        if vcu is None:
            return None
        core, memory = info.data.get("core"), info.data.get("memory")
        if core is not None and core.model != "t13":
            raise ValueError(
                f"must be none with core.model {core.model}: only t13 has a vector unit"
            )
        others = list(RESERVED)
        if memory is not None:
            others.append(memory.instruction.span("instruction memory"))
            others.append(memory.data.span("data memory"))
        _apart(vcu.scratchpads.span(), others, "scratchpads.base")
        return vcu

    def to_dict(self) -> dict[str, Any]:
        """All values as a machine file spells its keys; sizes in bytes, clock in hertz."""
        return self.model_dump(mode="json", by_alias=True)

    @property
    def fingerprint(self) -> str:
        """SHA-256 (hexadecimal) of every resolved value; the key of caches."""
        text = json.dumps(self.to_dict(), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()
