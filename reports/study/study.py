"""``gnomon study``: speedup of a matrix sum and product by the vector unit, as a report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import pandas as pd
from matplotlib.figure import Figure

from gnomon.arch import Architecture, load_architecture
from gnomon.base.errors import GnomonError
from gnomon.base.frames import across, frame, worded
from gnomon.base.units import format_frequency, format_size
from gnomon.cli.study import Overrides, option, study_command
from gnomon.measure.kernels import KernelBench, find_kernel
from gnomon.program import BuildInfo
from gnomon.report.canvas import COLOURS, legend, panels, plain_ticks
from gnomon.report.study import Steps, StudyReport

NAMES = {"add": "sum", "multiply": "product"}
STUDY_KERNELS = ("add", "multiply")
STUDY_SIZES = (4, 6, 8, 10, 12, 16, 20, 24, 28, 32)
STUDY_SIMD = (1, 2, 4, 8)
COLUMNS = (
    "kernel", "n", "variant", "simd", "wall_cycles", "hart_cycles", "instructions_issued",
    "wall_speedup", "hart_speedup", "largest_error", "error_bound",
)  # fmt: skip
PUBLISHED = frame(
    # speedup at SIMD 4; Angioli et al., section 4.2 and figure 8: "all sizes 4..32" for the sum,
    # the two ends for the product
    ("kernel", "n", "published"),
    (("add", 4, 4.0), ("add", 32, 4.0), ("multiply", 4, 6.42), ("multiply", 32, 29.82)),
)
_PUBLISHED_SIMD = 4
_SPEEDUPS = ("wall_speedup", "hart_speedup")


@dataclass(frozen=True, slots=True, eq=False)
class Study:
    """Measured data."""

    machine: Architecture  # with the width of its description
    seed: int  # of the operands
    contracts: tuple[str, ...]  # text of each kernel's result
    build: BuildInfo  # of the first program
    # by kernel, then by SIMD (scalar variants first, with ``simd`` None), then by size. Speedups
    # are cycles of the fastest scalar variant over cycles of this one, by wall clock and by the
    # cycles in which the hart holds the execute stage
    rows: pd.DataFrame


def run_study(
    machine: str, overrides: Sequence[str], *, sizes: Sequence[int], seed: int, progress: Steps
) -> Study:
    """Measure both kernels, each scalar variant and with each SIMD, on n x n matrices.

    Every result is compared bit by bit with its model. Scalar variants run on the unchanged
    machine, as the vector unit does not affect them.
    """
    base = load_architecture(machine, overrides)
    if base.vcu is None:
        raise GnomonError(
            f"{base.name} has no vector unit, whose width the study varies; take a machine with"
            " one, such as t13-simd4"
        )
    measured = [
        (kernel, variant, simd)
        for kernel in map(find_kernel, STUDY_KERNELS)
        for variant in (*(each for each in kernel.variants if not each.vector),
                        kernel.variant("vector"))
        for simd in (STUDY_SIMD if variant.vector else (None,))
    ]  # fmt: skip
    progress.plan(len(measured) * len(sizes))
    rows, runs = [], []
    for kernel, variant, simd in measured:
        width = [] if simd is None else [f"vcu.simd={simd}"]
        bench = KernelBench(kernel, variant, load_architecture(machine, [*overrides, *width]))
        program = bench.build()
        for size in sizes:
            run = bench.measure(kernel.square(size), seed=seed, program=program)
            rows.append((kernel.name, size, run.variant, simd, run.wall_cycles, run.hart_cycles,
                         run.issued, run.error, run.error_bound))  # fmt: skip
            runs.append(run)
            label = variant.name if simd is None else f"SIMD {simd}"
            progress(f"{kernel.name}, {label}, n = {size}")
    contracts = dict.fromkeys(f"{run.kernel}, {run.variant}: {run.contract}" for run in runs)
    table = frame([each for each in COLUMNS if each not in _SPEEDUPS], rows)
    scalar = table[table["simd"].isna()]
    for each in ("wall", "hart"):
        table[f"{each}_speedup"] = _over(scalar, table, f"{each}_cycles")
    return Study(base, seed, tuple(contracts), runs[0].build, table[list(COLUMNS)])


def _over(scalar: pd.DataFrame, rows: pd.DataFrame, cycles: str) -> pd.Series[Any]:
    """Divide cycles of the fastest scalar row of the kernel and size by those of each row."""
    fastest = scalar.groupby(["kernel", "n"])[cycles].min()
    of = pd.MultiIndex.from_frame(rows[["kernel", "n"]])
    return (fastest.loc[of].set_axis(rows.index) / rows[cycles]).astype(object)


def study_report(study: Study) -> StudyReport:
    """Return page, table and figure; the same study gives the same bytes."""
    assert study.machine.vcu is not None
    kernels, sizes = (list(study.rows[name].unique()) for name in ("kernel", "n"))
    narrow, wide = STUDY_SIMD[0], STUDY_SIMD[-1]
    vector = study.rows[study.rows["simd"].notna()]
    cycles = vector.set_index(["kernel", "simd", "n"])["wall_cycles"].to_dict()

    def gain(kernel: str, size: int) -> float:
        return float(cycles[kernel, narrow, size] / cycles[kernel, wide, size])

    rounded = study.rows.assign(
        **{name: study.rows[name].map(partial(round, ndigits=4)) for name in _SPEEDUPS}
    )
    own = vector[vector["simd"] == _PUBLISHED_SIMD]
    rounding = study.rows[study.rows["variant"] == "scalar"]
    compared = own[["kernel", "n"]].assign(
        **{f"here, {each} cycles": _over(rounding, own, f"{each}_cycles")
           for each in ("wall", "hart")},
        **{"over the fastest, wall": own["wall_speedup"]},
    )  # fmt: skip
    facts = {
        "study": study,
        "scratchpad": format_size(study.machine.vcu.scratchpads.size),
        "clock": format_frequency(study.machine.clock),
        "flags": " ".join(flag for flag in study.build.flags if not flag.startswith("-DMEASURE")),
        "tables": [
            (f"Matrix {NAMES[str(kernel)]}", _cycles(rows), _errors(rows))
            for kernel, rows in study.rows.groupby("kernel", sort=False)
        ],
        "size": sizes[-1],
        "least": sizes[0],
        "narrow": narrow,
        "wide": wide,
        "gains": {NAMES[kernel]: gain(kernel, sizes[-1]) for kernel in kernels},
        "small": gain("multiply", sizes[0]),
        "share": 4 * sizes[-1] ** 2 / cycles["add", wide, sizes[-1]],
        "published_simd": _PUBLISHED_SIMD,
        "published": PUBLISHED.merge(compared),
    }
    answer = {"machine": study.machine.name, "rows": rounded.to_dict("records")}
    tables = {"study": rounded}
    return StudyReport(
        Path(__file__).parent, "study", facts, tables, {"study": draw}, answer, results=study.rows
    )


def _cycles(rows: pd.DataFrame) -> pd.DataFrame:
    """Return a row per size: cycles by variant and width, speedups over the fastest scalar."""
    texts = worded(rows, {"wall_cycles": ",", "wall_speedup": ".2f"})
    is_scalar = rows["simd"].isna()
    speedups = (" (" + texts["wall_speedup"] + ")").where(~is_scalar, "")
    return across(
        texts.assign(head=_heads(rows), shown=texts["wall_cycles"] + speedups), "n", "head", "shown"
    )


def _errors(rows: pd.DataFrame) -> pd.DataFrame:
    """Return a row per size: the largest error of each variant; lanes do not change it."""
    own = rows[rows["simd"].isna() | (rows["simd"] == STUDY_SIMD[0])]
    return across(worded(own, {"largest_error": ".2g"}), "n", "variant", "largest_error")


def _heads(rows: pd.DataFrame) -> pd.Series[str]:
    return rows["variant"].where(rows["simd"].isna(), rows["simd"].map(lambda simd: f"SIMD {simd}"))


# Hollow markers of falling size, as curves may lie on each other.
_STYLE: dict[Any, tuple[str, str, int, str]] = {
    None: (COLOURS[0], "s", 4, "fastest scalar"),
    1: (COLOURS[1], "o", 10, "SIMD 1"),
    2: (COLOURS[2], "^", 8, "SIMD 2"),
    4: (COLOURS[3], "D", 5, "SIMD 4"),
    8: (COLOURS[4], "v", 3, "SIMD 8"),
}


def draw(rows: pd.DataFrame) -> Figure:
    """Draw cycles above, speedups below, a column for each kernel."""
    kernels = list(rows["kernel"].unique())
    figure, grid = panels(2, len(kernels), size=(8.0, 6.4), sharex=True)
    for kernel, cycles, speedup in zip(kernels, *grid, strict=True):
        of_kernel = rows[rows["kernel"] == kernel]
        scalar = of_kernel[of_kernel["simd"].isna()]
        fastest = scalar.loc[scalar.groupby("n")["wall_cycles"].idxmin()]
        of_kernel = pd.concat([fastest, of_kernel[of_kernel["simd"].notna()]])
        for simd, own in of_kernel.groupby("simd", sort=False, dropna=False):
            width = None if pd.isna(simd) else simd
            colour, marker, size, label = _STYLE[width]
            line: dict[str, Any] = {"color": colour, "marker": marker, "markersize": size,
                                    "markerfacecolor": "none", "linewidth": 1.2}  # fmt: skip
            sizes = own["n"].tolist()
            cycles.plot(sizes, own["wall_cycles"].tolist(), label=label, **line)
            if width is not None:
                speedup.plot(sizes, own["wall_speedup"].tolist(), **line)
        cycles.set_title(f"matrix {NAMES[kernel]}")
        cycles.set_yscale("log")
        # All sizes have a point; labels only where they do not touch.
        shown = [size for size in sizes if size % 4 == 0] or list(sizes)
        for axes in (cycles, speedup):
            plain_ticks(axes.xaxis, shown)
        speedup.set_ylim(bottom=0)
        speedup.set_xlabel("n (matrices of n x n elements)")
    grid[0][0].set_ylabel("wall cycles")
    grid[1][0].set_ylabel("speedup over the fastest scalar")
    figure.align_ylabels(grid[:, 0])
    legend(figure, grid[0][0], len(_STYLE))
    return figure


_ARCH = "Machine, a name or a YAML file; the study varies its vcu.simd."
Machine = Annotated[str, option("--arch", _ARCH)]
Sizes = Annotated[str | None, option("--sizes N,...", "Matrix sizes.", shown="4 ... 32")]
Seed = Annotated[int, option("--seed", "Seed for random operands.")]


def _run(
    progress: Steps,
    *,
    arch: Machine = "t13-simd4",
    overrides: Overrides = None,
    sizes: Sizes = None,
    seed: Seed = 0,
) -> StudyReport:
    chosen = STUDY_SIZES if sizes is None else _sizes(sizes)
    study = run_study(arch, overrides or (), sizes=chosen, seed=seed, progress=progress)
    return study_report(study)


main = study_command(_run, title="measuring")


def _sizes(text: str) -> tuple[int, ...]:
    words = [word.strip() for word in text.split(",")]
    if not all(word.isascii() and word.isdigit() and int(word) >= 1 for word in words):
        raise GnomonError(f"--sizes takes numbers from 1 up with commas between, not {text!r}")
    return tuple(sorted({int(word) for word in words}))
