"""Results of a deployment as sentences, for report and terminal."""

from pathlib import Path

from gnomon.base.interval import Interval
from gnomon.base.units import format_frequency
from gnomon.deploy import DeploymentResult, PipelineResult, SearchResult
from gnomon.deploy.quantities import format_power, format_time
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
    if result.account is not None:
        parts.append(f"{format_power(result.account.power_mw.value)} on average")
    if result.life_ps is not None:
        parts.append(f"battery {life(result)}")
    return ", ".join(parts)


def life(result: DeploymentResult | PipelineResult) -> str:
    """Return the battery life in days with its interval, or the reason why there is none."""
    if isinstance(result, PipelineResult):
        battery, reason = result.pipeline.battery, result.priced.reason
    else:
        battery, reason = result.deployment.battery, result.costs.reason
    if battery is None:
        return "none"
    if result.life_ps is None:
        return f"not known: {reason}" if reason else "nothing drains it"
    return format_life(result.life_ps)


def format_life(life_ps: Interval) -> str:
    """Return a battery life with its interval, in days or hours."""
    if life_ps.low == float("inf"):
        return "unlimited: every cycle restores what it uses"
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
    deployment = result.deployment
    lines = []
    if result.offered_load >= 1:
        lines.append(
            f"At {hz(result.clock_hz)} it cannot keep up: {result.offered_load:,.3g} times the"
            " work that it can do comes in. Queues grow or drop as long as the run lasts, and"
            " latencies depend on its length."
        )
    vcu = result.architecture.vcu
    shared = vcu is not None and vcu.sharing == "multithreaded"
    if shared and result.service.vector and deployment.device.harts > 1:
        lines.append(
            "Harts share functional units (vcu.sharing: multithreaded). Here one hart at a time"
            " uses all of them, from the start of a stage to its end: waits are the longest they"
            " can be, not what the machine takes."
        )
    left_out = deployment.not_included
    if left_out:
        lines.append(
            f"Not included, as the file gives no figure: {', '.join(left_out)}. A real"
            " device pays for them all the same, so its battery lasts shorter than said here."
        )
    if result.costs.table:
        static = f": static power {result.costs.table_static}"
        static = static if deployment.power.static_mw.value is None else ""
        lines.append(f"Power table {result.costs.table} ({result.costs.energy}){static}.")
    if result.costs.extrapolated:
        lines.append("The activity of some steps lies outside that of the measured points of the"
                     " power table.")  # fmt: skip
    if result.costs.reason:
        lines.append(f"Energy is not known: {result.costs.reason}.")
    battery = deployment.battery
    if result.overdrawn_ma is not None and battery is not None and battery.current_ma is not None:
        lines.append(
            f"Peaks draw {result.overdrawn_ma:,.3g} mA at {hz(result.clock_hz)}, the battery is"
            f" made for {battery.current_ma.text}: a capacitor must carry them, and what the"
            " battery loses under such peaks is not modelled."
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


def hz(clock_hz: int) -> str:
    exact = format_frequency(clock_hz)
    return exact if len(exact) <= 8 else f"{clock_hz / 1e6:.4g} MHz"
