"""Area rows of our RTL: the grid of configurations, and the file they make."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gnomon.errors import GnomonError, did_you_mean
from gnomon.rtl._dividers import (
    DIVIDER_KINDS,
    divider_engine,
    divider_sources,
    hdl_folder,
    vector_divider_sources,
)
from gnomon.rtl._synthesis import Configuration, synthesise
from gnomon.rtl._tools import Tool, yosys

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

LANES = (1, 2, 4, 8)
VECTOR_KINDS = ("restoring_r2", "klessydra_vl_std")
"""Dividers of the vector divisions of the default grid: the smallest, and that of the machines."""

SCRATCHPADS = (1, 2, 3, 4, 5, 6, 7, 8)
"""How many of them a vector unit may have."""

_VECTOR_UNIT = (
    "vcu_pkg.svh", "vcu_bank.sv", "vcu_scratchpads.sv", "vcu_adder.sv", "vcu_comparator.sv",
    "vcu_multiplier.sv", "vcu_shifter.sv", "vcu_accumulator.sv", "vcu_check.sv",
    "vcu_accelerator.sv", "vcu_transfer.sv", "vcu.sv",
)  # fmt: skip
_HEAD = """\
# Made by `gnomon rtl area` from rtl_tests/hdl. Synthesis estimates: counts of a synthesis tool,
# neither placed nor routed. models/README.md has the columns. Parts: `divider.engine` divides
# magnitudes; `divider` has signs, results by zero and a handshake as well; `vector_divider` is one
# per lane, with the lock-step around them; `vcu.whole` is the vector unit with its scratchpads of
# 4 KiB and without a divider.
"""
_COLUMNS = ("part", "conditions", "lut", "ff", "dsp", "bram", "design", "tool")


@dataclass(frozen=True, slots=True)
class AreaRow:
    """Counts of one configuration: a synthesis estimate."""

    part: str
    conditions: str
    lut: float
    ff: float
    dsp: float
    bram: float
    design: str
    tool: str

    def to_json(self) -> dict[str, str | float]:
        """Plain data under the names of the columns."""
        return {name: getattr(self, name) for name in _COLUMNS}


def divider_configurations(
    kinds: Iterable[str] = DIVIDER_KINDS,
    vector_kinds: Iterable[str] = VECTOR_KINDS,
    lanes: Iterable[int] = LANES,
) -> tuple[Configuration, ...]:
    """Each kind as an engine and as a divider, and each vector kind with each number of lanes.

    Raises:
        GnomonError: a kind that our RTL does not have, or a number of lanes no machine has.
    """
    for kind in (*kinds, *vector_kinds):
        if kind not in DIVIDER_KINDS:
            near = did_you_mean(kind, DIVIDER_KINDS)
            known = ", ".join(DIVIDER_KINDS)
            raise GnomonError(f"our RTL has no divider {kind!r} (allowed: {known}{near})")
    _check_numbers(lanes, LANES, "lanes")
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
        for kind in vector_kinds
        for number in lanes
    ]  # fmt: skip
    return tuple(grid)


def vector_unit_configurations(
    lanes: Iterable[int] = LANES, scratchpads: Iterable[int] = (4,)
) -> tuple[Configuration, ...]:
    """The vector unit that all harts share, with each number of lanes and scratchpads.

    Raises:
        GnomonError: a number that no machine has.
    """
    _check_numbers(lanes, LANES, "lanes")
    _check_numbers(scratchpads, SCRATCHPADS, "scratchpads")
    return tuple(
        Configuration(
            "vcu.whole", "vcu", hdl_folder(), _VECTOR_UNIT, {"SIMD": number, "SPM_COUNT": count},
            {"vcu.simd": number, "vcu.sharing": "shared", "vcu.scratchpads.count": count},
        )
        for number in lanes
        for count in scratchpads
    )  # fmt: skip


def _check_numbers(numbers: Iterable[int], allowed: Sequence[int], what: str) -> None:
    for number in numbers:
        if number not in allowed:
            names = ", ".join(map(str, allowed))
            raise GnomonError(f"no machine has {number} {what} (allowed: {names})")


def _needed(sources: Sequence[str], top: str) -> tuple[str, ...]:
    return tuple(name for name in sources if name not in {f"{top}.sv", "divider.sv"})


def area_rows(
    grid: Sequence[Configuration],
    *,
    tool: Tool | None = None,
    done: Callable[[str], None] = lambda _: None,
) -> tuple[AreaRow, ...]:
    """Synthesise a grid, one row each; ``done`` is called with every design.

    Raises:
        GnomonError: there is no yosys, or it refuses a design.
    """
    tool = tool or yosys()
    rows = []
    for configuration in grid:
        counts = synthesise(configuration, tool)
        conditions = " ".join(f"{key}={value}" for key, value in configuration.conditions.items())
        rows.append(
            AreaRow(
                configuration.part, conditions, counts["lut"], counts["ff"], counts["dsp"],
                counts["bram"], configuration.design,
                f"yosys {tool.version} {configuration.command}",
            )
        )  # fmt: skip
        done(configuration.design)
    return tuple(rows)


def area_csv(rows: Iterable[AreaRow]) -> bytes:
    """Rows as ``models/area`` keeps them."""
    lines = [",".join(_COLUMNS)]
    for row in rows:
        counts = ",".join(f"{getattr(row, name):g}" for name in ("lut", "ff", "dsp", "bram"))
        lines.append(f"{row.part},{row.conditions},{counts},{row.design},{row.tool}")
    return (_HEAD + "\n".join(lines) + "\n").encode()
