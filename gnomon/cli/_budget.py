"""``gnomon budget``: limits on cycles, energy, stack and code size, kept or not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from gnomon.base.errors import CheckFailed
from gnomon.base.options import Json  # noqa: TC001 - typer reads it

Spec = Annotated[
    Path, typer.Argument(metavar="FILE.yaml", help="What is measured, and what it may cost.")
]
Update = Annotated[
    bool, typer.Option("--update", help="Write what is measured now as the baseline.")
]


def budget(spec: Spec, *, update: Update = False, as_json: Json = False) -> None:
    """Hold cycles, energy, stack and code size against limits; exit code 1 if one is exceeded."""
    from gnomon.budget import (
        check_baseline,
        judge,
        measure,
        new_baseline,
        read_baseline,
        read_budget,
        write_baseline,
    )

    chosen = read_budget(spec)
    baseline = read_baseline(chosen.baseline)
    if not update:
        check_baseline(chosen, baseline)
    measured = {check.name: measure(check) for check in chosen.checks}
    report = judge(chosen, measured, baseline, accept=update)
    update = update and not report.failed_programs
    if update:
        write_baseline(chosen.baseline, new_baseline(chosen, measured))
    if as_json:
        files = [str(chosen.baseline)] if update else []
        print(json.dumps(report.to_json() | {"files": files}))
    else:
        from gnomon.report import print_budget

        print_budget(report)
        if update:
            print(chosen.baseline)
    if report.failures:
        raise CheckFailed("\n".join(report.failures))
