"""Our divider RTL: which kinds there are, and the bench that holds one against its law."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.base.content import content
from gnomon.rtl._bench import Bench

if TYPE_CHECKING:
    from pathlib import Path

# The engine of each kind and its parameters, as divider.sv chooses them; a test compares.
_ENGINES: dict[str, tuple[str, dict[str, int]]] = {
    "restoring_r2": ("div_restoring", {}),
    "nonrestoring_r2": ("div_nonrestoring", {}),
    "restoring_r4": ("div_restoring_r4", {}),
    "unrolled_2": ("div_restoring", {"BITS_PER_CYCLE": 2}),
    "unrolled_4": ("div_restoring", {"BITS_PER_CYCLE": 4}),
    "unrolled_8": ("div_restoring", {"BITS_PER_CYCLE": 8}),
    "combinational": ("div_combinational", {}),
    "early_clz_r2": ("div_early", {}),
    "early_clz_r4": ("div_early", {"BITS_PER_CYCLE": 2}),
    "klessydra_vl_std": ("div_skip", {}),
    "klessydra_vl_hf": ("div_skip_hf", {}),
    "klessydra_vl_ls": ("div_skip", {"MOST_SKIP": 7}),
    "klessydra_vl_hp": ("div_skip", {"SURE_SUBTRACT": 1}),
}

DIVIDER_KINDS = tuple(_ENGINES)
"""The rows of ``models/dividers/laws.yaml`` that ``divider.sv`` can be."""

_DIVIDER_SOURCES = (
    "leading_zeros.sv",
    "div_rows.sv",
    "div_digit_r4.sv",
    "div_restoring.sv",
    "div_combinational.sv",
    "div_nonrestoring.sv",
    "div_restoring_r4.sv",
    "div_early.sv",
    "div_skip.sv",
    "div_skip_hf.sv",
    "divider.sv",
)


def hdl_folder() -> Path:
    """The folder of our SystemVerilog."""
    return content("rtl_tests", "hdl")


def divider_sources(folder: Path | None = None) -> tuple[Path, ...]:
    """What one divider is built from, each file after those it uses."""
    folder = folder or hdl_folder()
    return tuple(folder / name for name in _DIVIDER_SOURCES)


def divider_engine(kind: str) -> tuple[str, dict[str, int]]:
    """The module that divides magnitudes, and its parameters besides the width."""
    return _ENGINES[kind]


def divider_bench(kind: str, width_bits: int = 32, folder: Path | None = None) -> Bench:
    """The cocotb bench of one kind; ``folder``: SystemVerilog other than ours."""
    return Bench(
        top="divider",
        sources=divider_sources(folder),
        module="rtl_tests.benches.dividers",
        parameters={"KIND": f'"{kind}"', "WIDTH": width_bits},
    )


def vector_divider_sources(folder: Path | None = None) -> tuple[Path, ...]:
    """What the vector division is built from."""
    folder = folder or hdl_folder()
    return (*divider_sources(folder), folder / "vector_divider.sv")


def vector_divider_bench(
    kind: str, lanes: int, *, zero_as_riscv: int = 0, folder: Path | None = None
) -> Bench:
    """The cocotb bench of the vector division with one divider of this kind per lane."""
    return Bench(
        top="vector_divider",
        sources=vector_divider_sources(folder),
        module="rtl_tests.benches.vector_dividers",
        parameters={"KIND": f'"{kind}"', "LANES": lanes, "ZERO_AS_RISCV": zero_as_riscv},
    )
