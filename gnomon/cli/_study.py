"""``gnomon study``: what the vector unit gives to a matrix sum and product, as a report."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from gnomon.base.errors import GnomonError
from gnomon.base.options import Json, Overrides  # noqa: TC001 - typer reads them
from gnomon.base.progress import steps_progress

DEFAULT_OUT = Path("reports/study")

Machine = Annotated[
    str,
    typer.Option("--arch", help="The machine; its vcu.simd is varied. A name or a YAML file."),
]
Out = Annotated[Path, typer.Option("--out", metavar="FOLDER", help="Where the files go.")]
Sizes = Annotated[
    str | None,
    typer.Option("--sizes", metavar="N,...", help="Matrix sizes.", show_default="4 ... 32"),
]
Seed = Annotated[int, typer.Option("--seed", help="Of the random operands.")]


def study(
    *,
    arch: Machine = "t13-simd4",
    overrides: Overrides = None,
    out: Out = DEFAULT_OUT,
    sizes: Sizes = None,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Measure matrix sum and product, scalar and with SIMD 1, 2, 4, 8; write table and figure."""
    chosen = _sizes(sizes)

    from gnomon.report import STUDY_SIZES, run_study, study_steps, write_study

    chosen = chosen or STUDY_SIZES
    with steps_progress("measuring", study_steps(chosen)) as progress:
        result = run_study(arch, overrides or (), sizes=chosen, seed=seed, progress=progress)
    paths = write_study(result, out)
    if as_json:
        rows = [row.to_json() for row in result.rows]
        answer = {"machine": result.machine, "rows": rows, "files": [str(path) for path in paths]}
        print(json.dumps(answer))
        return
    for path in paths:
        print(path)


def _sizes(text: str | None) -> tuple[int, ...]:
    if text is None:
        return ()
    words = [word.strip() for word in text.split(",")]
    if not all(word.isascii() and word.isdigit() and int(word) >= 1 for word in words):
        raise GnomonError(f"--sizes takes numbers from 1 up with commas between, not {text!r}")
    return tuple(sorted({int(word) for word in words}))
