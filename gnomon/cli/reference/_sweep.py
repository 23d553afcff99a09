"""Every key of a sweep file, every setting of what runs, every quantity that is measured."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.cli.reference._markdown import code, key_rows, page, table
from gnomon.explore import METRICS, SETTINGS, SearchKeys, SweepFile
from gnomon.explore.metrics import UNITS

if TYPE_CHECKING:
    from gnomon.explore import Setting

_INTRODUCTION = """\
A sweep is one YAML file for `gnomon sweep`; [docs/exploring.md](../exploring.md) says what it
does. An axis or a fixed value is a setting of what runs, `arch` (an axis), or any
[key of a machine](machine.md)."""


def sweep_page() -> str:
    """The page as Markdown."""
    parts = [_INTRODUCTION, "## Keys", "In brackets: what holds where a key is left out."]
    parts.append(table(("key", "meaning"), key_rows(SweepFile)))
    parts.append("## search")
    parts.append(table(("key", "meaning"), key_rows(SearchKeys)))
    for workload, settings in SETTINGS.items():
        parts.append(f"## Settings of a {workload}")
        header = ("setting", "default", "allowed", "meaning")
        parts.append(table(header, [_row(setting) for setting in settings]))
    parts += ["## Quantities", "For constraints and objectives; columns of the results."]
    measured = [
        (code(metric.word), code(metric.name), ", ".join(metric.of), ", ".join(UNITS[metric.unit]),
         metric.meaning)
        for metric in METRICS
    ]  # fmt: skip
    parts.append(table(("quantity", "column", "of", "units", "meaning"), measured))
    return page("Keys of a sweep", *parts)


def _row(setting: Setting) -> tuple[str, ...]:
    value = setting.default
    words = {None: "none", True: "true", False: "false"}
    shown = words[value] if value is None or isinstance(value, bool) else str(value)
    default = "required" if setting.needed else code(shown)
    if setting.derived is not None:
        default = setting.derived[1]
    return code(setting.name), default, setting.allowed, setting.meaning
