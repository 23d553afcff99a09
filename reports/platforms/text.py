"""The Cortex-M4 and Cortex-A72 cells as a Markdown page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.base.units import format_frequency, format_size
from gnomon.content.reports.paper.cells import FITTED_D

from . import words
from .counts import BUILDS
from .evidence import memory_needs, per_operation, published_ratio
from .rows import NOT_FITTING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .cells import PlatformCell, PlatformFit
    from .counts import Counted
    from .selection import Selection

_BOARD_SIZES = (128 << 10, 320 << 10)  # bytes; STM32L476 and STM32L496
_LONG_US = 100  # from here on printed figures are exact enough to divide


def platforms_markdown(
    fits: Sequence[PlatformFit], counts: Sequence[Counted], selection: Sequence[Selection]
) -> str:
    """The page, for the Cortex-M4 and the Cortex-A72 in this order."""
    m4, a72 = fits
    published = published_ratio(m4, a72, documented=False)
    ours = published_ratio(m4, a72, documented=True)
    program = words.PROGRAM.format(
        builds=_builds(fits),
        operations="\n".join(_operations(fit) for fit in fits),
        low=published[0],
        high=published[1],
        our_low=ours[0],
        our_high=ours[1],
        m4_factor=m4.factor,
        a72_factor=a72.factor,
        selection=_selection(selection),
    )
    parts = [
        words.HEAD.format(level=m4.platform.optimization, d=FITTED_D, compiler=counts[0].compiler),
        _summary(fits),
        *(f"## {fit.platform.title}\n\n{_cells(fit)}\n{_by_size(fit)}" for fit in fits),
        words.ENERGY.format(table=_powers(fits)),
        words.MEMORY.format(table=_memory(counts)),
        program,
        "## Costs\n",
        *(_costs(fit) for fit in fits),
        "## Calibration\n",
        "What `models/platforms/*.yaml` says, from all published cells:\n",
        *(_calibration(fit) for fit in fits),
        words.COUNTS,
    ]
    return "\n".join(parts)


def _table(head: str, align: str, rows: Sequence[str]) -> str:
    return "\n".join([f"| {head} |", f"|{align}|", *(f"| {row} |" for row in rows)])


def _name(cell: PlatformCell) -> str:
    return f"Table {cell.key.table} {cell.key.variant} {cell.key.param_name} = {cell.key.param}"


def _summary(fits: Sequence[PlatformFit]) -> str:
    rows = []
    for fit in fits:
        factors = [cell.factor for cell in fit.known]
        build = fit.builds[fit.platform.optimization]
        rows.append(
            f"{fit.platform.name} | {len(fit.known)} | {build.documented_error:.1%} |"
            f" **{build.left_out_error:.1%}** | {_name(fit.worst)}: {build.left_out_worst:+.1%} |"
            f" {min(factors):.3f} to {max(factors):.3f}"
        )
    head = (
        "| cells | nothing fitted: mean error | one factor, size left out: mean error |"
        " worst cell | factors"
    )
    return _table(head, "---|---:|---:|---:|---|---", rows) + "\n"


def _cells(fit: PlatformFit) -> str:
    rows = []
    for cell in fit.cells:
        key, interval = cell.key, cell.documented
        head = f"{key.table} | {key.variant} | {key.param}"
        needs = f"{cell.counted.needed_bytes:,}"
        if not cell.fits:
            rows.append(f"{head} | N.A. | {NOT_FITTING} | | | | **{NOT_FITTING}** | | {needs}")
            continue
        published, left_out = cell.published["cycles"], cell.left_out
        assert left_out is not None
        rows.append(
            f"{head} | {published:,} | {interval.value:,.0f} |"
            f" {interval.low:,.0f} to {interval.high:,.0f} | {interval.value / published:.3f} |"
            f" {cell.factor:.3f} | {left_out.cycles:,.0f} | {left_out.ratio:.3f} | {needs}"
        )
    head = (
        "table | variant | param | published | documented | its interval | ratio | factor |"
        " left-out | ratio | needs, bytes"
    )
    return _table(head, "---:|---|" + "|".join(["---:"] * 9), rows) + "\n"


def _by_size(fit: PlatformFit) -> str:
    rows = []
    for param in sorted({cell.key.param for cell in fit.known}):
        errors = [c.left_out.ratio - 1 for c in fit.known if c.left_out and c.key.param == param]
        mean = sum(abs(error) for error in errors) / len(errors)
        rows.append(f"{param} | {len(errors)} | {mean:.1%} | {max(errors, key=abs):+.1%}")
    table = _table("size left out | cells | mean error | worst", "---:|---:|---:|---:", rows)
    return f"{table}\n"


def _powers(fits: Sequence[PlatformFit]) -> str:
    rows = []
    for fit in fits:
        powers = [
            1e3 * cell.published["energy"] / cell.published["time"]
            for cell in fit.known
            if cell.published["time"] >= _LONG_US
        ]
        rows.append(
            f"{fit.platform.name} | {format_frequency(fit.platform.clock)} |"
            f" {fit.platform.power_mw:,.0f} mW | {min(powers):,.1f} to {max(powers):,.1f} mW"
        )
    head = "| clock | power used | printed energy / printed time"
    return _table(head, "---|---:|---:|---:", rows)


def _memory(counts: Sequence[Counted]) -> str:
    rows = []
    for (variant, param), needed in memory_needs(counts).items():
        verdicts = [
            "fits" if max(needed) <= size else NOT_FITTING if min(needed) > size else "depends"
            for size in _BOARD_SIZES
        ]
        figures = " | ".join(f"{size:,}" for size in needed)
        rows.append(f"{variant}, f = {param} | {figures} | {' | '.join(verdicts)}")
    sizes = " | ".join(f"{format_size(size)} = {size:,}" for size in _BOARD_SIZES)
    head = f"Table 3 | {' | '.join(BUILDS)} | {sizes}"
    return _table(head, "---|" + "---:|" * len(BUILDS) + "---|---", rows)


def _builds(fits: Sequence[PlatformFit]) -> str:
    rows = [
        f"{fit.platform.name} | {name} | {build.documented_error:.1%} |"
        f" {build.documented_ratio:.3f} | {build.left_out_error:.1%} | {build.left_out_worst:+.1%}"
        for fit in fits
        for name, build in fit.builds.items()
    ]
    head = (
        "| build | nothing fitted: mean error | mean ratio to published | one factor: mean error |"
        " worst cell"
    )
    return _table(head, "---|---|---:|---:|---:|---:", rows)


def _operations(fit: PlatformFit) -> str:
    fitted = per_operation(fit)
    return (
        f"| {fit.platform.name} | {fitted.product:,.0f} | {fitted.division:,.0f} |"
        f" {fitted.step:,.0f} | {fitted.error:.1%} |"
    )


def _selection(selection: Sequence[Selection]) -> str:
    targets = list(selection[0].instructions)
    rows = [
        f"{row.function} | {row.optimization} | "
        + " | ".join(str(row.instructions[target]) for target in targets)
        for row in selection
    ]
    head = f"function | level | {' | '.join(targets)}"
    return _table(head, "---|---|" + "|".join(["---:"] * len(targets)), rows)


def _costs(fit: PlatformFit) -> str:
    platform = fit.platform
    title = (
        f"{platform.name}, {format_frequency(platform.clock)}, {platform.power_mw:,.0f} mW,"
        f" {format_size(platform.memory)}; cycles:\n"
    )
    rows = [
        f"{name} | {cost.cycles.value:g} | {cost.cycles.low:g} to {cost.cycles.high:g} |"
        f" {cost.source}"
        for name, cost in platform.costs.items()
    ]
    table = _table("class | cycles | interval | source", "---|---:|---|---", rows)
    return f"{title}\n{table}\n"


def _calibration(fit: PlatformFit) -> str:
    low, high = fit.left_out_range
    lines = [
        f"`{fit.platform.name}.yaml`\n",
        "```yaml",
        "calibration:",
        f"  factor: {fit.factor:.3f}",
        f"  optimization: {fit.platform.optimization}",
        f"  left_out_low: {low:.3f}",
        f"  left_out_high: {high:.3f}",
        "```\n",
    ]
    return "\n".join(lines)
