"""What the report and the terminal say of a deployment, in tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gnomon.deploy.quantities import (
    NOT_INCLUDED,
    format_energy,
    format_power,
    format_span,
    format_time,
)
from gnomon.report.deploy_facts import life, percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gnomon.base.interval import Interval
    from gnomon.deploy import Candidate, Deployment, Found, Result
    from gnomon.deploy.quantities import Sourced


@dataclass(frozen=True, slots=True)
class Block:
    """One table: its name, its caption, the heads of its columns (text first), its rows."""

    name: str
    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def latency_block(shown: Sequence[tuple[str, Result]]) -> Block:
    """Latencies, missed deadlines, queues."""
    rows: list[tuple[str, ...]] = []

    def row(name: str, *cells: str) -> None:
        rows.append((name, *cells))

    for name, words in (("p50", "half of the decisions within"), ("p99", "99 % within"),
                        ("p99.9", "99.9 % within")):  # fmt: skip
        row(f"{name}: {words}", *(_time(result.latency(name)) for _, result in shown))
    row("longest", *(_time(result.figures["worst"]) for _, result in shown))
    row("mean wait before a decision starts",
        *(_time(result.figures["mean-wait"]) for _, result in shown))  # fmt: skip
    if any(result.closed_form_wait_ps() is not None for _, result in shown):
        row("the same by the Pollaczek-Khinchine formula",
            *(_time(result.closed_form_wait_ps()) for _, result in shown))  # fmt: skip
    deadline = shown[0][1].deployment.deadline_ps
    if deadline is not None:
        row(f"missed the deadline of {format_time(deadline)}",
            *(f"{result.missed:,} ({percent(result.missed / result.arrived)})"
              for _, result in shown))  # fmt: skip
    row("harts at work", *(percent(result.figures["utilisation"]) for _, result in shown))
    if shown[0][1].service.vector:
        row("vector units at work", *(percent(_units(result)) for _, result in shown))
    row("decisions waiting, mean (most)",
        *(f"{_mean(result.record.waiting_decision_ps, result)} ({result.record.most_decisions})"
          for _, result in shown))  # fmt: skip
    row("updates waiting, mean (most)",
        *(f"{_mean(result.record.waiting_update_ps, result)} ({result.record.most_updates})"
          for _, result in shown))  # fmt: skip
    return Block("latency", "Latency, deadlines, queues", ("", *(n for n, _ in shown)), tuple(rows))


def ledger_block(shown: Sequence[tuple[str, Result]]) -> Block:
    """Where every request and every reward is at the end of the run."""
    found = [result.to_json() for _, result in shown]
    rows: list[tuple[str, ...]] = []
    for title, section, keys in (
        ("decisions", "requests", ("arrived", "decided", "in_work", "waiting", "dropped")),
        ("updates", "updates", ("rewards", "made", "in_work", "waiting", "dropped", "corrections",
                                "interrupted")),
    ):  # fmt: skip
        rows.extend(
            (f"{title}: {key.replace('_', ' ')}", *(f"{each[section][key]:,}" for each in found))
            for key in keys
        )
    rows.append(("length of the run", *(format_span(r.requests.horizon_ps) for _, r in shown)))
    if shown[0][1].deployment.sleep is not None:
        rows.append(("fell asleep, woke", *(f"{r.record.enters:,}, {r.record.wakes:,}"
                                            for _, r in shown)))  # fmt: skip
        rows.append(("time asleep", *(percent(int(r.record.state_ps[2]) / r.requests.horizon_ps)
                                      for _, r in shown)))  # fmt: skip
    return Block("ledger", "Every request and every reward at the end of the run",
                 ("", *(name for name, _ in shown)), tuple(rows))  # fmt: skip


def energy_block(shown: Sequence[tuple[str, Result]]) -> Block | None:
    """Energy by part, per decision; None where it is not known."""
    known = [(name, result, result.account) for name, result in shown if result.account]
    if not known:
        return None
    names = list(dict.fromkeys(part.name for *_, account in known for part in account.parts))
    rows: list[tuple[str, ...]] = []
    for name in names:
        cells = []
        for _, result, account in known:
            part = next((each for each in account.parts if each.name == name), None)
            if part is None or part.note == NOT_INCLUDED:
                cells.append("" if part is None else part.note)
            else:
                cells.append(_per_decision(part.energy_uj, result))
        rows.append((name, *cells))
    rows.append(("sum", *(_per_decision(account.total_uj, result) for _, result, account in known)))
    rows.append(("mean power", *(_interval(account.power_mw, format_power)
                                 for *_, account in known)))  # fmt: skip
    rows.append(("largest power", *(format_power(account.peak_mw) for *_, account in known)))
    if known[0][1].deployment.battery is not None:
        rows.append(("battery life", *(life(result) for _, result, _ in known)))
    return Block("energy", "Energy per decision, by part", ("", *(n for n, *_ in known)),
                 tuple(rows))  # fmt: skip


def tried_block(found: Found) -> Block:
    """All candidates of the search."""
    machines = found.what == "arch"
    head = "machine" if machines else "clock"
    columns = (head, "keeps", "p99", "p99.9", "missed", "power", "battery life",
               *(("LUT",) if machines else ()), "does not keep")  # fmt: skip
    return Block("tried", f"All that were tried; wanted: {found.objective}", columns,
                 tuple(_tried(each, machines) for each in found.tried))  # fmt: skip


def _tried(candidate: Candidate, machines: bool) -> tuple[str, ...]:
    result = candidate.result
    lut = ("not known" if candidate.lut is None else f"{candidate.lut:,.0f}",) if machines else ()
    if result is None:
        return (candidate.name, "no", *("",) * 5, *lut, candidate.reason)
    missed = (
        "" if result.deployment.deadline_ps is None else percent(result.missed / result.arrived)
    )
    power = "" if result.account is None else format_power(result.account.power_mw.value)
    return (
        candidate.name,
        "yes" if candidate.keeps else "no",
        *(_time(result.latency(name)) for name in ("p99", "p99.9")),
        missed,
        power,
        "" if result.life_ps is None else life(result),
        *lut,
        ", ".join(result.misses),
    )


def given_block(deployment: Deployment) -> Block:
    """Figures that the file gives, with their sources."""
    figures: dict[str, Sourced | None] = {"static power": deployment.power.static_mw}
    if deployment.power.idle_mw is not None:
        figures["idle power"] = deployment.power.idle_mw
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
        figures |= {"battery, capacity": battery.capacity_mwh}
        if battery.voltage_v is not None:
            figures["battery, voltage"] = battery.voltage_v
        figures["battery, usable share"] = battery.usable
        figures["battery, self-discharge in a year"] = battery.self_discharge_per_year
        if battery.current_ma is not None:
            figures["battery, current"] = battery.current_ma
    rows = [
        (name, "idle power all that time", "chosen in the file")
        if figure is None
        else (name, figure.text, figure.source)
        for name, figure in figures.items()
    ]
    return Block("given", "Figures that the file gives", ("", "figure", "source"), tuple(rows))


def _interval(value: Interval, shown: object) -> str:
    assert callable(shown)
    if value.low == value.high:
        return str(shown(value.value))
    return f"{shown(value.value)} ({shown(value.low)} to {shown(value.high)})"


def _per_decision(energy: Interval, result: Result) -> str:
    decided = max(1, len(result.latency_ps))
    return _interval(energy * (1 / decided), format_energy)


def _units(result: Result) -> float:
    """Share of the time in which the vector units are owned by stages."""
    used = result.figures["utilisation"]
    assert used is not None
    return used * result.deployment.device.harts / result.servers


def _mean(waiting_ps: float, result: Result) -> str:
    return f"{waiting_ps / result.requests.horizon_ps:.3g}"


def _time(ps: float | None) -> str:
    return "too few" if ps is None else format_time(ps)
