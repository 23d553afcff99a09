"""Results of a deployment as tables, for report and terminal."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeVar

from gnomon.base.interval import Interval
from gnomon.deploy import ASLEEP, DeploymentResult, Outcome, Part, Scenario, SearchResult
from gnomon.deploy.quantities import format_energy, format_power, format_span, format_time
from gnomon.report.deploy._facts import format_percent, life
from gnomon.report.table import PageTable

Result = TypeVar("Result", bound=Outcome)
Shown = Sequence[tuple[str, Result]]
Rows = Mapping[str, Callable[[Result], str]]

_TAILS = {"p50": "half of the decisions within", "p99": "99 % within", "p99.9": "99.9 % within"}
_LEDGER = {
    "decisions": ("requests", ("arrived", "decided", "in_work", "waiting", "dropped")),
    "updates": ("updates", ("rewards", "made", "in_work", "waiting", "dropped", "corrections",
                            "interrupted")),
}  # fmt: skip


def latency_table(shown: Shown[DeploymentResult]) -> PageTable:
    deployment = shown[0][1].deployment
    rows: dict[str, Callable[[DeploymentResult], str]] = {
        f"{name}: {words}": partial(_latency, name=name) for name, words in _TAILS.items()
    }
    rows |= {
        "longest": lambda result: _time(result.figures["worst"]),
        "mean wait before a decision starts": lambda result: _time(result.figures["mean-wait"]),
    }
    if any(result.closed_form_wait_ps() is not None for _, result in shown):
        rows["the same by the Pollaczek-Khinchine formula"] = lambda result: _time(
            result.closed_form_wait_ps()
        )
    if deployment.deadline_ps is not None:
        rows[f"missed the deadline of {format_time(deployment.deadline_ps)}"] = lambda result: (
            f"{result.missed:,} ({format_percent(result.missed / result.arrived)})"
        )
    rows["harts at work"] = lambda result: format_percent(result.figures["utilisation"])
    if shown[0][1].service.vector:
        rows["vector units at work"] = lambda result: format_percent(  # share owned by stages
            (result.figures["utilisation"] or 0) * deployment.device.harts / result.servers
        )
    rows |= {
        "decisions waiting, mean (most)": lambda result: _waiting(result, "decision"),
        "updates waiting, mean (most)": lambda result: _waiting(result, "update"),
    }
    return table_by_run("latency", "Latency, deadlines, queues", shown, rows)


def ledger_table(shown: Shown[DeploymentResult]) -> PageTable:
    rows: dict[str, Callable[[DeploymentResult], str]] = {
        f"{title}: {key.replace('_', ' ')}": partial(_count, section=section, key=key)
        for title, (section, keys) in _LEDGER.items()
        for key in keys
    }
    rows |= list_device_rows(shown)
    return table_by_run(
        "ledger", "Every request and every reward at the end of the run", shown, rows
    )


def list_device_rows(shown: Shown[Result]) -> dict[str, Callable[[Result], str]]:
    """Return the rows on the device in a run."""
    rows: dict[str, Callable[[Result], str]] = {
        "length of the run": lambda result: format_span(result.horizon_ps)
    }
    if shown[0][1].scenario.sleep is not None:
        rows["fell asleep, woke"] = lambda r: f"{r.record.enters:,}, {r.record.wakes:,}"
        rows["time asleep"] = lambda r: format_percent(
            int(r.record.state_ps[ASLEEP]) / r.horizon_ps
        )
    return rows


def energy_table(
    caption: str, shown: Shown[Result], count: Callable[[Result], int]
) -> PageTable | None:
    """Return the energy by part, of a run or by ``count``; None if unavailable."""
    known = [(name, result, result.account) for name, result in shown if result.account]
    if not known:
        return None
    names = dict.fromkeys(part.name for *_, account in known for part in account.parts)
    columns = []
    for _, result, account in known:
        parts, scale = {part.name: part for part in account.parts}, 1 / count(result)
        cells = [_energy_cell(parts.get(name), scale) for name in names]
        cells += [
            format_interval(account.total_uj * scale, format_energy),
            format_interval(account.power_mw, format_power),
            format_power(account.peak_mw),
        ]
        columns.append([*cells, life(result)] if result.scenario.battery is not None else cells)
    heads = (*names, "sum", "mean power", "largest power", "battery life")
    rows = [(head, *cells) for head, *cells in zip(heads, *columns, strict=False)]
    return PageTable.from_cells("energy", caption, ("", *(name for name, *_ in known)), rows)


def _energy_cell(part: Part | None, scale: float) -> str:
    if part is None:
        return ""
    return part.note or format_interval(part.energy_uj * scale, format_energy)


def tried_table(found: SearchResult, *, reasons: bool = True) -> PageTable:
    """Return the tried configurations, with the limits that each misses.

    Without ``reasons`` what does not run says only that: its reason is a sentence.
    """
    machines = found.what == "arch"
    head = "machine" if machines else "clock"
    columns = (head, "keeps", "p99", "p99.9", "missed", "power", "battery life",
               *(("LUT",) if machines else ()), "does not keep")  # fmt: skip
    caption = f"All that were tried; wanted: {found.objective}"
    rows = []
    for each in found.tried:
        result = each.result
        lut = ("not known" if each.lut is None else f"{each.lut:,.0f}",) if machines else ()
        if result is None:
            why_not = each.reason if reasons else "does not run"
            rows.append((each.name, "no", *("",) * 5, *lut, why_not))
            continue
        has_deadline = result.deployment.deadline_ps is not None
        rows.append((
            each.name,
            result.verdict,
            *(_latency(result, name) for name in ("p99", "p99.9")),
            format_percent(result.missed / result.arrived) if has_deadline else "",
            "" if result.account is None else format_power(result.account.power_mw.value),
            "" if result.life_ps is None else life(result),
            *lut,
            ", ".join(result.misses),
        ))  # fmt: skip
    made = PageTable.from_cells("tried", caption, columns, rows)
    *figures, why = made.columns
    return replace(made, columns=(*figures, replace(why, is_number=False)))


def given_table(scenario: Scenario) -> PageTable:
    """Return the figures of the file with their sources."""
    rows = [
        (name, "idle power all that time", "chosen in the file")
        if figure is None
        else (name, figure.text, figure.source)
        for name, figure in scenario.figures.items()
    ]
    heads = ("", "figure", "source")
    return PageTable.from_cells("given", "Figures that the file gives", heads, rows, words=3)


def table_by_run(name: str, caption: str, shown: Shown[Result], rows: Rows[Result]) -> PageTable:
    """Return a table with a column for each run."""
    heads = ("", *(run for run, _ in shown))
    cells = ((what, *(cell(result) for _, result in shown)) for what, cell in rows.items())
    return PageTable.from_cells(name, caption, heads, cells)


def format_interval(value: Interval, shown: Callable[[float], str]) -> str:
    if value.low == value.high:
        return shown(value.value)
    return f"{shown(value.value)} ({shown(value.low)} to {shown(value.high)})"


def _waiting(result: DeploymentResult, what: str) -> str:
    waited_ps = getattr(result.record, f"waiting_{what}_ps")
    most = getattr(result.record, f"most_{what}s")
    return f"{waited_ps / result.requests.horizon_ps:.3g} ({most})"


def _count(result: DeploymentResult, section: str, key: str) -> str:
    return f"{result.to_json()[section][key]:,}"


def _latency(result: DeploymentResult, name: str) -> str:
    return _time(result.latency(name))


def _time(ps: float | None) -> str:
    return "too few" if ps is None else format_time(ps)
