"""The memories of a machine, and what happens outside them."""

from __future__ import annotations

from typing import Literal

from pydantic import ValidationInfo, field_validator

from gnomon.arch._address_map import RESERVED, Span, check_apart
from gnomon.arch._model import Section, key
from gnomon.arch._values import Size
from gnomon.base.units import Bytes, format_size

# Ours, to catch a slip before the simulator allocates it.
LARGEST_MEMORY = Bytes(256 * 2**20)


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
        check_apart(region.span("instruction memory"), RESERVED, "base")
        return region

    @field_validator("data")
    @classmethod
    def _data_apart(cls, region: Region, info: ValidationInfo) -> Region:
        others = list(RESERVED)
        if "instruction" in info.data:
            others.append(info.data["instruction"].span("instruction memory"))
        check_apart(region.span("data memory"), others, "base")
        return region
