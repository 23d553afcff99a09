"""``gnomon report platforms``: Tables 2 and 3 on the Cortex-M4 and the Cortex-A72."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from gnomon.base.content import find
from gnomon.base.files import read_text, write_files
from gnomon.base.frames import csv_text, frame, worded
from gnomon.base.units import format_frequency, format_size
from gnomon.cli.study import Json, Out, Pages
from gnomon.content.reports.paper.cells import FITTED_D
from gnomon.content.reports.paper.cells_page import merged_cells
from gnomon.program import ASSEMBLY_TARGETS
from gnomon.report.study import default_out, finish, steps_progress, study_page

from . import cells as boards
from .counts import BUILDS, run_counts, run_selection

_BOARD_SIZES = (128 << 10, 320 << 10)  # bytes; STM32L476 and STM32L496
_LONG_US = 100  # from here on printed figures are exact enough to divide
_PARTS = ("whole", "half", "third", "quarter", "fifth", "sixth", "seventh", "eighth", "ninth")


def platforms_markdown(
    fits: Sequence[boards.PlatformFit], counts: pd.DataFrame, selection: pd.DataFrame
) -> str:
    """Return the page, for the Cortex-M4 and the Cortex-A72 in this order."""
    m4, a72 = fits
    least = boards.memory_needs(counts).min(axis=1)
    return study_page(
        Path(__file__).parent,
        fits=fits,
        d=FITTED_D,
        compiler=counts["compiler"].iloc[0],
        summary=_summary(fits),
        cells=[_cells(fit) for fit in fits],
        by_size=[_by_size(fit) for fit in fits],
        powers=_powers(fits),
        memory=_memory(counts),
        none_fits=[least.min() > _BOARD_SIZES[0], least.max() > _BOARD_SIZES[1]],
        builds=_builds(fits),
        share=[_share(fit.builds["documented_ratio"]["-O2"]) for fit in fits],
        nearest=sorted({_nearest(fit) for fit in fits}),
        operations={fit.platform.name: boards.per_operation(fit) for fit in fits},
        published=boards.cycles_ratio(m4, a72, "cycles"),
        ours=boards.cycles_ratio(m4, a72, "documented"),
        selection=selection.drop(columns="file").rename(columns={"optimization": "level"}),
        says=_says(fits, counts, selection),
        costs=[_costs(fit) for fit in fits],
        clock_of=format_frequency,
        size_of=format_size,
    )


def _says(
    fits: Sequence[boards.PlatformFit], counts: pd.DataFrame, selection: pd.DataFrame
) -> dict[str, bool]:
    optimized = [
        boards.priced(fit.platform, counts[counts["build"] == "-O2"]).dropna() for fit in fits
    ]
    builds = [fit.builds.T for fit in fits]
    targets = selection[list(ASSEMBLY_TARGETS)]
    most = targets.div(selection["rv32im"], axis=0).to_numpy().max()
    nearer, further = (
        all(each["-O0 throughout"][name] < each["-O0"][name] for each in builds)
        for name in ("documented_error", "left_out_error")
    )
    return {
        "optimized_below": all((each["high"] < each["cycles"]).all() for each in optimized),
        "throughout_nearer": nearer,
        "throughout_further": not further,
        "same_instructions": bool(most < min(fit.factor for fit in fits)),
        "m4_above": bool((fits[0].known["high"] < fits[0].known["cycles"]).all()),
    }


def _nearest(fit: boards.PlatformFit) -> str:
    """Return the level of the build whose documented cycles are nearest to the published ones."""
    return str(fit.builds["documented_error"].astype(float).idxmin()).partition(" ")[0]


def _share(ratio: float) -> str:
    """Return a small part as text, such as ``seventh``."""
    return _PARTS[min(round(1 / ratio), len(_PARTS)) - 1]


def _summary(fits: Sequence[boards.PlatformFit]) -> pd.DataFrame:
    rows = []
    for fit in fits:
        known, build = fit.known, fit.builds.loc[fit.platform.build.optimization]
        off = (known["left_out_ratio"] - 1).abs()
        worst = known[off == off.max()].iloc[-1]
        name = f"Table {worst['table']} {worst['variant']} {worst['param_name']} = {worst['param']}"
        rows.append({
            "": fit.platform.name,
            "cells": f"{len(known)}",
            "nothing fitted: mean error": f"{build['documented_error']:.1%}",
            "one factor, size left out: mean error": f"**{build['left_out_error']:.1%}**",
            "worst cell": f"{name}: {build['left_out_worst']:+.1%}",
            "factors": f"{known['factor'].min():.3f} to {known['factor'].max():.3f}",
        })  # fmt: skip
    return pd.DataFrame(rows)


def _cells(fit: boards.PlatformFit) -> pd.DataFrame:
    forms = {
        **dict.fromkeys(("cycles", "documented", "low", "high", "left_out"), ",.0f"),
        **dict.fromkeys(("ratio", "factor", "left_out_ratio"), ".3f"),
        "needed_bytes": ",",
    }
    texts = worded(fit.cells, forms)
    texts = texts.assign(interval=texts["low"] + " to " + texts["high"])
    none = ~texts["fits"]
    texts.loc[none, "cycles"] = "N.A."
    texts.loc[none, ["interval", "ratio", "factor", "left_out_ratio"]] = ""
    texts.loc[none, ["documented", "left_out"]] = boards.NOT_FITTING, f"**{boards.NOT_FITTING}**"
    columns = (
        "table", "variant", "param", "cycles", "documented", "interval", "ratio", "factor",
        "left_out", "left_out_ratio", "needed_bytes",
    )  # fmt: skip
    heads = ("table", "variant", "param", "published", "documented", "its interval", "ratio",
             "factor", "left-out", "ratio", "needs, bytes")  # fmt: skip
    return frame(heads, texts[list(columns)].itertuples(index=False))


def _by_size(fit: boards.PlatformFit) -> pd.DataFrame:
    off = (fit.known["left_out_ratio"] - 1).groupby(fit.known["param"])
    return frame(
        ("size left out", "cells", "mean error", "worst"),
        ((param, len(own), f"{own.abs().mean():.1%}", f"{max(own, key=abs):+.1%}")
         for param, own in off),
    )  # fmt: skip


def _powers(fits: Sequence[boards.PlatformFit]) -> pd.DataFrame:
    rows = []
    for fit in fits:
        long, platform = fit.known[fit.known["time"] >= _LONG_US], fit.platform
        mw = 1e3 * long["energy"] / long["time"]
        rows.append((platform.name, format_frequency(platform.clock.value),
                     f"{platform.power.value_mw:,.0f} mW",
                     f"{mw.min():,.1f} to {mw.max():,.1f} mW"))  # fmt: skip
    return frame(("", "clock", "power used", "printed energy / printed time"), rows)


def _memory(counts: pd.DataFrame) -> pd.DataFrame:
    needs = boards.memory_needs(counts)

    def verdict(needed: Sequence[int], size: int) -> str:
        if max(needed) <= size:
            return "fits"
        return boards.NOT_FITTING if min(needed) > size else "depends"

    sizes = (f"{format_size(size)} = {size:,}" for size in _BOARD_SIZES)
    return frame(
        ("Table 3", *BUILDS, *sizes),
        (
            (f"{variant}, f = {param}", *(f"{needed:,}" for needed in of_builds),
             *(verdict(of_builds, size) for size in _BOARD_SIZES))
            for (param, variant), *of_builds in needs[list(BUILDS)].itertuples()
        ),
    )  # fmt: skip


def _builds(fits: Sequence[boards.PlatformFit]) -> pd.DataFrame:
    heads = {
        "documented_error": "nothing fitted: mean error",
        "documented_ratio": "mean ratio to published",
        "left_out_error": "one factor: mean error",
        "left_out_worst": "worst cell",
    }
    forms = dict(zip(heads, (".1%", ".3f", ".1%", "+.1%"), strict=True))
    table = pd.concat({fit.platform.name: worded(fit.builds, forms) for fit in fits})
    return table.rename(columns=heads).rename_axis(["", "build"]).reset_index()


def _costs(fit: boards.PlatformFit) -> pd.DataFrame:
    return frame(
        ("class", "cycles", "interval", "source"),
        (
            (name, f"{cost.cycles:g}", f"{cost.interval.low:g} to {cost.interval.high:g}",
             cost.source)
            for name, cost in fit.platform.cost_of.items()
        ),
    )  # fmt: skip


COUNTS, SELECTION = "platform-mixes.csv", "platform-functions.csv"


def main(*, pages: Pages = False, out: Out = None, as_json: Json = False) -> None:
    """Count, compile and write; the cells go into the table of the paper's report."""
    if pages:
        folder = find("reports", "paper").folder
        counts, selection = (pd.read_csv(folder / name) for name in (COUNTS, SELECTION))
    else:
        with steps_progress("counting") as progress:
            counts = run_counts(progress)
        selection = run_selection()
    finish({}, write_platforms(counts, selection, out or default_out("paper")), as_json=as_json)


def write_platforms(
    counts: pd.DataFrame, selection: pd.DataFrame, folder: Path
) -> tuple[Path, ...]:
    """Write counts and page into a folder, and the platform lines into its ``cells.csv``."""
    fits = [boards.fit_platform(name, counts) for name in boards.PLATFORMS]
    cells = folder / "cells.csv"
    before = read_text(cells) if cells.exists() else ""
    merged = merged_cells(
        before, boards.platform_rows(fits), lambda row: row["platform"] in boards.PLATFORMS
    )
    files = {
        "cells.csv": merged,
        COUNTS: csv_text(counts),
        SELECTION: csv_text(selection),
        "platforms.md": platforms_markdown(fits, counts, selection),
    }
    return write_files(folder, files)
