"""The caches of a machine."""

from typing import Annotated, ClassVar, Literal

from pydantic import BeforeValidator, ValidationInfo, field_validator

from gnomon.arch._values import Size
from gnomon.base.schema import Section, key, none_word
from gnomon.base.units import Bytes, format_size

_POLICY = "not modeled: a miss replaces the line of its set that was used least recently"
_REFILL = (
    "not modeled: a miss waits for the whole line, n - 1 + W * ceil(n / burst) cycles with n = line"
    " / width and W wait states of the memory"
)
_WRITE = (
    "not modeled: a store goes through to the memory, with its wait states, allocates no line and "
    "does not change which line was used last"
)


class Cache(Section):
    """Lines of a cache, and how a miss fills one; a mapping."""

    rejected: ClassVar[dict[str, str]] = {
        **dict.fromkeys(("policy", "replacement"), _POLICY),
        **dict.fromkeys(("refill", "critical-word-first", "prefetch"), _REFILL),
        **dict.fromkeys(("write", "write-back", "allocate"), _WRITE),
    }

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


class InstructionCache(Cache):
    """The cache of the memory of the code."""

    serves: Literal["instruction"] = key("accesses that it serves", default="instruction")


class DataCache(Cache):
    """The cache of the data memory, or of regions."""

    serves: Literal["data"] = key("accesses that it serves: loads", default="data")


class Caches(Section):
    """The caches of a machine."""

    rejected: ClassVar[dict[str, str]] = dict.fromkeys(
        ("data", "l2", "unified"),
        "not modeled: icache, for instructions, and dcache, for loads, are the only caches",
    )

    icache: Annotated[InstructionCache | None, BeforeValidator(none_word)] = key(
        "cache of the instruction memory; with it, core.latency.instruction-waits are those of one "
        "access of a refill, and a hit has none",
        default=None,
    )
    dcache: Annotated[DataCache | None, BeforeValidator(none_word)] = key(
        "cache of the data memory, or of the regions that name it; with it, wait states of a load "
        "are those of one access of a refill, and a hit has none",
        default=None,
    )
