"""Results of a deployment as tables, for report and terminal."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from gnomon.base.interval import Interval
from gnomon.deploy import Deployment, DeploymentResult, Pipeline, SearchResult
from gnomon.deploy.quantities import (
    NOT_INCLUDED,
    Sourced,
    format_energy,
    format_power,
    format_span,
    format_time,
)
from gnomon.report.deploy._facts import format_percent, life
from gnomon.report.table import PageTable

Shown = Sequence[tuple[str, DeploymentResult]]
Rows = Mapping[str, Callable[[DeploymentResult], str]]

_TAILS = {"p50": "half of the decisions within", "p99": "99 % within", "p99.9": "99.9 % within"}
_LEDGER = {
    "decisions": ("requests", ("arrived", "decided", "in_work", "waiting", "dropped")),
    "updates": ("updates", ("rewards", "made", "in_work", "waiting", "dropped", "corrections",
                            "interrupted")),
}  # fmt: skip


def latency_table(shown: Shown) -> PageTable:
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
    return _by_run("latency", "Latency, deadlines, queues", shown, rows)


def ledger_table(shown: Shown) -> PageTable:
    rows: dict[str, Callable[[DeploymentResult], str]] = {
        f"{title}: {key.replace('_', ' ')}": partial(_count, section=section, key=key)
        for title, (section, keys) in _LEDGER.items()
        for key in keys
    }
    rows["length of the run"] = lambda result: format_span(result.requests.horizon_ps)
    if shown[0][1].deployment.sleep is not None:
        rows["fell asleep, woke"] = lambda r: f"{r.record.enters:,}, {r.record.wakes:,}"
        rows["time asleep"] = lambda r: format_percent(
            int(r.record.state_ps[2]) / r.requests.horizon_ps
        )
    return _by_run("ledger", "Every request and every reward at the end of the run", shown, rows)


def energy_table(shown: Shown) -> PageTable | None:
    """Return the energy by part, per decision; None if unavailable."""
    known = [(name, result) for name, result in shown if result.account]
    if not known:
        return None
    parts = [part.name for _, result in known for part in _account(result).parts]
    rows: dict[str, Callable[[DeploymentResult], str]] = {
        name: partial(_part, name=name) for name in dict.fromkeys(parts)
    }
    rows |= {
        "sum": lambda result: _per_decision(_account(result).total_uj, result),
        "mean power": lambda result: format_interval(_account(result).power_mw, format_power),
        "largest power": lambda result: format_power(_account(result).peak_mw),
    }
    if known[0][1].deployment.battery is not None:
        rows["battery life"] = life
    return _by_run("energy", "Energy per decision, by part", known, rows)


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


def given_table(deployment: Deployment | Pipeline) -> PageTable:
    figures: dict[str, Sourced | None] = {
        "static power": deployment.power.static_mw,
        "idle power": deployment.power.idle_mw,
    }
    sleep, battery = deployment.sleep, deployment.battery
    if sleep is not None:
        figures |= {
            "power asleep": sleep.power_mw,
            "falling asleep, time": sleep.enter_ps,
            "falling asleep, energy": sleep.enter_uj,
            "waking, time": sleep.wake_ps,
            "waking, energy": sleep.wake_uj,
        }
    if battery is not None:
        figures |= {
            "battery, capacity": battery.capacity_mwh,
            "battery, voltage": battery.voltage_v,
            "battery, usable share": battery.usable,
            "battery, self-discharge in a year": battery.self_discharge_per_year,
            "battery, current": battery.current_ma,
        }
    if isinstance(deployment, Pipeline) and deployment.harvest is not None:
        figures |= {
            "harvesting, power": deployment.harvest.power_mw,
            "harvesting, stored share": deployment.harvest.efficiency,
        }
    not_said = ("idle power", "battery, voltage", "battery, current")
    rows = [
        (name, "idle power all that time", "chosen in the file")
        if figure is None
        else (name, figure.text, figure.source)
        for name, figure in figures.items()
        if figure is not None or name not in not_said
    ]
    heads = ("", "figure", "source")
    return PageTable.from_cells("given", "Figures that the file gives", heads, rows, words=3)


def _by_run(name: str, caption: str, shown: Shown, rows: Rows) -> PageTable:
    """Return a table with a column for each run."""
    heads = ("", *(run for run, _ in shown))
    cells = ((what, *(cell(result) for _, result in shown)) for what, cell in rows.items())
    return PageTable.from_cells(name, caption, heads, cells)


def format_interval(value: Interval, shown: Callable[[float], str]) -> str:
    if value.low == value.high:
        return shown(value.value)
    return f"{shown(value.value)} ({shown(value.low)} to {shown(value.high)})"


def _account(result: DeploymentResult) -> Any:
    assert result.account is not None
    return result.account


def _part(result: DeploymentResult, name: str) -> str:
    part = next((each for each in _account(result).parts if each.name == name), None)
    if part is None or part.note == NOT_INCLUDED:
        return "" if part is None else part.note
    return _per_decision(part.energy_uj, result)


def _per_decision(energy: Interval, result: DeploymentResult) -> str:
    decided = max(1, len(result.latency_ps))
    return format_interval(energy * (1 / decided), format_energy)


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
