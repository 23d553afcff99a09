"""Our divider RTL: which kinds there are, and the bench that holds one against its law."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.content import content
from gnomon.rtl._bench import Bench

if TYPE_CHECKING:
    from pathlib import Path

DIVIDER_KINDS = (
    "restoring_r2",
    "nonrestoring_r2",
    "restoring_r4",
    "unrolled_2",
    "unrolled_4",
    "unrolled_8",
    "combinational",
    "early_clz_r2",
    "early_clz_r4",
    "klessydra_vl_std",
    "klessydra_vl_hf",
    "klessydra_vl_ls",
    "klessydra_vl_hp",
)
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
