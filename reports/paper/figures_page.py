"""The figures as tables of numbers and as a page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from math import isclose
from pathlib import Path
from typing import Any

import pandas as pd

from gnomon.base.files import Content, write_files
from gnomon.base.frames import csv_text, worded
from gnomon.content.reports.linucb.tables import published
from gnomon.report.canvas import render
from gnomon.report.page import render_markdown

from .cells import FITTED_D, LINES, READINGS
from .cells_page import tuned_hybrid_growth
from .figures import BUDGET, BYTES, DISJOINT, HYBRID, SHOWN_D, Figures, savings, with_python
from .kernels import PLATFORMS, PLATFORMS_OF, figure8_rows, speedup_rows, speedups, with_speedups
from .pictures import KERNEL_TITLES, figure8_picture, memory_picture, speedups_picture
from .published import ARMS

_LAST = 32
"""Size of most published numbers; what they mean is said where it was measured."""
_NUMBERS = ("static", "select", "update", "peak stack", "together")
_LANES = 4
_AS_STATED = 0.05
"""Part by which a speed-up may be off the published one to count as it."""


def write_figures(figures: Figures, folder: Path) -> tuple[Path, ...]:
    """Write page, tables and pictures into a folder; the same results give the same bytes."""
    points = {n: speedups(n, figures.cells) for n in (9, 11)}
    every = with_python(figures.memory, figures.python)
    files: dict[str, Content] = {
        "figures.md": page(figures, points, every),
        "figure8.csv": csv_text(figure8_rows(figures.kernels)),
        **{f"figure{n}.csv": csv_text(speedup_rows(points[n])) for n in points},
        "figure2-4.csv": csv_text(figures.memory),
        "figure2-4-python.csv": csv_text(figures.python),
        "figure8": render(figure8_picture, with_speedups(figures.kernels), with_values=True),
        **{f"figure{n}": render(speedups_picture, points[n], with_values=True) for n in points},
        "figure2-4": render(memory_picture, every, with_values=True),
    }
    return write_files(folder, files)


def page(figures: Figures, points: dict[int, pd.DataFrame], every: pd.DataFrame) -> str:
    stated = published()["value"]
    claims = {name: stated[f"memory_saving_{name}"] for name in ("disjoint", "hybrid")}
    kernels = with_speedups(figures.kernels)
    saved: Any = savings(every).xs(ARMS, level="arms")
    is_full = _LAST in figures.size.grid
    return render_markdown(
        Path(__file__).parent,
        "figures.md.j2",
        {
            "made": figures,
            "last": _kernel_facts(kernels),
            **_kernel_tables(kernels),
            "figures": {n: _figure(n, points[n]) for n in points},
            "other_scalar": _other_cycles(points[9]),
            "other_vector": _other_cycles(points[11]),
            "tuned_growth": tuned_hybrid_growth(figures.cells),
            "claims": {name: f"{claim:g}" for name, claim in claims.items()},
            "budget": BUDGET,
            "shown_d": SHOWN_D,
            "numbers": _NUMBERS,
            "bytes_disjoint": _bytes(every[every["learner"] == DISJOINT]),
            "bytes_hybrid": _bytes(every[every["learner"].eq(HYBRID) & every["d"].eq(SHOWN_D)]),
            "savings_disjoint": _savings(saved.loc[DISJOINT]),
            "savings_hybrid": _savings(saved.loc[HYBRID]),
            "memory": _memory_facts(every, saved, claims) if is_full else None,
            "refusals": _refusals(figures.memory),
        },
    )


def _kernel_tables(kernels: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return Figure 8 next to the text, cycles and speed-ups: a row per kernel and size."""
    wide: Any = kernels.pivot(index=["kernel", "n"], columns=["line", "reading"])  # noqa: PD010
    wide = wide.reindex(kernels[["kernel", "n"]].drop_duplicates().apply(tuple, axis=1))

    def shown(heads: Sequence[str], columns: Iterable[object], form: str) -> pd.DataFrame:
        texts = wide[list(columns)].astype(float).set_axis(heads, axis=1)
        texts = worded(texts, dict.fromkeys(heads, form))
        texts.insert(0, "kernel", [KERNEL_TITLES[kernel] for kernel, _ in wide.index])
        texts.insert(1, "n", [n for _, n in wide.index])
        return texts

    lines = list(product(LINES, READINGS))
    over_paper = [("speedup_over_paper_scalar", "tuned", reading) for reading in READINGS]
    of_paper = [(column, "paper", "hart") for column in ("published_speedup", "speedup", "ratio")]
    of_paper.append(("speedup", "paper", "wall"))
    of_paper += [("speedup_without_clearing", "paper", reading) for reading in READINGS]
    heads = ("published", "paper code, hart", "ratio", "wall", "hart, without clearing",
             "wall, without clearing")  # fmt: skip
    beside = shown(heads, of_paper, ".2f")
    meaning = wide["meaning", "paper", "hart"]
    up_to = meaning.str.startswith("up to").map({True: "up to ", False: ""})
    beside["published"] = up_to + wide["published_speedup", "paper", "hart"].map("{:g}".format)
    return {
        "beside": beside[meaning != ""],
        "cycles": shown(
            ("paper scalar, hart", "vector, hart", "scalar, wall", "vector, wall",
             "tuned scalar, hart", "vector, hart ", "scalar, wall ", "vector, wall "),
            ((f"{unit}_cycles", *each) for each in lines for unit in ("scalar", "vector")),
            ",.0f",
        ),
        "speedups": shown(
            ("paper, hart", "paper, wall", "tuned, hart", "tuned, wall",
             "tuned vector over paper scalar, hart", "the same, wall"),
            (*(("speedup", *each) for each in lines), *over_paper),
            ".2f",
        ),
    }  # fmt: skip


