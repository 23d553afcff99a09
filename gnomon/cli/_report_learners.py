"""``gnomon report learners``: all learners on the same problems, regret against energy."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from gnomon.base.options import Json  # noqa: TC001 - typer reads it
from gnomon.base.progress import steps_progress

DEFAULT_LEARNERS_OUT = Path("reports/learners")

Size = Annotated[
    str,
    typer.Option("--size", help="small: the tuned line in short runs; full: everything, minutes."),
]
Machines = Annotated[
    str | None,
    typer.Option(
        "--arch",
        metavar="NAME,...",
        help="Machines with a power table.",
        show_default="t13,t13-simd4,t13-paper-simd8",
    ),
]
Fresh = Annotated[
    bool,
    typer.Option(
        "--fresh",
        help="Simulate everything; else runs that were finished before are taken from the cache"
        " folder.",
    ),
]
Out = Annotated[Path, typer.Option("--out", metavar="FOLDER", help="Where the files go.")]


def learners(
    *,
    size: Size = "small",
    arch: Machines = None,
    fresh: Fresh = False,
    out: Out = DEFAULT_LEARNERS_OUT,
    as_json: Json = False,
) -> None:
    """Regret against energy per decision of all learners, on the same problems and three machines.

    Every implementation plays whole runs on every machine that can run it, checked bit by bit.
    """
    from gnomon.report.comparison import (
        MACHINES,
        comparison_steps,
        find_size,
        run_comparison,
        write_comparison,
    )

    chosen = find_size(size)
    machines = MACHINES if arch is None else [name.strip() for name in arch.split(",")]
    with steps_progress("playing", comparison_steps(chosen)) as progress:
        comparison = run_comparison(chosen, progress, machines=machines, fresh=fresh)
    paths = write_comparison(comparison, out)
    if as_json:
        print(json.dumps({"files": [str(path) for path in paths]}))
        return
    for path in paths:
        print(path)
