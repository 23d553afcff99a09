"""The page of the study: what was measured, with what, and what the numbers say."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from gnomon.base.frames import frame
from gnomon.base.units import format_frequency, format_size
from gnomon.report.study import study_page

from .measure import STUDY_SIMD

if TYPE_CHECKING:
    from .measure import Study

PUBLISHED = (
    # kernel, n, speedup at SIMD 4; Angioli et al., section 4.2 and figure 8: "all sizes 4..32"
    # for the sum, the two ends for the product
    ("add", 4, 4.0),
    ("add", 32, 4.0),
    ("multiply", 4, 6.42),
    ("multiply", 32, 29.82),
)
_PUBLISHED_SIMD = 4
NAMES = {"add": "sum", "multiply": "product"}


def page(study: Study) -> str:
    """The page as Markdown."""
    assert study.machine.vcu is not None
    sizes = sorted(study.rows["n"].unique())
    narrow, wide = STUDY_SIMD[0], STUDY_SIMD[-1]
    cycles = study.rows.set_index(["kernel", "simd", "n"])["wall_cycles"].to_dict()

    def gain(kernel: str, size: int) -> float:
        return float(cycles[kernel, narrow, size] / cycles[kernel, wide, size])

    return study_page(
        Path(__file__).parent,
        study=study,
        scratchpad=format_size(study.machine.vcu.scratchpads.size),
        clock=format_frequency(study.machine.clock),
        flags=" ".join(flag for flag in study.build.flags if not flag.startswith("-DMEASURE")),
        tables=[
            (f"Matrix {NAMES[str(kernel)]}", _cycles(rows))
            for kernel, rows in study.rows.groupby("kernel", sort=False)
        ],
        size=sizes[-1],
        least=sizes[0],
        narrow=narrow,
        wide=wide,
        gains={NAMES[kernel]: gain(kernel, sizes[-1]) for kernel in study.rows["kernel"].unique()},
        small=gain("multiply", sizes[0]),
        share=4 * sizes[-1] ** 2 / cycles["add", wide, sizes[-1]],
        published_simd=_PUBLISHED_SIMD,
        published=_published(study.rows),
    )


def _cycles(rows: pd.DataFrame) -> pd.DataFrame:
    """A row for each size: cycles by width, and speedups over scalar."""
    columns: dict[str, list[str]] = {"n": [str(n) for n in rows["n"].unique()]}
    for simd, cycles, speedup in rows[["simd", "wall_cycles", "wall_speedup"]].itertuples(
        index=False, name=None
    ):
        head = "scalar" if simd is None else f"SIMD {simd}"
        shown = f"{cycles:,}" if simd is None else f"{cycles:,} ({speedup:.2f})"
        columns.setdefault(head, []).append(shown)
    return pd.DataFrame(columns)


def _published(rows: pd.DataFrame) -> pd.DataFrame:
    published = frame(("kernel", "n", "published"), PUBLISHED)
    own = rows.loc[rows["simd"] == _PUBLISHED_SIMD, ["kernel", "n", "wall_speedup", "hart_speedup"]]
    heads = {"wall_speedup": "here, wall cycles", "hart_speedup": "here, hart cycles"}
    return published.merge(own).rename(columns=heads)
