"""The energy page in words and tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.cost.energy import power_table

from .cells import TABLE_OF
from .classes import POWER, WORDS
from .cross import (
    CONSTANT,
    DIRECTIONS,
    OURS,
    SIZE,
    correlation,
)
from .kernels import KERNEL_SIZE
from .page_tables import (
    cells_table,
    factors_table,
    kernels_table,
    models_table,
    operands_table,
    scalar_table,
    split_table,
    vector_table,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .factors import Factor
    from .measure import EnergyStudy

_EVEN = 0.05
"""Percentage points of error that count as equal."""

_HEAD = """\
# Energy

Made by `gnomon report energy`; how the model works, and its limits:
[docs/energy.md](../../docs/energy.md).

- The published T13 power is *dynamic* power of core and memories, from switching activity after
  implementation. So the constant part of our model is clock and idle switching, not leakage.
  Static power is not published. It is **not included** in any figure here.
- Power = clock power + energy per toggle x toggles per second. Toggles: what our compiled programs
  execute x switching activity measured on the public RTL (`models/activity/`). The two parameters
  are fitted to published powers (`models/power/`, made by `make models`).
- The published energy is power x time, its time that of hart cycles: we print both readings, hart
  (the published kind) and wall.
"""

_CROSS = """\
## Tables 2 and 3, each predicted from the other

Mean power of the 16 T13 cells of a table, by models calibrated on the 16 of the other table. Which
models to compare was fixed before the comparison; the last three rows of each direction show what
ours hangs on and were looked at afterwards.
"""

_EVIDENCE = """\
### Evidence

![Published power over our activity](power.svg)

- Correlation of published power and our activity: {two:+.2f} in Table 2, {three:+.2f} in Table 3.
  In Table 2 the vector variants switch most and the published power of std+vcu is the lowest
  beside std. So a fit to Table 2 gives a toggle no energy at all, a fit to Table 3
  {slope:.1f} pJ. The two tables disagree on the sign of the effect.
- Within a variant the published power grows with the size, by up to 17 % (Table 3, std). In std and
  std+vcu our activity rises with it (correlation above 0.9 in all four columns). In opt and opt+vcu
  it does not: in opt of Table 2 it falls slightly, in opt of Table 3 it is level. Growing operands
  or growing memories would do it; the publication does not tell. The offsets between the columns
  are what no activity of ours explains.
- Of all 32 cells together (`models/power/t13.yaml`): {clock:.1f} mW
  [{clock_low:.0f}, {clock_high:.0f}] and {toggle:.2f} pJ per toggle
  [{toggle_low:.1f}, {toggle_high:.1f}]; leave-one-out error {loo:.1f} mW rms. {identified}
- Printing whole µJ and µs leaves up to {rounding:.1f} mW open in the smallest cells.
"""

_LIMITS = """\
## What these figures do not hold

- Static power; the power of anything outside core and memories.
- How clock power depends on the machine. One clock power holds for all of them: that of the
  published design with a vector unit of SIMD 4. A wider unit has more flip-flops, a T13 without a
  vector unit fewer; nothing published says how much. So a comparison between widths shows time and
  switching only.
- How memories contribute: their accesses are in the clock power or in the price of a toggle.
- Any measurement of ours: activity is of RTL nets, not of the circuit after implementation.
"""

_CELLS = """\
## All 32 cells

Energy in µJ of one selection and one update. Power in mW: published (energy over time), ours with
its 95 % interval, the best constant and the size slope of the same calibration. A star marks an
activity outside that of the calibration.
"""

_SPLIT = """\
### Where the error of the energy comes from

The ratio of energies is the ratio of times x the ratio of powers. Mean of |ratio - 1| over the 16
cells of each table, and the cell where it is largest:
"""

_FIGURES = """\
## Figures 10 and 12

![Energy reduction factors](figures10-12.svg)

Energy of a variant over that of std. T13: hart time x predicted power; the other platforms: our
cells of [reports/paper/platforms.md](../paper/platforms.md). All points:
[figures10-12.csv](figures10-12.csv).
"""

_INSTRUCTIONS = """\
## Energy per instruction

