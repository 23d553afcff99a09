"""Baselines: accepted costs of checks, as a JSON file to commit."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Any

from gnomon.base.content import PROJECT_FILE
from gnomon.base.errors import GnomonError
from gnomon.base.files import parse_json, read_text, write_file

_SCHEMA = 1
_DIGITS = 9  # digits of fractions: enough for any limit, few enough to be equal on any host


@dataclass(frozen=True, slots=True)
class BaselineEntry:
    """Accepted costs of one check."""

    of: Mapping[str, Any]  # what was measured, see `BudgetCheck.describe`
    build: str  # how it was built; empty for an ELF file
    metrics: Mapping[str, int | float | None]  # values by column; None: not known when accepted
    energy: str | None = None  # kind and library of its energies; None: none is known


Baseline = dict[str, BaselineEntry]
"""Entries by name of the check."""


def round_value(value: float) -> int | float:
    """Return a value as stored and compared: a whole number, or nine digits."""
    return value if isinstance(value, int) else float(f"{value:.{_DIGITS}g}")


def read_baseline(path: Path) -> Baseline | None:
    """Read a baseline; None if there is no such file.

    Raises:
        GnomonError: if the file is not a baseline, with its line.
    """
    if not path.exists():
        return None
    text = read_text(path)
    try:
        raw = parse_json(text, path)
    except GnomonError as error:
        raise _broken(error) from None
    if not isinstance(raw, dict) or raw.get("schema") != _SCHEMA:
        given = raw.get("schema") if isinstance(raw, dict) else raw
        raise _broken(f"{path}: schema must be {_SCHEMA}, not {given!r}")
    checks = raw.get("checks")
    if not isinstance(checks, dict):
        raise _broken(f"{path}: checks must be a section with one entry for each check")
    return {name: _entry(path, text, name, given) for name, given in checks.items()}


def _entry(path: Path, text: str, name: str, given: Any) -> BaselineEntry:
    lines = text.splitlines()
    start = f"{json.dumps(name)}: "
    number = next((n for n, line in enumerate(lines, 1) if line.lstrip().startswith(start)), 1)
    where = f"{path}:{number}"
    if not isinstance(given, dict):
        raise _broken(f"{where}: {name} must be a section, not {given!r}")
    of, build, metrics = (given.get(key) for key in ("of", "build", "metrics"))
    if not (isinstance(of, dict) and isinstance(build, str) and isinstance(metrics, dict)):
        raise _broken(f"{where}: {name} needs of, build and metrics")
    energy = given.get("energy")
    if energy is not None and not isinstance(energy, str):
        raise _broken(f"{where}: {name}: energy must be a kind and a library, not {energy!r}")
    for column, value in metrics.items():
        if value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < inf:
            raise _broken(f"{where}: {name}: {column} must be a number of 0 or more, not {value!r}")
    return BaselineEntry(of, build, metrics, energy)


def _broken(what: object) -> GnomonError:
    return GnomonError(f"{what}; a baseline is written by `gnomon budget FILE --update`")


def check_place(path: Path, budget: Path) -> None:
    """Check that a baseline is in the project or the folder of its budget.

    Raises:
        GnomonError: if it is elsewhere; a budget from an untrusted source may name any path.
    """
    folder = budget.resolve().parent
    above = (each for each in (folder, *folder.parents) if (each / PROJECT_FILE).is_file())
    project = next(above, folder)
    if not path.resolve().is_relative_to(project):
        raise GnomonError(
            f"{budget}: baseline: {path} is outside of {project}; --update writes a baseline in the"
            " project of its budget, or in the folder of the budget"
        )


def write_baseline(path: Path, baseline: Baseline) -> None:
    """Write a baseline atomically; the same values give the same bytes."""
    checks = {
        name: {
            "of": entry.of,
            "build": entry.build,
            **({} if entry.energy is None else {"energy": entry.energy}),
            "metrics": {
                key: value if value is None else round_value(value)
                for key, value in entry.metrics.items()
            },
        }
        for name, entry in baseline.items()
    }
    text = json.dumps({"schema": _SCHEMA, "checks": checks}, indent=1, ensure_ascii=False)
    write_file(path, f"{text}\n")
