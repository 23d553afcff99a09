"""The Cortex-M4 and Cortex-A72 cells as a Markdown page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from gnomon.base.frames import frame
from gnomon.base.units import format_frequency, format_size
from gnomon.content.reports.paper.cells import FITTED_D
from gnomon.cost.platforms import documented_cycles
from gnomon.program import ASSEMBLY_TARGETS
from gnomon.report.study import study_page

from .counts import BUILDS
from .evidence import memory_needs, per_operation, published_ratio
from .rows import NOT_FITTING

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from .cells import PlatformCell, PlatformFit
    from .counts import Counted

_BOARD_SIZES = (128 << 10, 320 << 10)  # bytes; STM32L476 and STM32L496
_LONG_US = 100  # from here on printed figures are exact enough to divide
_PARTS = ("whole", "half", "third", "quarter", "fifth", "sixth", "seventh", "eighth", "ninth")


def platforms_markdown(
    fits: Sequence[PlatformFit], counts: Sequence[Counted], selection: pd.DataFrame
) -> str:
    """The page, for the Cortex-M4 and the Cortex-A72 in this order."""
    m4, a72 = fits
    needs = [min(needed) for needed in memory_needs(counts).values()]
    return study_page(
        Path(__file__).parent,
        fits=fits,
        level=m4.platform.optimization,
        d=FITTED_D,
        compiler=counts[0].compiler,
        summary=_summary(fits),
        cells=[_cells(fit) for fit in fits],
        by_size=[_by_size(fit) for fit in fits],
        powers=_powers(fits),
        memory=_memory(counts),
        none_fits_small=min(needs) > _BOARD_SIZES[0],
        none_fits_large=max(needs) > _BOARD_SIZES[1],
        builds=_builds(fits),
        share=[_share(fit.builds["-O2"].documented_ratio) for fit in fits],
        nearest=sorted({_nearest(fit) for fit in fits}),
        operations={fit.platform.name: per_operation(fit) for fit in fits},
        published=published_ratio(m4, a72, documented=False),
        ours=published_ratio(m4, a72, documented=True),
        selection=selection.drop(columns="file").rename(columns={"optimization": "level"}),
        says=_says(fits, counts, selection),
        costs=[_costs(fit) for fit in fits],
        clock_of=format_frequency,
        size_of=format_size,
    )


def _says(
    fits: Sequence[PlatformFit], counts: Sequence[Counted], selection: pd.DataFrame
) -> dict[str, bool]:
    """Whether sentences of the page hold."""
    optimized = {(row.table, row.variant, row.param): row for row in counts if row.build == "-O2"}
    base, throughout = ([fit.builds[name] for fit in fits] for name in ("-O0", "-O0 throughout"))
    pairs = list(zip(throughout, base, strict=True))
    targets = selection[list(ASSEMBLY_TARGETS)]
    most = targets.div(selection["rv32im"], axis=0).to_numpy().max()
    return {
        "optimized_below": all(
            documented_cycles(optimized[cell.key.table, cell.key.variant, cell.key.param].mix,
                              fit.platform).high < cell.published["cycles"]
            for fit in fits
            for cell in fit.known
        ),
        "throughout_nearer": all(a.documented_error < b.documented_error for a, b in pairs),
        "throughout_further": all(a.left_out_error > b.left_out_error for a, b in pairs),
        "same_instructions": bool(most < min(fit.factor for fit in fits)),
        "m4_above": all(
            cell.documented.high < cell.published["cycles"] for cell in fits[0].known
        ),
    }  # fmt: skip


def _nearest(fit: PlatformFit) -> str:
    """The level of the build whose documented cycles are nearest to the published ones."""
    return min(fit.builds, key=lambda name: fit.builds[name].documented_error).partition(" ")[0]


def _share(ratio: float) -> str:
    """A small part in words, such as ``seventh``."""
    return _PARTS[min(round(1 / ratio), len(_PARTS)) - 1]


def _name(cell: PlatformCell) -> str:
    return f"Table {cell.key.table} {cell.key.variant} {cell.key.param_name} = {cell.key.param}"


def _summary(fits: Sequence[PlatformFit]) -> pd.DataFrame:
    rows = []
    for fit in fits:
        factors = [cell.factor for cell in fit.known]
        build = fit.builds[fit.platform.optimization]
        rows.append(
            (fit.platform.name, f"{len(fit.known)}", f"{build.documented_error:.1%}",
             f"**{build.left_out_error:.1%}**", f"{_name(fit.worst)}: {build.left_out_worst:+.1%}",
             f"{min(factors):.3f} to {max(factors):.3f}")
        )  # fmt: skip
    return frame(
        ("", "cells", "nothing fitted: mean error", "one factor, size left out: mean error",
         "worst cell", "factors"),
        rows,
    )  # fmt: skip


def _cells(fit: PlatformFit) -> pd.DataFrame:
    rows = []
    for cell in fit.cells:
        key, interval = cell.key, cell.documented
        head = (str(key.table), key.variant, str(key.param))
        needs = f"{cell.counted.needed_bytes:,}"
        if not cell.fits:
            rows.append((*head, "N.A.", NOT_FITTING, "", "", "", f"**{NOT_FITTING}**", "", needs))
            continue
        published, left_out = cell.published["cycles"], cell.left_out
        assert left_out is not None
        rows.append(
            (*head, f"{published:,}", f"{interval.value:,.0f}",
             f"{interval.low:,.0f} to {interval.high:,.0f}", f"{interval.value / published:.3f}",
             f"{cell.factor:.3f}", f"{left_out.cycles:,.0f}", f"{left_out.ratio:.3f}", needs)
        )  # fmt: skip
    return frame(
        ("table", "variant", "param", "published", "documented", "its interval", "ratio", "factor",
         "left-out", "ratio", "needs, bytes"),
        rows,
    )  # fmt: skip


def _by_size(fit: PlatformFit) -> pd.DataFrame:
    rows = []
    for param in sorted({cell.key.param for cell in fit.known}):
        errors = [c.left_out.ratio - 1 for c in fit.known if c.left_out and c.key.param == param]
        mean = sum(abs(error) for error in errors) / len(errors)
        rows.append((param, len(errors), f"{mean:.1%}", f"{max(errors, key=abs):+.1%}"))
    return frame(("size left out", "cells", "mean error", "worst"), rows)


def _powers(fits: Sequence[PlatformFit]) -> pd.DataFrame:
    rows = []
    for fit in fits:
        powers = [
            1e3 * cell.published["energy"] / cell.published["time"]
            for cell in fit.known
            if cell.published["time"] >= _LONG_US
        ]
        rows.append(
            (fit.platform.name, format_frequency(fit.platform.clock),
             f"{fit.platform.power_mw:,.0f} mW", f"{min(powers):,.1f} to {max(powers):,.1f} mW")
        )  # fmt: skip
    return frame(("", "clock", "power used", "printed energy / printed time"), rows)


def _memory(counts: Sequence[Counted]) -> pd.DataFrame:
    rows = []
    for (variant, param), needed in memory_needs(counts).items():
        verdicts = [
            "fits" if max(needed) <= size else NOT_FITTING if min(needed) > size else "depends"
            for size in _BOARD_SIZES
        ]
        rows.append((f"{variant}, f = {param}", *(f"{size:,}" for size in needed), *verdicts))
    sizes = (f"{format_size(size)} = {size:,}" for size in _BOARD_SIZES)
    return frame(("Table 3", *BUILDS, *sizes), rows)


def _builds(fits: Sequence[PlatformFit]) -> pd.DataFrame:
    return frame(
        ("", "build", "nothing fitted: mean error", "mean ratio to published",
         "one factor: mean error", "worst cell"),
        (
            (fit.platform.name, name, f"{build.documented_error:.1%}",
             f"{build.documented_ratio:.3f}", f"{build.left_out_error:.1%}",
             f"{build.left_out_worst:+.1%}")
            for fit in fits
            for name, build in fit.builds.items()
        ),
    )  # fmt: skip


def _costs(fit: PlatformFit) -> pd.DataFrame:
    return frame(
        ("class", "cycles", "interval", "source"),
        (
            (name, f"{cost.cycles.value:g}", f"{cost.cycles.low:g} to {cost.cycles.high:g}",
             cost.source)
            for name, cost in fit.platform.costs.items()
        ),
    )  # fmt: skip