def _kernel_facts(kernels: pd.DataFrame) -> dict[str, Any] | None:
    """Return the facts of Figure 8, if the published sizes were measured."""
    if kernels["n"].max() != _LAST:
        return None
    paper: Any = kernels[kernels["line"] == "paper"].set_index(["kernel", "n", "reading"])
    both = paper[["speedup", "speedup_without_clearing"]].rename(
        columns={"speedup": "", "speedup_without_clearing": " without it"}
    )
    readings = both.unstack("reading")  # noqa: PD010 - levels of the index
    readings.columns = [f"{reading} cycles{end}" for end, reading in readings.columns]
    stated = paper["published_speedup"].astype(float).xs("hart", level="reading")

    def place(kernel: str, n: int) -> str:
        ours = both.loc[kernel, n, "hart"]
        if stated[kernel, n] < ours.min():
            return "below both of gnomon's,"
        return "above both of gnomon's," if stated[kernel, n] > ours.max() else "between gnomon's"

    lanes = [
        name
        for name in readings
        if all(isclose(one, _LANES, rel_tol=_AS_STATED) for one in readings.loc["add", name])
    ]
    of_sum, of_product = (paper.loc[name, _LAST, "hart"] for name in ("add", "multiply"))
    ends = [(n, place("multiply", n)) for n in (4, _LAST)]
    off = (readings.loc["inverse", _LAST] - stated["inverse", _LAST]).abs()
    return {
        "n": _LAST,
        "add_clearing": of_sum["clearing_cycles"] / of_sum["vector_cycles"],
        "row": (of_product["vector_cycles"] - of_product["clearing_cycles"]) / _LAST**2,
        "mac": (of_product["scalar_cycles"] - of_product["clearing_cycles"]) / _LAST**3,
        "lanes_reading": lanes[0] if lanes else "",
        "product": ends,
        "one_region": len({where for _, where in ends}) == 1,
        "inverse": place("inverse", _LAST),
        "nearest": off.idxmin(),
    }


def _other_cycles(points: pd.DataFrame) -> pd.Series[float] | None:
    """Return the part of the wall cycles of tuned programs that are not hart cycles."""
    tuned = points[points["line"].eq("tuned") & points["cycles"].notna()]
    keys = ["algorithm", "d", "param", "variant"]
    cycles = tuned.pivot(index=keys, columns="reading", values="cycles")  # noqa: PD010
    return 1 - cycles["hart"] / cycles["wall"] if len(cycles) else None


def _figure(figure: int, points: pd.DataFrame) -> dict[str, Any]:
    tuned = set(points.loc[points["line"] == "tuned", "algorithm"])
    return {
        **{str(name).lower(): _table(figure, of) for name, of in points.groupby("algorithm")},
        "stated": _stated(points),
        "missing": [name for name in points["algorithm"].unique() if name not in tuned],
        "notes": [note for note in points["note"].unique() if note],
    }


