"""Our RTL as designs: the kinds of dividers, their benches, and grids of configurations.

A grid is what is synthesized for one file of ``models/area``.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

from gnomon.base.content import content
from gnomon.base.errors import GnomonError, did_you_mean
from gnomon.rtl._bench import Bench
from gnomon.rtl._synthesis import Configuration

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

LANES = (1, 2, 4, 8)
SCRATCHPADS = (1, 2, 3, 4, 5, 6, 7, 8)
"""How many of them a vector unit may have."""

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
    "leading_zeros.sv", "div_rows.sv", "div_digit_r4.sv", "div_restoring.sv",
    "div_combinational.sv", "div_nonrestoring.sv", "div_restoring_r4.sv", "div_early.sv",
    "div_skip.sv", "div_skip_hf.sv", "divider.sv",
)  # fmt: skip
VECTOR_UNIT = (
    "vcu_pkg.svh", "vcu_bank.sv", "vcu_scratchpads.sv", "vcu_adder.sv", "vcu_comparator.sv",
    "vcu_multiplier.sv", "vcu_shifter.sv", "vcu_accumulator.sv", "vcu_check.sv",
    "vcu_accelerator.sv", "vcu_transfer.sv", "vcu.sv",
)  # fmt: skip
# Lanes of the adder and its kin have the same netlist at any width.
_LANE_PARTS = {
    "vcu.adder": "lane_adder",
    "vcu.multiplier": "lane_multiplier",
    "vcu.shifter": "lane_shifter",
    "vcu.comparator": "lane_comparator",
    "vcu.post_scale": "lane_post_scale",
}


def hdl_folder() -> Path:
    """The folder of our SystemVerilog."""
    return content("rtl_tests", "hdl")


def checked_kinds(kinds: Iterable[str]) -> tuple[str, ...]:
    """Names of dividers.

    Raises:
        GnomonError: our RTL does not have one.
    """
    kinds = tuple(kinds)
    for kind in kinds:
        if kind not in DIVIDER_KINDS:
            known = f"{', '.join(DIVIDER_KINDS)}{did_you_mean(kind, DIVIDER_KINDS)}"
            raise GnomonError(f"our RTL has no divider {kind!r} (allowed: {known})")
    return kinds


def divider_sources(folder: Path | None = None) -> tuple[Path, ...]:
    """What one divider is built from, each file after those it uses."""
    return tuple((folder or hdl_folder()) / name for name in _DIVIDER_SOURCES)


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


def vector_divider_bench(
    kind: str, lanes: int, *, zero_as_riscv: int = 0, folder: Path | None = None
) -> Bench:
    """The cocotb bench of the vector division with one divider of this kind per lane."""
    return Bench(
        top="vector_divider",
        sources=(*divider_sources(folder), (folder or hdl_folder()) / "vector_divider.sv"),
        module="rtl_tests.benches.vector_dividers",
        parameters={"KIND": f'"{kind}"', "LANES": lanes, "ZERO_AS_RISCV": zero_as_riscv},
    )


@dataclass(frozen=True, slots=True)
class Grid:
    """Configurations of one file of ``models/area``, and what its parts are."""

    design: str
    note: str
    configurations: tuple[Configuration, ...]


def divider_grid(kinds: Iterable[str] = DIVIDER_KINDS, lanes: Iterable[int] = LANES) -> Grid:
    """Each kind as an engine, as a divider, and in vector divisions of each number of lanes.

    Raises:
        GnomonError: a kind that our RTL does not have, or a number of lanes no machine has.
    """
    kinds, lanes = checked_kinds(kinds), _checked(lanes, LANES, "lanes")
    folder = hdl_folder()
    grid = []
    for kind in kinds:
        top, parameters = divider_engine(kind)
        needed = [each for each in _DIVIDER_SOURCES if each not in {f"{top}.sv", "divider.sv"}]
        machine = {"core.divider": kind}
        grid += [
            Configuration(
                "divider.engine", top, folder, (*needed, f"{top}.sv"),
                {"WIDTH": 32, **parameters}, machine,
            ),
            Configuration(
                "divider", "divider", folder, _DIVIDER_SOURCES, {"KIND": kind}, machine
            ),
        ]  # fmt: skip
    grid += [
        Configuration(
            "vector_divider", "vector_divider", folder, (*_DIVIDER_SOURCES, "vector_divider.sv"),
            {"LANES": number, "KIND": kind}, {"vcu.simd": number, "vcu.divider": kind},
            flat=False,  # lanes are alike: one is enough
        )
        for kind, number in product(kinds, lanes)
    ]  # fmt: skip
    return Grid(
        "dividers",
        "Parts: divider.engine divides magnitudes; divider has signs, results by zero and a"
        " handshake as well; vector_divider is one per lane, with the lock-step around them. It"
        " stands beside vcu.whole of synth-whole-vcu-xc7.csv and shares nothing with it: the two"
        " add up.",
        tuple(grid),
    )


def vector_unit_grid(
    lanes: Iterable[int] = LANES, scratchpads: Iterable[int] = SCRATCHPADS
) -> Grid:
    """The vector unit that all harts share, with each number of lanes and scratchpads.

    Raises:
        GnomonError: a number that no machine has.
    """
    return Grid(
        "vector-unit",
        "The whole vector unit with its scratchpads of 4 KiB and without a divider, to hold the sum"
        " of parts against. No area table takes figures from here.",
        tuple(
            Configuration(
                "vcu.whole", "vcu", hdl_folder(), VECTOR_UNIT,
                {"SIMD": number, "SPM_COUNT": count},
                {"vcu.simd": number, "vcu.sharing": "shared", "vcu.scratchpads.count": count},
            )
            for number, count in _sizes(lanes, scratchpads)
        ),
    )  # fmt: skip


def vector_parts_grid(
    lanes: Iterable[int] = LANES, scratchpads: Iterable[int] = SCRATCHPADS
) -> Grid:
    """The parts that area tables sum up: units of a lane, accumulator, scratchpad interface.

    Raises:
        GnomonError: a number that no machine has.
    """
    sizes = _sizes(lanes, scratchpads)
    folder, source = content("rtl_tests", "area"), ("vector_units.v",)
    parts = [Configuration(name, top, folder, source) for name, top in _LANE_PARTS.items()]
    parts += [
        Configuration(
            "vcu.accumulator", "accumulator", folder, source, {"SIMD": number}, {"vcu.simd": number}
        )
        for number in dict.fromkeys(number for number, _ in sizes)
    ]
    parts += [
        Configuration(
            "scratchpad.interface", "scratchpad_interface", folder, source,
            {"SIMD": number, "COUNT": count, "LANE_BITS": max(1, (number - 1).bit_length())},
            {"vcu.simd": number, "vcu.scratchpads.count": count},
        )
        for number, count in sizes
    ]  # fmt: skip
    return Grid(
        "vector-parts",
        "Units of one lane, the accumulator of all lanes, and what stands between lanes and"
        " scratchpads.",
        tuple(parts),
    )


def _sizes(lanes: Iterable[int], scratchpads: Iterable[int]) -> list[tuple[int, int]]:
    """Every number of lanes with every number of scratchpads."""
    return list(
        product(_checked(lanes, LANES, "lanes"), _checked(scratchpads, SCRATCHPADS, "scratchpads"))
    )


def _checked(numbers: Iterable[int], allowed: Sequence[int], what: str) -> tuple[int, ...]:
    given = tuple(numbers)
    for number in given:
        if number not in allowed:
            names = ", ".join(map(str, allowed))
            raise GnomonError(f"no machine has {number} {what} (allowed: {names})")
    return given
