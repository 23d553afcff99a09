"""Results of a deployment as sentences, for report and terminal."""

from pathlib import Path

from gnomon.base.interval import Interval
from gnomon.base.units import format_frequency
from gnomon.deploy import DeploymentResult, Outcome, SearchResult
from gnomon.deploy.quantities import format_power, format_span, format_time
from gnomon.deploy.streams import ARRIVALS
from gnomon.report.page import render_markdown

_PS_PER_H = 3600 * 10**12
_PS_PER_DAY = 24 * _PS_PER_H


def columns_of(
    result: DeploymentResult, found: SearchResult | None
) -> list[tuple[str, DeploymentResult]]:
    """Return the runs shown side by side: the described one, and the result of the search."""
    own = hz(result.clock_hz)
    shown = [(f"as described, {own}", result)]
    best = None if found is None or found.best is None else found.best.result
    same = best is not None and best.architecture == result.architecture
    if best is not None and found is not None and not same:
        name = hz(best.clock_hz) if found.what == "clock" else best.architecture.name
        shown.append((f"{found.objective}: {name}", best))
    return shown


def write_headline(result: DeploymentResult, found: SearchResult | None) -> list[str]:
    """Return the result in sentences."""
    deployment = result.deployment
    where = f"{result.architecture.name} at {hz(result.clock_hz)}"
    if not deployment.require:
        where = f"Nothing is required. {where}"
    else:
        where += " keeps all requirements" if result.keeps else f" {_missing(result)}"
    lines = [f"{where}: {_short(result)}."]
    if found is None:
        return lines
    if found.unranked:
        names = ", ".join(each.name for each in found.unranked)
        lines.append(
            f"Not compared by {found.objective}: {names}. All requirements are kept, but that"
            " figure is not known."
        )
    if found.best is None or found.best.result is None:
        if not found.unranked:
            known = all(each.result is None or each.result.verdict == "no" for each in found.tried)
            keeps = "keeps" if known else "is known to keep"
            lines.append(f"None of {len(found.tried)} tried {keeps} all requirements.")
    else:
        what, ends = f"Of the machines that keep all, {found.objective}", ""
        if found.what == "clock":
            what = "Slowest clock that keeps all"
            ends = " (the slowest tried)" * (found.best is found.tried[0])
        lines.append(f"{what}: {found.best.name}{ends}: {_short(found.best.result)}.")
    return lines


def _missing(result: DeploymentResult) -> str:
    """Return a sentence on limits that are not met, or met by the value but not its interval."""
    values = dict(result.figures)
    if result.account is not None:
        values["power"] = result.account.power_mw.value
    if result.life_ps is not None:
        values["battery-life"] = result.life_ps.value
    unknown = "is not known to keep"
    parts: dict[str, list[str]] = {"does not keep": [], "is not sure to keep": [], unknown: []}
    for each in result.deployment.require:
        if not each.met_by(result.figures):
            verb = "is not sure to keep" if each.met_by(values) else "does not keep"
            parts[unknown if values.get(each.name) is None else verb].append(each.text)
    return ", and ".join(f"{verb} {', '.join(of)}" for verb, of in parts.items() if of)


def _short(result: DeploymentResult) -> str:
    parts: list[str] = []
    tails = ((name, result.latency(name)) for name in ("p99.9", "p99", "p50"))
    parts += [f"{name} {format_time(ps)}" for name, ps in tails if ps][:1]
    if result.deployment.deadline_ps is not None:
        parts.append(f"{format_percent(result.missed / result.arrived)} missed")
    return ", ".join([*parts, *summarize_energy(result)])


def summarize_energy(result: Outcome) -> list[str]:
    """Return mean power and battery life, as far as they are available."""
    parts = []
    if result.account is not None:
        parts.append(f"{format_power(result.account.power_mw.value)} on average")
    if result.life_ps is not None:
        parts.append(f"battery {life(result)}")
    return parts


def life(result: Outcome) -> str:
    """Return the battery life in days with its interval, or the reason why there is none."""
    if result.scenario.battery is None:
        return "none"
    if result.life_ps is None:
        reason = result.costs.reason
        return f"unavailable: {reason}" if reason else "nothing drains it"
    return format_life(result.life_ps)


