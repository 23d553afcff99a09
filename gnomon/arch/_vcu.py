"""The vector unit and its scratchpads."""

from typing import Annotated, Literal

from pydantic import BeforeValidator, ValidationInfo, field_validator

from gnomon.arch._quirks import MorphQuirks, VcuQuirks
from gnomon.arch._spans import Span
from gnomon.arch._values import PostScale, Size
from gnomon.arch.dividers import Divider
from gnomon.arch.dividers.section import (
    DividerTable,
    check_divider_table,
    check_wide,
    resolve_divider,
    selected_divider,
)
from gnomon.arch.operands import LatencyModel
from gnomon.base.errors import allowed_hint
from gnomon.base.schema import ProblemAt, Section, key, names_tuple, none_word, whole_number
from gnomon.base.units import Bytes, format_size
from gnomon.base.yaml import shown

# gnomon's limit: far above the 4 KiB of the reference runs.
LARGEST_SCRATCHPAD = Bytes(16 * 2**20)
# Additions to the vector instructions of the public RTL.
VCU_EXTENSIONS = ("kdiv", "kps", "kdivps")
_DIVIDING = ("kdiv", "kdivps")


class Scratchpads(Section):
    """The memories of the vector unit."""

    count: int = key(
        "number of scratchpads, SPM_NUM in the RTL",
        unit="scratchpads",
        why="the RTL checks addresses correctly for 4 only",
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
        "vector instructions beyond those of the public RTL: kdiv = division and remainder; kps = "
        "products with a post-scale; kdivps = division of a shifted dividend, a proposal of gnomon",
        default=(),
        allowed=f"a list of {' | '.join(VCU_EXTENSIONS)}",
    )
    divider_table: Annotated[DividerTable | None, BeforeValidator(none_word)] = key(
        "cycles of a user-defined divider, with vcu.divider table", default=None
    )
    divider: str | None = key(
        "divider in each lane, by its name in the table of dividers; the public T13x has none",
        default=None,
        allowed=", ".join([*Divider.by_name(), "none"]),
        validate_default=True,
    )
    divide_by_zero: Literal["zero", "riscv"] = key(
        "result of a vector division by zero: zero = quotient and remainder 0, as the Morph RTL; "
        "riscv = -1 and the dividend, as the scalar core",
        default="zero",
    )
    postscale_shift: PostScale = key(
        "right shift of the post-scaled products: 15 in the Morph RTL; mpsclfac = value of the CSR",
        unit="bits",
        default=15,
        allowed="0 to 31, mpsclfac",
    )
    quirks: VcuQuirks = key(
        "deviations of the RTL from the meaning of its instructions", default_factory=VcuQuirks
    )
    morph_quirks: MorphQuirks = key(
        "deviations of the public Morph RTL from the meaning of vector division and post-scaled "
        "products",
        default_factory=MorphQuirks,
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
        for position, name in enumerate(extensions):
            if name not in VCU_EXTENSIONS:
                raise ValueError(
                    f"{shown(name)} is not an extension {allowed_hint(name, VCU_EXTENSIONS)}"
                )
            if name in extensions[:position]:
                raise ValueError(f"{shown(name)} is listed twice")
        return extensions

    def lane_latency(self) -> LatencyModel | None:
        """Return the latency model of the divider of each lane, if there is one."""
        if self.divider is None:
            return None
        return selected_divider(self.divider, self.divider_table).lane

    @field_validator("divider", mode="before")
    @classmethod
    def _divider_of_extensions(cls, divider: object, info: ValidationInfo) -> object:
        divider = none_word(divider)
        extensions = info.data.get("extensions")
        if extensions is None:
            return divider
        dividing = [name for name in extensions if name in _DIVIDING]
        if not dividing:
            if divider is not None:
                raise ValueError(
                    f"must be none, not {shown(divider)}: no vector instruction here divides "
                    f"(vcu.extensions names neither of {', '.join(_DIVIDING)})"
                )
            if info.data.get("divider_table") is not None:
                raise ValueError("no vector instruction here divides; remove vcu.divider_table")
            return None
        if divider is None:
            known = ", ".join(Divider.by_name())
            raise ValueError(f"vcu.extensions {', '.join(dividing)} needs one (allowed: {known})")
        name = resolve_divider(divider)
        if "kdivps" in dividing:
            check_wide(name)
        if "divider_table" in info.data:
            check_divider_table("vcu", name, info.data["divider_table"])
        return name

    @field_validator("divide_by_zero")
    @classmethod
    def _zero_needs_division(cls, rule: str, info: ValidationInfo) -> str:
        if rule != "zero" and "kdiv" not in info.data.get("extensions", ("kdiv",)):
            raise ValueError(f"{rule} needs kdiv in vcu.extensions")
        return rule

    @field_validator("postscale_shift")
    @classmethod
    def _shift_needs_products(cls, shift: int | str, info: ValidationInfo) -> int | str:
        if shift != 15 and "kps" not in info.data.get("extensions", ("kps",)):
            raise ValueError(f"{shift} needs kps in vcu.extensions")
        return shift

    @field_validator("morph_quirks")
    @classmethod
    def _quirks_of_extensions(cls, quirks: MorphQuirks, info: ValidationInfo) -> MorphQuirks:
        extensions = info.data.get("extensions")
        for name, present in quirks:
            needed = "kps" if name.startswith("postscale") else "kdiv"
            if present and extensions is not None and needed not in extensions:
                raise ProblemAt(name, f"must be false without {needed} in vcu.extensions")
        return quirks
