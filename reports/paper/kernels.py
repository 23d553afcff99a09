"""Figure 8: kernels of both codes; Figures 9 and 11: speed-ups of learners over std."""

from collections.abc import Mapping, Sequence
from typing import Final

import pandas as pd

from gnomon.arch import load_architecture
from gnomon.base.frames import frame, worded
from gnomon.content.algorithms.linucb_paper.kernels import PAPER_KERNELS, measure_paper_kernel
from gnomon.measure.kernels import FixedPoint, KernelBench, find_kernel
from gnomon.report.study import Steps

from .cells import FITTED_D, LINES, MACHINES, READINGS, VARIANTS
from .cells_page import CELL_COLUMNS
from .published import published_cells, stated_speedup

SEED = 0

# Kernel of the paper code: the tuned one for the same job, and its best scalar variant.
TUNED: Mapping[str, tuple[str, str]] = {
    "add": ("add", "scalar"),
    "multiply": ("multiply", "scalar-sum"),
    "inverse": ("invert-symmetric", "scalar"),
}
MEASURED = ("kernel", "line", "n", "reading", "scalar_cycles", "vector_cycles", "clearing_cycles")


def run_kernels(sizes: Sequence[int], progress: Steps) -> tuple[pd.DataFrame, str]:
    """Measure all kernels, lines and sizes; both codes get the same random operands.

    Returns:
        One row for each and for each reading: cycles until the result is in memory, on the scalar
        core and on the vector unit, and those of either that clear results, which only the paper
        line does. Second, the compiler with its version.
    """
    machines = [load_architecture(name) for name in MACHINES]
    rows: list[tuple[object, ...]] = []
    for name in PAPER_KERNELS:
        kernel_name, scalar_name = TUNED[name]
        kernel = find_kernel(kernel_name)
        variants = [kernel.variant(scalar_name), kernel.variant("vector")]
        benches = (KernelBench(kernel, *pair) for pair in zip(variants, machines, strict=True))
        programs = [(bench, bench.build()) for bench in benches]
        tuned: list[tuple[object, ...]] = []
        for n in progress.over(sizes, f"figure 8, {name}, n = {{}}".format):
            operands = kernel.operands(FixedPoint(), kernel.square(n), SEED)
            runs = [
                measure_paper_kernel(name, machine, operands, vector=machine is machines[1])
                for machine in machines
            ]
            best = [
                bench.measure(kernel.square(n), seed=SEED, program=program)
                for bench, program in programs
            ]
            assert runs[0].clearing_wall_cycles == runs[1].clearing_wall_cycles
            for reading in READINGS:
                clearing = getattr(runs[0], f"clearing_{reading}_cycles")
                ours, other = (
                    [getattr(run, f"{reading}_cycles") for run in of] for of in (runs, best)
                )
                rows.append((name, "paper", n, reading, *ours, clearing))
                tuned.append((name, "tuned", n, reading, *other, 0))
        rows += tuned
    build = best[0].build
    return frame(MEASURED, rows), f"{build.compiler} {build.version}"


def with_speedups(measured: pd.DataFrame) -> pd.DataFrame:
    """Add speed-ups over scalar code: of the same line, without clearing, of the paper's.

    ``published_speedup`` is the text's number, or NaN; ``meaning`` is the text's qualification.
    """
    scalar, vector, clearing = (
        measured[f"{what}_cycles"].astype(float) for what in ("scalar", "vector", "clearing")
    )
    of_paper = measured[measured["line"] == "paper"].set_index(["kernel", "n", "reading"])
    keys = pd.MultiIndex.from_frame(measured[["kernel", "n", "reading"]])
    paper_scalar = of_paper["scalar_cycles"].loc[keys].set_axis(measured.index)
    stated = [stated_speedup(8, kernel, "t13", "vcu", n) for kernel, n, _ in keys]
    published = pd.Series([speedup for speedup, _ in stated], measured.index)
    return measured.assign(
        published_speedup=published,
        speedup=scalar / vector,
        ratio=scalar / vector / published,
        speedup_without_clearing=(scalar - clearing) / (vector - clearing),
        speedup_over_paper_scalar=paper_scalar.astype(float) / vector,
        meaning=[meaning for _, meaning in stated],
    )


