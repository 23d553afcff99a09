"""The page of the study: what was measured, with what, and what the numbers say."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from gnomon.base.frames import frame
from gnomon.base.units import format_frequency, format_size
from gnomon.report.study import study_page

if TYPE_CHECKING:
    import pandas as pd

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
    build = study.rows[0].run.build
    sizes = sorted({row.size for row in study.rows})
    narrow, wide = study.widths[0], study.widths[-1]
    cycles = {(row.kernel, row.simd, row.size): row.run.wall_cycles for row in study.rows}

    def gain(kernel: str, size: int) -> float:
        return cycles[kernel, narrow, size] / cycles[kernel, wide, size]

    return study_page(
        Path(__file__).parent,
        study=study,
        scratchpad=format_size(study.scratchpad_bytes),
        clock=format_frequency(study.clock_hz),
        contracts=dict.fromkeys(
            f"{row.kernel}, {row.run.variant}: {row.run.contract}" for row in study.rows
        ),
        build=build,
        flags=" ".join(flag for flag in build.flags if not flag.startswith("-DMEASURE")),
        tables=[(f"Matrix {NAMES[kernel]}", _cycles(study, kernel)) for kernel in study.kernels],
        size=sizes[-1],
        least=sizes[0],
        narrow=narrow,
        wide=wide,
        gains={NAMES[kernel]: gain(kernel, sizes[-1]) for kernel in study.kernels},
        small=gain("multiply", sizes[0]),
        share=4 * sizes[-1] ** 2 / cycles["add", wide, sizes[-1]],
        published_simd=_PUBLISHED_SIMD,
        published=_published(study),
    )


def _cycles(study: Study, kernel: str) -> pd.DataFrame:
    curves = [study.select(kernel, simd) for simd in study.widths]
    return frame(
        ["n", "scalar", *(f"SIMD {simd}" for simd in study.widths)],
        [
            [
                *(str(row.size), f"{row.run.wall_cycles:,}"),
                *(f"{one.run.wall_cycles:,} ({one.wall_speedup:.2f})" for one in others),
            ]
            for row, *others in zip(study.select(kernel, None), *curves, strict=True)
        ],
    )


def _published(study: Study) -> pd.DataFrame:
    rows = {(row.kernel, row.size): row for row in study.rows if row.simd == _PUBLISHED_SIMD}
    return frame(
        ["kernel", "n", "published", "here, wall cycles", "here, hart cycles"],
        [
            [kernel, size, published, row.wall_speedup, row.hart_speedup]
            for kernel, size, published in PUBLISHED
            if (row := rows.get((kernel, size))) is not None
        ],
    )
