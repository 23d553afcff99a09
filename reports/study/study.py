"""``gnomon study``: what the vector unit gives to a matrix sum and product, as a report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from gnomon.base.errors import GnomonError
from gnomon.base.files import Content, write_files
from gnomon.base.frames import csv_text
from gnomon.base.options import Overrides  # noqa: TC001 - typer reads it
from gnomon.report.canvas import render
from gnomon.report.study import Json, Out, default_out, finish, steps_progress

from .measure import STUDY_SIZES, Study, run_study
from .page import page
from .picture import study_figure

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd

Machine = Annotated[
    str,
    typer.Option("--arch", help="The machine; its vcu.simd is varied. A name or a YAML file."),
]
Sizes = Annotated[
    str | None,
    typer.Option("--sizes", metavar="N,...", help="Matrix sizes.", show_default="4 ... 32"),
]
Seed = Annotated[int, typer.Option("--seed", help="Of the random operands.")]


def main(
    *,
    arch: Machine = "t13-simd4",
    overrides: Overrides = None,
    out: Out = None,
    sizes: Sizes = None,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Measure and write."""
    chosen = _sizes(sizes) or STUDY_SIZES
    with steps_progress("measuring") as progress:
        result = run_study(arch, overrides or (), sizes=chosen, seed=seed, progress=progress)
    paths = write_study(result, out or default_out("study"))
    rows = _rounded(result.rows).to_dict("records")
    finish({"machine": result.machine.name, "rows": rows}, paths, as_json=as_json)


def write_study(study: Study, folder: Path) -> tuple[Path, ...]:
    """Write page, table and figure; the same study gives the same bytes.

    Raises:
        GnomonError: a file cannot be written.
    """
    files: dict[str, Content] = {
        "study.md": page(study), "study.csv": csv_text(_rounded(study.rows)),
        "study": render(lambda: study_figure(study)),
    }  # fmt: skip
    return write_files(folder, files)


def _rounded(rows: pd.DataFrame) -> pd.DataFrame:
    speedups = ("wall_speedup", "hart_speedup")
    return rows.assign(**{name: [round(value, 4) for value in rows[name]] for name in speedups})


def _sizes(text: str | None) -> tuple[int, ...]:
    if text is None:
        return ()
    words = [word.strip() for word in text.split(",")]
    if not all(word.isascii() and word.isdigit() and int(word) >= 1 for word in words):
        raise GnomonError(f"--sizes takes numbers from 1 up with commas between, not {text!r}")
    return tuple(sorted({int(word) for word in words}))
