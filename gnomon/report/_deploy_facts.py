"""What the report and the terminal say of a deployment, in words and cells."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gnomon.system._account import not_included
from gnomon.system._quantities import (
    NOT_INCLUDED,
    format_energy,
    format_power,
    format_span,
    format_time,
)
from gnomon.system._streams import ARRIVALS
from gnomon.units import format_frequency

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gnomon.energy import Estimate
    from gnomon.system import Candidate, Deployment, Found, Result
    from gnomon.system._quantities import Sourced

_PS_PER_H = 3600 * 10**12
_PS_PER_DAY = 24 * _PS_PER_H


@dataclass(frozen=True, slots=True)
class Block:
    """One table: its name, its caption, the heads of its columns (text first), its rows."""

    name: str
    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def columns_of(result: Result, found: Found | None) -> list[tuple[str, Result]]:
    """The runs shown side by side: as described, and the one that the search took."""
    own = _hz(result.clock_hz)
    shown = [(f"as described, {own}", result)]
    best = None if found is None or found.best is None else found.best.result
    same = best is not None and best.architecture == result.architecture
    if best is not None and found is not None and not same:
        name = _hz(best.clock_hz) if found.what == "clock" else best.architecture.name
        shown.append((f"{found.objective}: {name}", best))
    return shown


def headline(result: Result, found: Found | None) -> list[str]:
    """The answer in sentences."""
    deployment = result.deployment
    lines = []
    where = f"{result.architecture.name} at {_hz(result.clock_hz)}"
    if not deployment.require:
        lines.append(f"Nothing is required. {where}: {_short(result)}.")
    elif result.keeps:
        lines.append(f"{where} keeps all requirements: {_short(result)}.")
    else:
        lines.append(f"{where} does not keep {', '.join(result.misses)}: {_short(result)}.")
    if found is None:
        return lines
    if found.best is None or found.best.result is None:
        lines.append(f"None of {len(found.tried)} tried keeps all requirements.")
    else:
        what = (
            "Slowest clock that keeps all"
            if found.what == "clock"
            else f"Of the machines that keep all, {found.objective}"
        )
        ends = (
            " (the slowest tried)" if found.what == "clock" and found.best is found.tried[0] else ""
        )
        lines.append(f"{what}: {found.best.name}{ends}: {_short(found.best.result)}.")
    return lines


def _short(result: Result) -> str:
    parts = []
    tail = result.latency("p99.9") or result.latency("p99") or result.latency("p50")
    if tail is not None:
        name = "p99.9" if result.latency("p99.9") else "p99" if result.latency("p99") else "p50"
        parts.append(f"{name} {format_time(tail)}")
    if result.deployment.deadline_ps is not None:
        parts.append(f"{percent(result.missed / result.arrived)} missed")
    if result.account is not None:
        parts.append(f"{format_power(result.account.power_mw.value)} on average")
    if result.life_ps is not None:
        parts.append(f"battery {life(result)}")
    return ", ".join(parts)


def life(result: Result) -> str:
    """Battery life in days with its interval, or why there is none."""
    if result.deployment.battery is None:
        return "none"
    if result.life_ps is None:
        reason = result.costs.reason
        return f"not known: {reason}" if reason else "nothing drains it"
    days = result.life_ps.value >= _PS_PER_DAY
    scale_ps, unit = (_PS_PER_DAY, "d") if days else (_PS_PER_H, "h")
    shown = result.life_ps.scaled(1 / scale_ps)
    return f"{shown.value:,.4g} {unit} ({shown.low:,.4g} to {shown.high:,.4g})"


def warnings(result: Result) -> list[str]:
    """What a reader must know before the figures."""
    deployment = result.deployment
    lines = []
    if result.offered_load >= 1:
        lines.append(
            f"At {_hz(result.clock_hz)} it cannot keep up: {result.offered_load:,.3g} times the"
            " work that it can do comes in. Queues grow or drop as long as the run lasts, and"
            " latencies hang on its length."
        )
    left_out = not_included(deployment)
    if left_out:
        lines.append(
            f"Not included, as the file gives no figure: {', '.join(left_out)}. A real"
            " device pays for them all the same, so its battery lasts shorter than said here."
        )
    if result.costs.table and deployment.static_mw.value is None:
        lines.append(f"Power table {result.costs.table}: static power {result.costs.table_static}.")
    if result.costs.extrapolated:
        lines.append("The activity of some steps lies outside that of the measured points of the"
                     " power table.")  # fmt: skip
    if result.costs.reason:
        lines.append(f"Energy is not known: {result.costs.reason}.")
    battery = deployment.battery
    if result.overdrawn_ma is not None and battery is not None and battery.current_ma is not None:
        lines.append(
            f"Peaks draw {result.overdrawn_ma:,.3g} mA at {_hz(result.clock_hz)}, the battery is"
            f" made for {battery.current_ma.text}: a capacitor must carry them, and what the"
            " battery loses under such peaks is not modelled."
        )
    return lines


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
    rows.append(("mean power", *(interval(account.power_mw, format_power)
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
    figures: dict[str, Sourced | None] = {"static power": deployment.static_mw}
    if deployment.idle_mw is not None:
        figures["idle power"] = deployment.idle_mw
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


def assumptions(result: Result) -> list[str]:
    """What was run and how, in bullets."""
    deployment, service = result.deployment, result.service
    first, stream = service.first, deployment.stream
    sizes = ", ".join(f"{name} {value}" for name, value in first.sizes.named().items())
    select, update = service.select_cycles, service.update_cycles
    service_words = (
        f"Service: {len(service.runs)} steps run on the simulator, cycle by cycle and checked bit"
        f" by bit, seeds {first.seed} to {first.seed + len(service.runs) - 1}: a selection takes"
        f" {_range(select)} cycles, an update {_range(update)}. Each request costs "
    )
    drawn = deployment.service == "drawn"
    lines = [
        f"Requests: {stream.arrivals}, {ARRIVALS[stream.arrivals]}; "
        + (
            f"from {stream.file}"
            if stream.arrivals == "recorded"
            else f"one every {format_time(stream.period_ps)}"
            + (f", jitter {format_time(stream.jitter_ps)}" if stream.jitter_ps else "")
        )
        + f"; {result.arrived:,} requests, seed {stream.seed}.",
        (f"Rewards: {percent(deployment.rewards.share)} come back,"
        f" {format_time(deployment.rewards.delay_ps)} after the decision"
        f" ({deployment.rewards.kind}); each is learned by an update."),
        (f"Learner: {first.learner}, {first.line} line, {first.variant}, {sizes},"
        f" Q{31 - first.fraction_bits}.{first.fraction_bits}, built with {first.build.compiler}"
        f" {first.build.version}."),
        service_words
        + ("one of them at random, by the same seed." if drawn else "them in order."),
        _device(result),
        f"Energy: dynamic, of each measured step, operands {service.operands}; idle power is "
        + ("that of sleeping harts with the clock running" if deployment.idle_mw is None
           else "given by the file") + ".",
    ]  # fmt: skip
    if service.correcting:
        lines.insert(4, f"Every {service.period:,}th update corrects the inverses:"
                        f" {_range(service.correcting_cycles)} cycles.")  # fmt: skip
    return lines


def _device(result: Result) -> str:
    deployment, others = result.deployment, result.servers - 1
    harts = "1 hart serves" if deployment.harts == 1 else f"{deployment.harts} harts serve"
    interrupts = ", decisions interrupt updates" if deployment.preempt else ""
    text = f"Device: {result.architecture.name}, {harts}, {deployment.priority}{interrupts}."
    if result.service.vector and deployment.harts > result.servers:
        text += f" Stages own a vector unit, so {result.servers} can be at work at once."
    if others:
        lost = result.service.held_per_issue * others
        text += (
            f" Each of its instructions takes {lost:.2f} cycles longer than alone, as if the other"
            " harts were always at work: so long their multi-cycle instructions hold the pipeline."
        )
    return text


def percent(share: float | None) -> str:
    """A share for people."""
    return "" if share is None else f"{share * 100:.3g} %"


def interval(value: Estimate, shown: object) -> str:
    """A value with its interval."""
    assert callable(shown)
    if value.low == value.high:
        return str(shown(value.value))
    return f"{shown(value.value)} ({shown(value.low)} to {shown(value.high)})"


def _per_decision(energy: Estimate, result: Result) -> str:
    decided = max(1, len(result.latency_ps))
    return interval(energy.scaled(1 / decided), format_energy)


def _units(result: Result) -> float:
    """Share of the time in which the vector units are owned by stages."""
    used = result.figures["utilisation"]
    assert used is not None
    return used * result.deployment.harts / result.servers


def _mean(waiting_ps: float, result: Result) -> str:
    return f"{waiting_ps / result.requests.horizon_ps:.3g}"


def _time(ps: float | None) -> str:
    return "too few" if ps is None else format_time(ps)


def _range(cycles: Sequence[int]) -> str:
    low, high = min(cycles), max(cycles)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def _hz(clock_hz: int) -> str:
    exact = format_frequency(clock_hz)
    return exact if len(exact) <= 8 else f"{clock_hz / 1e6:.4g} MHz"
