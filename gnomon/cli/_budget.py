"""``gnomon budget``: limits on cycles, energy, stack and code size, kept or not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

from gnomon.base.errors import CheckFailed
from gnomon.base.options import Json, argument, option

Spec = Annotated[Path, argument("FILE.yaml", "What is measured, and what it may cost.")]
Update = Annotated[bool, option("--update", "Write what is measured now as the baseline.")]


def budget(spec: Spec, *, update: Update = False, as_json: Json = False) -> None:
    """Hold cycles, energy, stack and code size against limits; exit code 1 if one is exceeded."""
    from gnomon.budget import read_budget, run_budget

    chosen = read_budget(spec)
    report, written = run_budget(chosen, update=update)
    if as_json:
        files = [str(written)] if written else []
        print(json.dumps(report.to_json() | {"files": files}))
    else:
        from gnomon.report.sweep_text import print_budget

        print_budget(report)
        if written:
            print(written)
    if report.failures:
        raise CheckFailed("\n".join(report.failures))