By `models/power/t13.yaml`, in nJ. One price holds for a toggle of any unit, as the powers do not
tell units apart; so the split between instructions is that of the measured toggles. Switching in
all cycles of the slot, with one active hart those of the two sleeping harts included; clock: clock
power x these cycles. *sparse* and *dense* are operand values ({operands}).
"""

_VECTOR = """\
### Vector instructions and transfers of {words} words

Switching alone, in nJ, dense operands, one active hart; in brackets one word more. Cycles of the
vector unit that other code overlaps are not charged here. A star marks an estimate. Lanes buy time,
not switching: the energy of a word hardly depends on SIMD.
"""

_KERNELS = """\
## Energy of kernels

n = {size} (matrices {size} x {size}), Q16.15, random operands of the kernel's range priced as
*dense*; machine `t13`, with the vector unit `t13-paper-simdN`. Energy in µJ with its interval;
then mean power in mW and energy-delay product in µJ µs. A star marks an extrapolation: the activity
lies outside that of the published cells, and nothing published checks the power.

![Energy of kernels](kernels.svg)
"""

_ROWS = """\
All rows: [instructions.csv](instructions.csv), [vector-instructions.csv](vector-instructions.csv),
[kernels.csv](kernels.csv); the cells are in [reports/paper/cells.csv](../paper/cells.csv).
"""

_OPERANDS = """\
## What the operand values do

Toggles per cycle and mean power in mW of the same cells for other operand values, by
`models/power/t13.yaml` (fitted with *sparse*). hamming-N is the finer model: consecutive operands
differ in N of 32 bits. With one active hart the slots of the sleeping harts stand between an
instruction and the next, so N matters less than what the values are; that is why 0 is not zeros.
"""


def energy_page(study: EnergyStudy, factors: Sequence[Factor]) -> str:
    """The page; the same study gives the same text."""
    table = power_table(POWER)
    toggle = table.groups[0]
    sets = "sparse: 16 % of the way from zeros to random q15 values, dense: 67 %"
    unknown = "; ".join(table.not_identified) or "all parameters"
    return "\n".join(
        [
            _HEAD,
            _CROSS,
            models_table(study),
            *verdict(study),
            "",
            _EVIDENCE.format(
                two=correlation(study.cells, 2),
                three=correlation(study.cells, 3),
                slope=power_table(TABLE_OF[3]).groups[0].value,
                clock=table.clock.value,
                clock_low=table.clock.low,
                clock_high=table.clock.high,
                toggle=toggle.value,
                toggle_low=toggle.low,
                toggle_high=toggle.high,
                loo=table.leave_one_out.rms_mw,
                identified=f"What the data do not identify: {unknown}.",
                rounding=max(cell.rounding_mw for cell in study.cells),
            ),
            _CELLS,
            cells_table(study),
            _SPLIT,
            split_table(study),
            _FIGURES,
            factors_table(factors),
            _INSTRUCTIONS.format(operands=sets),
            scalar_table(study),
            _VECTOR.format(words=WORDS),
            vector_table(study),
            _KERNELS.format(size=KERNEL_SIZE),
            kernels_table(study),
            _OPERANDS,
            operands_table(study),
            _LIMITS,
            _ROWS,
        ]
    )


def verdict(study: EnergyStudy) -> list[str]:
    """Whether ours beats the constant, in words; equal within 0.05 points is not better."""
    lines = []
    better = 0
    for fitted, predicted in DIRECTIONS:
        ours, constant, size = (
            study.prediction(model, fitted).errors for model in (OURS, CONSTANT, SIZE)
        )
        gap = constant.mean_percent - ours.mean_percent
        better += gap > _EVEN
        word = "better than" if gap > _EVEN else "equal to" if gap >= -_EVEN else "worse than"
        lines.append(
            f"- Table {predicted} from Table {fitted}: ours is {word} the best constant"
            f" ({ours.mean_percent:.2f} % against {constant.mean_percent:.2f} %; size slope"
            f" {size.mean_percent:.2f} %)."
        )
    if better == len(DIRECTIONS):
        lines.append("\n**Ours beats the constant in both directions.**")
    else:
        lines.append(
            "\n**Ours does not beat the constant in both directions: as a predictor of mean power"
            " the comparison failed.** Activity adds nothing to a constant on this data. It is used"
            " here for what the powers cannot give: how energy splits between instructions and"
            " units, with intervals that say how little is known."
        )
    return lines
