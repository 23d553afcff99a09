"""The memories of a machine: which addresses belong to what, and that no two things share one."""

from collections.abc import Iterable
from typing import ClassVar, Literal, NamedTuple

from pydantic import ValidationInfo, field_validator

from gnomon.arch._values import Size
from gnomon.base.schema import ProblemAt, Section, key
from gnomon.base.units import Bytes, format_size

ADDRESS_LIMIT = 2**32


class Span(NamedTuple):
    """Addresses ``base`` up to, not including, ``end``."""

    name: str
    base: int
    end: int

    def __str__(self) -> str:
        return f"{self.name} (0x{self.base:08X}..0x{self.end - 1:08X})"


# Fixed by the program protocol of the reference runs: exit, print and cycle registers sit at
# 0x1A10FFF0..0x1A10FFFB, in the peripheral page; accesses to 0xDEADxxxx answer with a bus error.
RESERVED = (
    Span("the I/O page", 0x1A10_F000, 0x1A11_0000),
    Span("the bus-error window", 0xDEAD_0000, 0xDEAE_0000),
)


def check_apart(span: Span, others: Iterable[Span], subkey: str, hint: str = "") -> None:
    """Refuse a span that leaves the 32-bit address space or meets another."""
    if span.end > ADDRESS_LIMIT:
        size_bytes = span.end - span.base
        raise ProblemAt(subkey, f"0x{span.base:X} + {format_size(size_bytes)} ends beyond 4 GiB")
    met = [str(other) for other in others if span.base < other.end and other.base < span.end]
    if met:
        raise ProblemAt(subkey, f"{span} overlaps {' and '.join(met)}{hint}")


# Ours, to catch an error before the simulator allocates it.
LARGEST_MEMORY = Bytes(256 * 2**20)
MOST_WAITS = 64


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


class InstructionRegion(Region):
    """The memory that instructions come from."""

    refused: ClassVar[dict[str, str]] = dict.fromkeys(
        ("waits", "width", "burst"),
        "not known: the fetch of a T13 has one cycle, and no slower one has been held against RTL; "
        "with core.model inorder set core.latency.instruction-waits; for data set memory.data",
    )


class DataRegion(Region):
    """The memory behind the data port, and how fast it answers."""

    waits: int = key(
        "wait states: further cycles of each access through the data port, of loads, stores, both "
        "halves of a swap, accesses of transfers (with core.model inorder besides those of "
        "core.latency.data-waits)",
        unit="cycles",
        default=0,
        ge=0,
        le=MOST_WAITS,
    )
    width: Literal[32, 64, 128, 256] = key(
        "what one access of a transfer moves; loads and stores move a word", unit="bits", default=32
    )
    burst: int = key(
        "accesses of a transfer with the wait states of one: 1 = each has its own",
        unit="accesses",
        default=1,
        ge=1,
        le=1024,
    )


LATER = {"waits": 0, "width": 32, "burst": 1}
"""Keys of the data memory that came later; they say nothing where they are these."""


class Memory(Section):
    """Instruction and data memory, and what happens everywhere else.

    One memory for code and data is written as both, with one base and one size.
    """

    instruction: InstructionRegion = key(
        "memory that instructions are fetched from; loads and stores reach it"
    )
    data: DataRegion = key(
        "memory for data; with base and size of the instruction memory the two are one memory"
    )
    unmapped: Literal["protocol", "fault"] = key(
        "loads and stores outside every memory: protocol = loads return 0, stores are dropped, as "
        "in the reference runs of the RTL; fault = the run stops. A fetch there is always a fault",
        default="fault",
    )

    @field_validator("instruction")
    @classmethod
    def _instruction_apart(cls, region: Region) -> Region:
        check_apart(region.span("instruction memory"), RESERVED, "base")
        return region

    @field_validator("data")
    @classmethod
    def _data_apart(cls, region: DataRegion, info: ValidationInfo) -> DataRegion:
        span = region.span("data memory")
        check_apart(span, RESERVED, "base")
        code = info.data.get("instruction")
        if code is not None and (region.base, region.size) != (code.base, code.size):
            hint = " (one memory for code and data has one base and one size)"
            check_apart(span, [code.span("instruction memory")], "base", hint)
        return region

    @property
    def is_one(self) -> bool:
        """Whether code and data share one memory."""
        return self.instruction.base == self.data.base
