"""The memories of a machine: their addresses, which must not overlap."""

from collections.abc import Iterable
from typing import Annotated, ClassVar, Literal, NamedTuple

from pydantic import BeforeValidator, ValidationInfo, field_validator

from gnomon.arch._values import Size
from gnomon.base.schema import ProblemAt, Section, key, none_word
from gnomon.base.units import Bytes, format_size

ADDRESS_LIMIT = 2**32


class Span(NamedTuple):
    """The addresses from ``base`` up to, but not including, ``end``."""

    name: str
    base: int
    end: int

    def __str__(self) -> str:
        return f"{self.name} (0x{self.base:08X}..0x{self.end - 1:08X})"


# Fixed by the program protocol of the reference runs: the exit, print and cycle registers are at
# 0x1A10FFF0..0x1A10FFFB, in the peripheral page; accesses to 0xDEADxxxx cause a bus error.
RESERVED = (
    Span("the I/O page", 0x1A10_F000, 0x1A11_0000),
    Span("the bus-error window", 0xDEAD_0000, 0xDEAE_0000),
)


def check_apart(span: Span, others: Iterable[Span], subkey: str, hint: str = "") -> None:
    """Reject a span that leaves the 32-bit address space or overlaps another one."""
    if span.end > ADDRESS_LIMIT:
        size_bytes = span.end - span.base
        raise ProblemAt(subkey, f"0x{span.base:X} + {format_size(size_bytes)} ends beyond 4 GiB")
    overlapping = [
        str(other) for other in others if span.base < other.end and other.base < span.end
    ]
    if overlapping:
        raise ProblemAt(subkey, f"{span} overlaps {' and '.join(overlapping)}{hint}")


# gnomon's limit, which catches an error before the simulator allocates the memory.
LARGEST_MEMORY = Bytes(256 * 2**20)
MOST_WAITS = 64


class MemoryRegion(Section):
    """One memory: its start and its length."""

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
        """Return the addresses of this memory, with a name for messages."""
        return Span(name, self.base, self.base + self.size)


class InstructionRegion(MemoryRegion):
    """The instruction memory."""

    rejected: ClassVar[dict[str, str]] = dict.fromkeys(
        ("waits", "width", "burst"),
        "unavailable: the fetch of a T13 takes one cycle, and no slower one was compared with RTL; "
        "with core.model inorder set core.latency.instruction-waits; for data set memory.data",
    )


class DataRegion(MemoryRegion):
    """The data memory, and its speed."""

    waits: int = key(
        "wait states: further cycles of each access through the data port: loads, stores, both "
        "halves of a swap, accesses of transfers (with core.model inorder in addition to "
        "core.latency.data-waits)",
        unit="cycles",
        default=0,
        ge=0,
        le=MOST_WAITS,
    )
    width: Literal[32, 64, 128, 256] = key(
        "width of one access of a transfer; loads and stores move a word", unit="bits", default=32
    )
    burst: int = key(
        "accesses of a transfer that share the wait states of one: 1 = each has its own",
        unit="accesses",
        default=1,
        ge=1,
        le=1024,
    )


LATER = {"waits": 0, "width": 32, "burst": 1}
"""Later keys of the data memory; with these values they have no effect."""


_POLICY = "not modeled: a miss replaces the line of its set that was used least recently"
_REFILL = (
    "not modeled: a miss waits for the whole line, n - 1 + instruction-waits * ceil(n / burst) "
    "cycles with n = line / width"
)


class InstructionCache(Section):
    """The cache of the instruction memory; a mapping."""

    rejected: ClassVar[dict[str, str]] = {
        **dict.fromkeys(("policy", "replacement", "write"), _POLICY),
        **dict.fromkeys(("refill", "critical-word-first", "prefetch"), _REFILL),
    }

    serves: Literal["instruction"] = key("accesses that it serves", default="instruction")
    line: Size = key("length of a line", unit="bytes")
    sets: int = key("number of sets, a power of two", unit="sets", ge=1, le=4096)
    ways: int = key(
        "lines of a set; the least recently used is replaced", unit="lines", ge=1, le=16
    )
    width: Literal[32, 64, 128, 256] = key(
        "width of one access of a refill", unit="bits", default=32
    )
    burst: int = key(
        "accesses of a refill that share the wait states of one",
        unit="accesses",
        default=1,
        ge=1,
        le=1024,
    )

    @field_validator("line")
    @classmethod
    def _power_of_two(cls, line: Bytes) -> Bytes:
        if line & (line - 1) or not 4 <= line <= 256:
            raise ValueError(f"must be a power of two from 4 B to 256 B, not {format_size(line)}")
        return line

    @field_validator("sets")
    @classmethod
    def _power_of_two_sets(cls, sets: int) -> int:
        if sets & (sets - 1):
            raise ValueError(f"must be a power of two from 1 to 4096, not {sets}")
        return sets

    @field_validator("width")
    @classmethod
    def _inside_line(cls, width: int, info: ValidationInfo) -> int:
        line = info.data.get("line")
        if line is not None and width > 8 * line:
            raise ValueError(f"must be at most {8 * line} bits, the length of a line, not {width}")
        return width

    def refill_waits(self, waits: int) -> int:
        """Return the wait states of a miss, with a memory of ``waits`` wait states."""
        accesses = 8 * self.line // self.width
        return accesses - 1 + waits * -(-accesses // self.burst)


class Caches(Section):
    """The caches of a machine."""

    rejected: ClassVar[dict[str, str]] = dict.fromkeys(
        ("dcache", "data", "l2"), "not modeled: icache, for instructions, is the only cache"
    )

    icache: Annotated[InstructionCache | None, BeforeValidator(none_word)] = key(
        "cache of the instruction memory; with it, core.latency.instruction-waits are those of one "
        "access of a refill, and a hit has none",
        default=None,
    )


class Memory(Section):
    """Instruction memory, data memory, and the behavior of all other addresses.

    A common memory for code and data is given as both, with equal base and size.
    """

    instruction: InstructionRegion = key(
        "memory that instructions are fetched from; loads and stores reach it"
    )
    data: DataRegion = key(
        "memory for data; with base and size of the instruction memory, both are the same memory"
    )
    unmapped: Literal["protocol", "fault"] = key(
        "loads and stores outside every memory: protocol = loads return 0, stores are dropped, as "
        "in the reference runs of the RTL; fault = the run stops. A fetch there is always a fault",
        default="fault",
    )
    caches: Caches = key("caches", default_factory=Caches)

    @field_validator("instruction")
    @classmethod
    def _instruction_apart(cls, region: MemoryRegion) -> MemoryRegion:
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