def figure8_rows(measured: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of ``figure8.csv``."""
    numbers = ("published_speedup", "speedup", "ratio", "speedup_without_clearing",
               "speedup_over_paper_scalar")  # fmt: skip
    table = with_speedups(measured)
    note = ("the text: " + table["meaning"]).where(table["meaning"] != "", "")
    forms = dict.fromkeys(numbers, ".4f") | {"published_speedup": "g"}
    return worded(table.assign(note=note), forms)[[*MEASURED, *numbers, "note"]]


PLATFORMS = {"t13": "Klessydra-T13", "cortex-m4": "Cortex-M4", "cortex-a72": "Cortex-A72"}
VARIANTS_OF = {9: ("std", "opt"), 11: ("std", "std+vcu", "opt+vcu")}
PLATFORMS_OF = {9: tuple(PLATFORMS), 11: ("t13",)}

_ORDER: Final = (
    *(["platform", tuple(PLATFORMS)], ["d", None], ["line", ("published", *LINES)]),
    *(["variant", VARIANTS], ["param", None], ["reading", ("", *READINGS)]),
)
_COLUMNS = [
    "algorithm", "d", "param_name", "param", "platform", "variant", "line", "reading",
    "published_cycles", "published_speedup", "stated_speedup", "cycles", "speedup", "ratio",
    "note",
]  # fmt: skip


def speedups(figure: int, cells: pd.DataFrame) -> pd.DataFrame:
    """Return all points of a figure: published ones of a table first, then gnomon's by line.

    Speed-ups are over std of the same platform and reading, gnomon's of the paper code.

    Args:
        figure: 9 or 11.
        cells: as of :func:`.cells_page.cells_frame`.

    Returns:
        ``d`` is of a context: of a disjoint learner the size itself, of a hybrid one ours. ``line``
        is ``published``, ``paper`` or ``tuned``, ``reading`` empty if published; ``cycles`` are
        ours, NaN if published or if it cannot run, which ``note`` explains.
    """
    params, printed = set(cells["param"]), published_cells()
    published = frame(
        CELL_COLUMNS,
        (
            (key.table, key.algorithm, key.platform, key.variant, key.param_name, key.param,
             key.param if key.table == 2 else FITTED_D, "published", "", cycles, None, "")
            for key, cycles in printed.items()
            if key.metric == "cycles" and key.platform in PLATFORMS_OF[figure]
            and key.param in params
        ),
    )  # fmt: skip
    table = pd.concat([published, cells])
    table = table[table["variant"].isin(VARIANTS_OF[figure])]
    table = table.rename(columns={"ours": "cycles", "published": "published_cycles"})
    table = _sorted(table.reset_index(drop=True))
    of_std = table[table["variant"] == "std"]
    base = table.merge(
        of_std[of_std["line"] == "published"],
        how="left", on=["table", "platform", "param"], suffixes=("", "_std"),
    )  # fmt: skip
    own = table.merge(
        of_std[of_std["line"] == "paper"],
        how="left", on=["table", "d", "param", "reading"], suffixes=("", "_std"),
    )  # fmt: skip
    keys = table[["algorithm", "platform", "variant", "param"]].itertuples(index=False, name=None)
    return table.assign(
        published_speedup=(base["published_cycles_std"] / base["published_cycles"]).astype(float),
        stated_speedup=[stated_speedup(figure, *key)[0] for key in keys],
        speedup=own["cycles_std"].astype(float) / own["cycles"].astype(float),
    )


def _sorted(table: pd.DataFrame) -> pd.DataFrame:
    """Sort by table, published ones first; then by the columns of ``_ORDER``."""
    keys = pd.DataFrame({"table": table["table"], "ours": table["line"] != "published"})
    for name, order in _ORDER:
        keys[name] = table[name].map(order.index) if order else table[name].astype(int)
    keys.loc[~keys["ours"] | (keys["table"] == 2), "d"] = 0  # a table has one, or the size is it
    order_of = keys.sort_values(list(keys.columns), kind="stable").index
    return table.loc[order_of].reset_index(drop=True)


def speedup_rows(points: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of ``figure9.csv`` and ``figure11.csv``."""
    forms = {"published_speedup": ".4f", "stated_speedup": "g", "speedup": ".4f", "ratio": ".4f"}
    table = points.assign(ratio=points["speedup"] / points["published_speedup"])
    return worded(table, forms)[_COLUMNS]
