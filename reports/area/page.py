"""The area page in words and tables."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from .measure import BASE
from .tables import energy_table, kernels_table, least_at, machines_table

if TYPE_CHECKING:
    from .measure import AreaStudy

_HEAD = """\
# Area

Made by `gnomon report area`; where the figures are from, and how parts are counted:
[docs/area.md](../../docs/area.md).

- LUT, flip-flops, DSP and BRAM on a Xilinx 7-series FPGA. No area of a Klessydra vector unit is
  published: the core is a published figure, units and dividers are counts of a synthesis tool
  before placement, the rest are estimates. The last column says how much of the LUT stands on what.
- Intervals add up over parts. They are those of one machine; the common parts of two machines are
  off together.
- {not_included}

![LUT by part](machines.svg)
"""

_BASE = """\
Tables below the first: `{base}` with one key changed.
"""

_KERNELS = """\
## Area x time

![Time and area of kernels](kernels.svg)

Kernels of 16 x 16 (or 16) elements, one hart, at the clock of the machine files (100 MHz for all;
no clock follows from these figures). LUT x time over that of scalar code on the core *without* a
vector unit; below 1 the vector unit saves more time than it takes area. All vector machines have
a divider in each lane, whether a kernel divides or not; memory blocks do not count here. *Least
at*: which of the five machines has the least product, and whether it stays so with all areas at
their low or high ends.
{count} of the {all} kernels keep their best machine over the interval.
"""

_ENERGY = """\
## Energy x time

Energy-delay product over that of scalar code, by the same runs; energy by
[reports/energy](../energy/energy.md), with its limits: one clock power for all widths.
"""

_FILES = """\
All figures: [machines.csv](machines.csv), [parts.csv](parts.csv), [kernels.csv](kernels.csv).
"""

_TITLES = {
    "width": "## Width",
    "sharing": "## Sharing between three harts",
    "divider": "## Divider of each lane",
    "scratchpads": "## Number of scratchpads",
}


def area_page(study: AreaStudy) -> str:
    """The page as Markdown."""
    found = study.machines[0].area
    left_out = textwrap.fill(f"Not included: {found.not_included}.", 98, subsequent_indent="  ")
    parts = [_HEAD.format(not_included=left_out)]
    for group, title in _TITLES.items():
        parts += [title + "\n", machines_table(study.machines, group)]
        if group == "width":
            parts.append(_BASE.format(base=BASE))
    steady = 0
    for name in study.names():
        points = [study.scalar(name), *study.vector(name)]
        steady += len({least_at(points, end) for end in ("value", "low", "high")}) == 1
    parts += [
        _KERNELS.format(count=steady, all=len(study.names())),
        kernels_table(study),
        _ENERGY,
        energy_table(study),
        _FILES,
    ]
    return "\n".join(parts)
