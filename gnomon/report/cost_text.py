"""Energies, fits of power, areas and cost-model cores as human-readable tables."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from gnomon.base.console import console, table
from gnomon.base.units import format_frequency, format_size, microseconds, short_number
from gnomon.cost.area import KINDS, RESOURCES, Area, Resources
from gnomon.cost.energy import GATE_LEVEL, Energy

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gnomon.base.interval import Interval
    from gnomon.cost.energy import OptionalEnergy
    from gnomon.cost.energy.fit import Fit
    from gnomon.cost.platforms import Platform, PlatformRun

_SMALLEST_SHARE = 0.0005
_SHOWN_FUNCTIONS = 12


def print_energy(energy: Energy, functions: Mapping[str, Energy] | None = None) -> None:
    """Print the energy of a run by unit, event and function, and its limits."""
    out = console()
    whole = energy.energy_uj.value
    units = table(f"{energy.what} energy by unit, µJ", 1, "unit", "energy", "low", "high",
                  "of the energy")  # fmt: skip
    for unit, figure in energy.units.items():
        if abs(figure.value) < _SMALLEST_SHARE * whole and figure.high < _SMALLEST_SHARE * whole:
            continue
        units.add_row(unit, *_ends(figure), _share(figure.value, whole))
    units.add_section()
    units.add_row("all", *_ends(energy.energy_uj), "100.0%")
    out.print(units)

    _print_events(energy)
    if functions:
        _print_functions(energy, functions)
    product = energy.energy_delay_uj_us
    out.print(
        f"  energy-delay product {product.value:,.4g} µJ µs ({product.low:,.3g} to"
        f" {product.high:,.3g})"
    )
    if energy.calibrated is not None:
        low, high = energy.calibrated
        out.print(
            f"  {energy.toggles_per_cycle:.1f} toggles per cycle; calibrated from {low:.1f} to"
            f" {high:.1f}"
        )
    if energy.extrapolated:
        spread = energy.spread_mw
        out.print(
            f"  extrapolated: price sets that fit as well give"
            f" {short_number(spread.low)} to {short_number(spread.high)} mW"
        )
    out.print(_conditions(energy))
    for name, source in energy.sources.items():
        out.print(f"  source of {name}: {source}")


def _print_events(energy: Energy) -> None:
    out = console()
    events = table("switching energy by event, µJ", 1, "event", "count", "energy", "each, nJ")
    for event in sorted(energy.events, key=lambda each: (-each.energy_uj, each.event)):
        if event.count:
            star = " (estimate)" if event.estimated else ""
            figures = event.energy_uj, event.energy_uj / event.count * 1e3
            events.add_row(f"{event.event}{star}", event.count, *_figures(figures))
    if energy.events:
        out.print(events)
        if energy.kind == GATE_LEVEL:
            out.print(
                "  where buses change together, the fit of such a table may give the energy to"
                " one or to the other"
            )
    if any(event.event == Energy.OVERLAP for event in energy.events):
        out.print(
            f"  {Energy.OVERLAP}: cycles that events took beyond the length of the run, taken off"
        )


def _print_functions(energy: Energy, functions: Mapping[str, Energy]) -> None:
    out, whole = console(), energy.energy_uj.value
    title = f"{energy.what} energy by function, µJ"
    rows = table(title, 1, "function", "wall cycles, shared out", "energy", "of the energy", "mW")
    for name, spent in list(functions.items())[:_SHOWN_FUNCTIONS]:
        spent_uj, power = spent.energy_uj.value, short_number(spent.power_mw.value)
        share = _share(spent_uj, whole)
        rows.add_row(name, spent.wall_cycles, f"{spent_uj:,.4g}", share, power)
    out.print(rows)
    out.print(
        "  The slots of sleeping harts, anywhere in the run, are shared among functions by their"
        " awake slots.\n  A region has exact wall cycles: --region of `gnomon why`, sweeps, and"
        " budgets."
    )
    if any(spent.working_cycles for spent in functions.values()):
        out.print(
            "  mW are over the cycles in which a function works: its vector instructions may"
            " outlast its wall cycles"
        )


def print_quotes(rows: Sequence[tuple[str, str, OptionalEnergy]]) -> None:
    """Print the energies of several measurements, and the reasons for unavailable ones."""
    known = [(name, part, quote.energy) for name, part, quote in rows if quote.energy is not None]
    out = console()
    if known:
        shown = table(
            f"{known[0][2].what.capitalize()} energy", 2,
            "variant", "", "µJ", "low", "high", "mW", "low", "high", "µJ µs",
        )  # fmt: skip
        for name, part, energy in known:
            figure, power = energy.energy_uj, energy.power_mw
            shown.add_row(
                name,
                part,
                *_ends(figure),
                f"{short_number(power.value)}{' *' if energy.extrapolated else ''}",
                *(short_number(power.low), short_number(power.high)),
                f"{energy.energy_delay_uj_us.value:,.4g}",
            )
        out.print(shown)
        for conditions in dict.fromkeys(_conditions(energy) for _, _, energy in known):
            out.print(conditions)
        if any(energy.extrapolated for _, _, energy in known):
            out.print("  * extrapolated: the activity is outside that of the measured powers")
    for reason in dict.fromkeys(quote.reason for _, _, quote in rows if quote.energy is None):
        out.print(f"  energy unavailable: {reason}")


def _conditions(energy: Energy) -> str:
    what = f"  {energy.origin}, operands {energy.data};"
    return f"{what} static power {energy.static}"


def _share(part: float, whole: float) -> str:
    return f"{part / whole:.1%}" if whole else "-"


def _figures(values: Sequence[float]) -> list[str]:
    return [f"{value:,.4g}" for value in values]


def _ends(figure: Interval) -> list[str]:
    return _figures((figure.value, figure.low, figure.high))


def print_fit(fit: Fit) -> None:
    """Print parameters with intervals, errors, and parameters that the data do not identify."""
    out = console()
    rows = table(f"power of {len(fit.points.names)} points", 1,
                 "parameter", "value", "95 %, low", "high", "unit")  # fmt: skip
    for parameter in fit.parameters:
        end = "no limit" if math.isinf(parameter.high) else f"{parameter.high:.3f}"
        unit = "pJ per toggle" if parameter.units else "mW"
        rows.add_row(parameter.name, f"{parameter.value:.3f}", f"{parameter.low:.3f}", end, unit)
    out.print(rows)
    errors = table("error of predicted power", 1, "", "rms, mW", "mean, %", "largest, %")
    for name, each in (("fitted", fit.fitted), ("leave one out", fit.leave_one_out)):
        figures = (each.rms_mw, each.mean_percent, each.max_percent)
        errors.add_row(name, *(f"{figure:.2f}" for figure in figures))
    out.print(errors)
    low, high = fit.range_toggles_per_cycle
    out.print(f"  activity of the points: {low:.1f} to {high:.1f} toggles per cycle")
    if fit.not_identified:
        out.print("  the data do not identify:")
    for line in fit.not_identified:
        out.print(f"  - {line}")


_GROUPS = {
    "core": "core", "vcu": "vector unit", "scratchpad": "scratchpads", "unit": "user-defined units",
}  # fmt: skip
_WIDEST_CELL = 11
_HEADS = {"lut": "LUT", "ff": "FF", "dsp": "DSP", "bram": "BRAM"}


def print_area(found: Area) -> None:
    """Print components with counts, groups, total, and the origin of each figure."""
    out = console()
    title = f"{found.machine}: area by table {found.table}"
    parts = table(title, 3, "part", "how many", "figure is", *(_HEADS[n] for n in RESOURCES))
    for column in (parts.columns[0], *parts.columns[2:]):
        column.no_wrap = True  # a number split over two lines is unreadable
    for part in found.parts:
        name, kind = part.figure.name, part.figure.kind
        parts.add_row(name, part.counted, kind, *_counts(part.resources))
    parts.add_section()
    for group, title in _GROUPS.items():
        if any(part.group == group for part in found.parts):
            parts.add_row(title, "", "", *_counts(found.group(group)))
    total = found.total
    parts.add_row("total", "", "", *_counts(total))
    if found.device:
        share = (f"{total.of(name).value / found.capacity[name]:.1%}" for name in RESOURCES)
        parts.add_row(f"of {found.device}", "", "", *share)
    out.print(parts)
    kinds = ", ".join(
        f"{found.of_kind(kind, 'lut').value / total.lut.value:.0%} {kind}"
        for kind in KINDS
        if found.of_kind(kind, "lut").value
    )
    out.print(f"LUT by kind of figure: {kinds}. Not included: {found.not_included}.\n")
    if found.whole is not None:
        whole = ", ".join(
            f"{interval_text(found.whole.resources.of(name))} {_HEADS[name]}" for name in RESOURCES
        )
        out.print(f"our RTL of the whole machine, synthesised: {whole}")
        out.print(f"  {found.whole.source}  [{', '.join(found.whole.origins)}]\n")
    for part in found.parts:
        out.print(f"{part.figure.name}: {part.figure.source}  [{', '.join(part.figure.origins)}]")


def _counts(resources: Resources) -> list[str]:
    """Return texts of the resources, in two lines if one line would be too wide."""
    texts = (interval_text(resources.of(name)) for name in RESOURCES)
    return [text.replace(" ", "\n") if len(text) > _WIDEST_CELL else text for text in texts]


def interval_text(count: Interval) -> str:
    """Return text such as ``1,030 (300-1,030)``; a single number if there is no interval."""
    if count.low == count.value == count.high:
        return _number(count.value)
    return f"{_number(count.value)} ({_number(count.low)}-{_number(count.high)})"


def _number(value: float) -> str:
    return f"{value:,.0f}" if float(value).is_integer() or value >= 20 else f"{value:,.1f}"


def print_platform(platform: Platform) -> None:
    """Print the description of a core and each of its costs with its source."""
    out = console()
    out.print(f"{platform.name}: {platform.title} ({platform.file})")
    calibration = platform.calibration
    shown = {
        "clock": format_frequency(platform.clock.value),
        "power": f"{platform.power.value_mw:g} mW",
        "memory": format_size(platform.memory.size),
        "build": platform.build.optimization,
    }
    known = table("What is known", 3, "what", "value", "source")
    for name, text in shown.items():
        known.add_row(name, text, getattr(platform, name).source)
    known.add_row("factor", f"{calibration.factor:g}", calibration.source)
    out.print(known)
    costs = table("Cycles of an instruction", 5, "class", "cycles", "low", "high", "source")
    for name, cost in platform.cost_of.items():
        cycles = cost.interval
        numbers = (cycles.value, cycles.low, cycles.high)
        costs.add_row(name, *(f"{number:g}" for number in numbers), cost.source)
    out.print(costs)


def print_platform_runs(runs: Sequence[PlatformRun]) -> None:
    """Print cycles, time and energy of each run; a single line if a program does not fit."""
    first = runs[0].run
    platform = runs[0].platform
    sizes = ", ".join(f"{name} {value}" for name, value in first.sizes.named().items())
    out = console()
    rows = table(
        f"{first.learner}; {sizes}; {platform.name}, a cost model: built at"
        f" {platform.build.optimization}, counted, priced",
        2,
        *("variant", "stage", "cycles", "low", "high", "documented", "time, µs", "energy, µJ"),
    )
    for each in runs:
        variant = each.run.variant
        for title, stages in (*((name, (name,)) for name in each.mixes), ("both", ())):
            documented = each.documented_cycles(*stages).value
            rows.add_row(variant, title, *_shown(each.cycles(*stages), documented, platform))
            variant = ""
        rows.add_section()
    out.print(rows)
    for each in runs:
        memory = each.bytes
        verdict = "fits" if memory["fits"] else "does not fit"
        out.print(
            f"{each.run.variant}: needs {memory['needed']:,} bytes ({memory['static']:,}"
            f" static, {memory['stack']:,} stack) of {memory['available']:,}: {verdict}"
        )
    fitted = platform.calibration
    if not all(each.calibrated for each in runs):
        to = f"the {fitted.implementation} implementation" if fitted.implementation else "builds"
        out.print(
            f"The factor of this core is fitted to {to} at {fitted.optimization};"
            " these cycles are those of the documentation."
        )


def _shown(cycles: Interval | None, documented: float, platform: Platform) -> list[str]:
    if cycles is None:
        return ["does not fit", "", "", f"{documented:,.0f}", "", ""]
    time_us = microseconds(cycles.value, platform.clock.value)
    return [
        *(f"{number:,.0f}" for number in (cycles.value, cycles.low, cycles.high, documented)),
        f"{time_us:,.2f}",
        f"{time_us * platform.power.value_mw / 1e3:,.2f}",
    ]