def format_life(life_ps: Interval) -> str:
    """Return a battery life with its interval, in days or hours; less than an hour in seconds."""
    if life_ps.low == float("inf"):
        return "unlimited: every cycle restores what it uses"
    if life_ps.high < _PS_PER_H:
        value, low, high = map(format_span, (life_ps.value, life_ps.low, life_ps.high))
        return f"{value} ({low} to {high})"
    days = life_ps.value >= _PS_PER_DAY
    scale_ps, unit = (_PS_PER_DAY, "d") if days else (_PS_PER_H, "h")
    ends = (life_ps.value, life_ps.low, life_ps.high)
    if life_ps.high < float("inf"):
        value, low, high = (f"{end / scale_ps:,.4g}" for end in ends)
        return f"{value} {unit} ({low} to {high})"
    value, low, high = (
        "unlimited" if end == float("inf") else f"{end / scale_ps:,.4g} {unit}" for end in ends
    )
    return f"{value} ({low} to {high})"


def list_warnings(result: DeploymentResult) -> list[str]:
    """Return the notes that precede the figures."""
    harts = result.deployment.device.harts
    return list_run_warnings(result, harts, uses_vector_unit=result.service.vector)


def list_run_warnings(result: Outcome, harts: int, *, uses_vector_unit: bool) -> list[str]:
    """Return the notes on load, shared units, power and battery."""
    lines = []
    if result.offered_load >= 1:
        lines.append(
            f"At {hz(result.architecture.clock)} it cannot keep up: {result.offered_load:,.3g}"
            " times the work that it can do comes in. Queues grow or drop as long as the run lasts,"
            " and times of requests depend on its length."
        )
    vcu = result.architecture.vcu
    shared = vcu is not None and vcu.sharing == "multithreaded"
    if shared and uses_vector_unit and harts > 1:
        lines.append(
            "Harts share functional units (vcu.sharing: multithreaded). Here one hart at a time"
            " uses all of them, from the start of a stage to its end: waits are the longest they"
            " can be, not what the machine takes."
        )
    return [*lines, *_list_energy_warnings(result)]


def _list_energy_warnings(result: Outcome) -> list[str]:
    scenario, pricing, lines = result.scenario, result.costs, []
    if scenario.not_included:
        lines.append(
            f"Not included, as the file gives no figure: {', '.join(scenario.not_included)}. A real"
            " device has these costs, so its battery lasts shorter."
        )
    if pricing.table:
        static = f": static power {pricing.table_static}"
        static = static if scenario.power.static_mw.value is None else ""
        lines.append(f"Power table {pricing.table} ({pricing.energy}){static}.")
    if pricing.extrapolated:
        lines.append(
            "The activity of some runs lies outside the measured points of the power table."
        )
    if pricing.reason:
        lines.append(f"Energy is unavailable: {pricing.reason}.")
    battery = scenario.battery
    if result.overdrawn_ma is not None and battery is not None and battery.current_ma is not None:
        lines.append(
            f"Peaks draw {result.overdrawn_ma:,.3g} mA at {hz(result.architecture.clock)}, the"
            f" battery is specified for {battery.current_ma.text}: a capacitor must carry them, and"
            " the loss of the battery under such peaks is not modeled."
        )
    if result.life_ps is not None and result.life_ps.low < result.horizon_ps:
        lines.append(
            f"The battery can be empty after {format_span(result.life_ps.low)}, before the run of"
            f" {format_span(result.horizon_ps)} ends. The other figures assume that the device"
            " works to the end."
        )
    return lines


def assumptions(result: DeploymentResult) -> list[str]:
    """Return bullets on the runs and their settings."""
    sizes = result.service.first.sizes.named()
    facts = {
        "result": result,
        "deployment": result.deployment,
        "service": result.service,
        "sizes": ", ".join(f"{name} {value}" for name, value in sizes.items()),
        "arrivals": ARRIVALS,
        "time": format_time,
        "percent": format_percent,
    }
    return render_markdown(Path(__file__).parent, "assumptions.j2", facts).splitlines()


def format_percent(share: float | None) -> str:
    return "" if share is None else f"{share * 100:.3g} %"


def hz(clock_hz: float) -> str:
    exact = format_frequency(int(clock_hz))
    return exact if len(exact) <= 8 else f"{clock_hz / 1e6:.4g} MHz"
