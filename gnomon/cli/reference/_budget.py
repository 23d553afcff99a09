"""Every key of a budget file, every quantity that it can limit."""

from __future__ import annotations

from gnomon.budget import BUILD_SETTINGS, METRICS_OF, BudgetFile, CheckFile
from gnomon.cli.reference._markdown import code, key_rows, page, table
from gnomon.explore.metrics import UNITS

_INTRODUCTION = """\
A budget is one YAML file for `gnomon budget`;
[docs/exploring.md](../exploring.md#budgets-ci-limits) says what it does.
In brackets: what holds where a key is left out."""
_SETTINGS = "The [settings of sweeps](sweep.md), and of a program that is built:"


def budget_page() -> str:
    """The page as Markdown."""
    parts = [_INTRODUCTION]
    for title, kind in (("Keys", BudgetFile), ("Keys of a check", CheckFile)):
        parts += [f"## {title}", table(("key", "meaning"), key_rows(kind))]
    parts += ["## Settings", _SETTINGS]
    settings = [
        (code(each.name), code(str(each.default)), each.allowed, each.meaning)
        for each in BUILD_SETTINGS
    ]
    parts.append(table(("setting", "default", "allowed", "meaning"), settings))
    parts.append("## Quantities")
    of: dict[str, list[str]] = {}
    for workload, metrics in METRICS_OF.items():
        for name in metrics:
            of.setdefault(name, []).append(workload)
    quantities = [
        (code(metric.word), ", ".join(of[name]), ", ".join(UNITS[metric.unit]), metric.meaning)
        for name, metric in {n: m for each in METRICS_OF.values() for n, m in each.items()}.items()
    ]
    parts.append(table(("quantity", "of", "units", "meaning"), quantities))
    return page("Keys of a budget", *parts)
