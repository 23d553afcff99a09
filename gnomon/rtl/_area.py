"""Area rows of our RTL: what one is, how a grid of configurations becomes rows, and a file."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gnomon.rtl._synthesis import synthesise
from gnomon.rtl._tools import Tool, yosys

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from gnomon.rtl._grids import Grid

_HEAD = """\
# Made by `gnomon rtl area --design {design}`. Synthesis estimates: counts of a synthesis tool,
# neither placed nor routed. models/README.md has the columns.
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


def area_rows(
    grid: Grid,
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
    for configuration in grid.configurations:
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


def area_csv(grid: Grid, rows: Iterable[AreaRow]) -> bytes:
    """Rows of a grid as ``models/area`` keeps them; its note stands above them as comments."""
    lines = [",".join(_COLUMNS)]
    for row in rows:
        counts = ",".join(f"{getattr(row, name):g}" for name in ("lut", "ff", "dsp", "bram"))
        lines.append(f"{row.part},{row.conditions},{counts},{row.design},{row.tool}")
    above = "".join(f"# {line}\n" for line in textwrap.wrap(grid.note, 97))
    return (_HEAD.format(design=grid.design) + above + "\n".join(lines) + "\n").encode()
