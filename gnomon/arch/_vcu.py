"""The vector unit and its scratchpads."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, ValidationInfo, field_validator

from gnomon.arch._address_map import Span
from gnomon.arch._model import ProblemAt, Section, key
from gnomon.arch._problems import shown
from gnomon.arch._quirks import VcuQuirks
from gnomon.arch._values import Size, TableName, names_tuple, whole_number
from gnomon.errors import did_you_mean
from gnomon.units import Bytes, format_size

# Ours: a wide margin over the 4 KiB of the reference runs.
LARGEST_SCRATCHPAD = Bytes(16 * 2**20)
# Additions to the vector instructions of the public RTL. None is modelled yet.
VCU_EXTENSIONS: tuple[str, ...] = ()


class Scratchpads(Section):
    """The memories of the vector unit."""

    count: int = key(
        "number of scratchpads, SPM_NUM in the RTL",
        unit="scratchpads",
        why="the RTL checks addresses right for 4 only",
        ge=1,
        le=8,
    )
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

    simd: Annotated[Literal[1, 2, 4, 8], BeforeValidator(whole_number)] = key(
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
    extensions: Annotated[tuple[str, ...], BeforeValidator(names_tuple)] = key(
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