def _table(figure: int, points: pd.DataFrame) -> pd.DataFrame:
    """Return cycles and speed-ups of one algorithm, a row for each size and variant."""
    others = [platform for platform in PLATFORMS_OF[figure] if platform != "t13"]
    titles = ["published", *(PLATFORMS[other] for other in others)]
    titles += [f"{line} code, {reading}" for line in LINES for reading in READINGS]

    def cells(of: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
        return of.pivot_table("shown", keys, "title", aggfunc="first")

    points = points.assign(title=points.apply(_title, axis=1), shown=points.apply(_shown, axis=1))
    is_published = points["line"] == "published"
    every = points[["d", "param", "variant"]].drop_duplicates()
    own = cells(points[~is_published], ["d", "param", "variant"])
    # The published count has only one d; it appears next to each d of gnomon's.
    printed = cells(points[is_published], ["param", "variant"])
    table = every.merge(own.reset_index()).merge(printed.reset_index(), how="left")
    name = points["param_name"].iloc[0]
    sizes = _sizes(table.assign(f="" if name == "d" else table["param"]))
    return table.assign(size=sizes).reindex(columns=["size", "variant", *titles]).fillna("")


def _title(point: pd.Series[Any]) -> str:
    if point["line"] != "published":
        return f"{point['line']} code, {point['reading']}"
    return "published" if point["platform"] == "t13" else PLATFORMS[point["platform"]]


def _shown(point: pd.Series[Any]) -> str:
    if point["line"] == "published":
        factor = f"{point['published_speedup']:.2f}"
        is_t13 = point["platform"] == "t13"
        return f"{point['published_cycles']:,} ({factor})" if is_t13 else factor
    if point["note"]:
        return "none"
    cycles = f"{point['cycles']:,}"
    # The tuned Hybrid learner solves another problem, so its quotient is no speed-up.
    is_other = point["line"] == "tuned" and point["algorithm"] == "Hybrid"
    return cycles if is_other else f"{cycles} ({point['speedup']:.2f})"


def _stated(points: pd.DataFrame) -> pd.DataFrame:
    """Return the text's numbers, those of its own table and gnomon's, in hart cycles."""
    is_shown = points["algorithm"].eq("Disjoint") | points["d"].eq(FITTED_D)
    ours = points[points["line"].eq("paper") & points["reading"].eq("hart") & is_shown]
    keys = ["algorithm", "platform", "variant", "param"]
    printed = points[points["line"].eq("published") & points["stated_speedup"].notna()]
    table = printed.merge(ours[[*keys, "speedup"]], "left", keys, suffixes=("_", ""))
    numbers = {
        "text": table["stated_speedup"],
        "table": table["published_speedup"],
        "paper code, hart": table["speedup"],
        "ratio": table["speedup"] / table["stated_speedup"],
    }
    table["size"] = table["param_name"] + " = " + table["param"].astype(str)
    table = table.assign(platform=table["platform"].map(PLATFORMS), **numbers)
    return worded(table, dict.fromkeys(numbers, ".2f"))[
        ["algorithm", "platform", "variant", "size", *numbers]
    ]


def _bytes(every: pd.DataFrame) -> pd.DataFrame:
    own = every[every["arms"] == ARMS].sort_values(["d", "f"], kind="stable")
    fits = own["refusal"].map(lambda refusal: "**no**" if refusal else "yes")
    table = own.rename(columns=dict(zip(BYTES, _NUMBERS, strict=True)))
    table = table.assign(size=_sizes(own), **{BUDGET: fits.where(own["line"] != "NumPy", "")})
    table = worded(table, dict.fromkeys(_NUMBERS, ",.0f"), missing="not run")
    return table[["size", "line", "variant", *_NUMBERS, BUDGET]]


def _savings(saved: pd.DataFrame) -> pd.DataFrame:
    """Return peaks of the standard program less those of the optimized one."""
    heads = ("NumPy: select", "larger", "scalar: select", "larger ", "vector: select", "larger  ",
             "to tuned: select", "larger   ")  # fmt: skip
    table = saved.drop(columns="update", level=1).set_axis(heads, axis=1)
    table = worded(table, dict.fromkeys(heads, ",.0f"))
    table.insert(0, "size", _sizes(table.index.to_frame()))
    return table


def _memory_facts(every: pd.DataFrame, saved: Any, claims: dict[str, float]) -> dict[str, Any]:
    """Return the facts of Figures 2 and 4, full size."""
    scalar = saved["scalar"].dropna()
    hybrid = scalar.loc[HYBRID]
    ends = scalar.loc[DISJOINT].droplevel("f").loc[[16, 32]].astype(int)
    known = ends[["larger", "select"]].to_numpy()
    less, more = scalar["select"] > 0, scalar["update"] < 0
    return {
        "shift": bool(less.all() and more.all()),
        "selects_less": int(less.sum()),
        "updates_more": int(more.sum()),
        "sizes": len(scalar),
        "larger": ends["larger"].to_dict(),
        "select": ends["select"].to_dict(),
        "between": known.min() <= claims["disjoint"] * 1000 <= known.max(),
        "hybrid_more": int((hybrid["select"] > claims["hybrid"] * 1000).sum()),
        "hybrid_grows": int((hybrid["larger"] <= 0).sum()),
        "hybrid_sizes": len(hybrid),
        "numpy_grows": bool((saved.loc[HYBRID]["NumPy", "larger"] <= 0).all()),
        "tuned_bytes": int(every.loc[every["line"] == "tuned", "stack_bytes"].max()),
    }


def _refusals(memory: pd.DataFrame) -> pd.DataFrame:
    own = memory[memory["refusal"] != ""]
    sizes = [f"{size}, N = {arms}" for size, arms in zip(_sizes(own), own["arms"], strict=True)]
    table = own.assign(size=sizes, static=own["static_bytes"], together=own["total_bytes"])
    table = table.rename(columns={"refusal": "what it says"})
    table = worded(table, {"static": ",", "together": ","}, missing="not run")
    return table[["learner", "size", "line", "variant", "static", "together", "what it says"]]


def _sizes(table: pd.DataFrame) -> list[str]:
    return [f"d = {d}" + (f", f = {f}" if f else "")
            for d, f in zip(table["d"], table["f"], strict=True)]  # fmt: skip
