"""The grids of configurations that are synthesised for ``models/area``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gnomon.base.content import content
from gnomon.base.errors import GnomonError, did_you_mean
from gnomon.rtl._dividers import (
    DIVIDER_KINDS,
    divider_engine,
    divider_sources,
    hdl_folder,
    vector_divider_sources,
)
from gnomon.rtl._synthesis import Configuration

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

LANES = (1, 2, 4, 8)
SCRATCHPADS = (1, 2, 3, 4, 5, 6, 7, 8)
"""How many of them a vector unit may have."""

_VECTOR_UNIT = (
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
    kinds = tuple(kinds)
    for kind in kinds:
        if kind not in DIVIDER_KINDS:
            near = did_you_mean(kind, DIVIDER_KINDS)
            known = ", ".join(DIVIDER_KINDS)
            raise GnomonError(f"our RTL has no divider {kind!r} (allowed: {known}{near})")
    lanes = _checked(lanes, LANES, "lanes")
    folder = hdl_folder()
    alone = tuple(path.name for path in divider_sources())
    grid = []
    for kind in kinds:
        top, parameters = divider_engine(kind)
        grid.append(
            Configuration(
                "divider.engine", top, folder, (*_needed(alone, top), f"{top}.sv"),
                {"WIDTH": 32, **parameters}, {"core.divider": kind},
            )
        )  # fmt: skip
        grid.append(
            Configuration(
                "divider", "divider", folder, alone, {"KIND": kind}, {"core.divider": kind}
            )
        )
    vector = tuple(path.name for path in vector_divider_sources())
    grid += [
        Configuration(
            "vector_divider", "vector_divider", folder, vector, {"LANES": number, "KIND": kind},
            {"vcu.simd": number, "vcu.divider": kind},
            flat=False,  # lanes are alike: one is enough
        )
        for kind in kinds
        for number in lanes
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
    lanes = _checked(lanes, LANES, "lanes")
    scratchpads = _checked(scratchpads, SCRATCHPADS, "scratchpads")
    return Grid(
        "vector-unit",
        "The whole vector unit with its scratchpads of 4 KiB and without a divider, to hold the sum"
        " of parts against. No area table takes figures from here.",
        tuple(
            Configuration(
                "vcu.whole", "vcu", hdl_folder(), _VECTOR_UNIT,
                {"SIMD": number, "SPM_COUNT": count},
                {"vcu.simd": number, "vcu.sharing": "shared", "vcu.scratchpads.count": count},
            )
            for number in lanes
            for count in scratchpads
        ),
    )  # fmt: skip


def vector_parts_grid(
    lanes: Iterable[int] = LANES, scratchpads: Iterable[int] = SCRATCHPADS
) -> Grid:
    """The parts that area tables sum up: units of a lane, accumulator, scratchpad interface.

    Raises:
        GnomonError: a number that no machine has.
    """
    lanes = _checked(lanes, LANES, "lanes")
    scratchpads = _checked(scratchpads, SCRATCHPADS, "scratchpads")

    def part(
        name: str, module: str, given: dict[str, int], machine: dict[str, int]
    ) -> Configuration:
        folder = content("rtl_tests", "area")
        return Configuration(name, module, folder, ("vector_units.v",), given, machine)

    interfaces = [
        part(
            "scratchpad.interface", "scratchpad_interface",
            {"SIMD": number, "COUNT": count, "LANE_BITS": max(1, (number - 1).bit_length())},
            {"vcu.simd": number, "vcu.scratchpads.count": count},
        )
        for number in lanes
        for count in scratchpads
    ]  # fmt: skip
    return Grid(
        "vector-parts",
        "Units of one lane, the accumulator of all lanes, and what stands between lanes and"
        " scratchpads.",
        (
            *(part(name, module, {}, {}) for name, module in _LANE_PARTS.items()),
            *(
                part("vcu.accumulator", "accumulator", {"SIMD": number}, {"vcu.simd": number})
                for number in lanes
            ),
            *interfaces,
        ),
    )


def _checked(numbers: Iterable[int], allowed: Sequence[int], what: str) -> tuple[int, ...]:
    given = tuple(numbers)
    for number in given:
        if number not in allowed:
            names = ", ".join(map(str, allowed))
            raise GnomonError(f"no machine has {number} {what} (allowed: {names})")
    return given


def _needed(sources: Sequence[str], top: str) -> tuple[str, ...]:
    return tuple(name for name in sources if name not in {f"{top}.sv", "divider.sv"})
