"""Energies as tables for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.base.console import console, table
from gnomon.cost.energy import Event

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gnomon.cost.energy import Energy, Quote

_SMALLEST_SHARE = 0.0005
_SHOWN_FUNCTIONS = 12


def print_energy(energy: Energy, functions: Mapping[str, Energy] | None = None) -> None:
    """Print the energy of a run by unit, event and function, and what it does not hold."""
    out = console()
    whole = energy.energy_uj.value
    units = table("dynamic energy by unit, µJ", 1, "unit", "energy", "low", "high", "share")
    for unit, figure in energy.units.items():
        if abs(figure.value) < _SMALLEST_SHARE * whole and figure.high < _SMALLEST_SHARE * whole:
            continue
        units.add_row(
            unit, *_figures((figure.value, figure.low, figure.high)),
            f"{figure.value / whole:.1%}",
        )  # fmt: skip
    units.add_section()
    total = energy.energy_uj
    units.add_row("all", *_figures((total.value, total.low, total.high)), "100.0%")
    out.print(units)

    events = table("switching energy by event, µJ", 1, "event", "count", "energy", "each, nJ")
    for event in sorted(energy.events, key=lambda each: (-each.energy_uj, each.event)):
        if event.count:
            star = " (estimate)" if event.estimated else ""
            single_nj = event.energy_uj / event.count * 1e3
            events.add_row(
                f"{event.event}{star}", f"{event.count:,}", *_figures((event.energy_uj, single_nj))
            )
    out.print(events)
    if any(event.event == Event.OVERLAP for event in energy.events):
        out.print(
            f"  {Event.OVERLAP}: cycles that events took beyond the length of the run, taken off"
        )
    if functions:
        rows = table(
            "dynamic energy by function, µJ", 1, "function", "cycles", "energy", "share", "mW"
        )
        for name, spent in list(functions.items())[:_SHOWN_FUNCTIONS]:
            rows.add_row(
                name,
                f"{spent.wall_cycles:,}",
                *_figures((spent.energy_uj.value,)),
                f"{spent.energy_uj.value / whole:.1%}",
                f"{spent.power_mw.value:.0f}",
            )
        out.print(rows)
    product = energy.energy_delay_uj_us
    out.print(
        f"  energy-delay product {product.value:,.4g} µJ µs ({product.low:,.3g} to"
        f" {product.high:,.3g})"
    )
    low, high = energy.calibrated
    out.print(
        f"  {energy.toggles_per_cycle:.1f} toggles per cycle; calibrated from {low:.1f} to"
        f" {high:.1f}"
    )
    if energy.extrapolated:
        spread = energy.spread_mw
        out.print(
            f"  extrapolated: price sets that fit as well give {spread.low:.0f} to"
            f" {spread.high:.0f} mW"
        )
    out.print(f"  static power {energy.static}")


def print_quotes(rows: Sequence[tuple[str, str, Quote]]) -> None:
    """Print the energies of several measurements, or once why they are not known."""
    known = [(name, part, quote.energy) for name, part, quote in rows if quote.energy is not None]
    out = console()
    if known:
        shown = table(
            "Dynamic energy", 2, "variant", "", "µJ", "low", "high", "mW", "low", "high", "µJ µs"
        )
        for name, part, energy in known:
            figure, power = energy.energy_uj, energy.power_mw
            shown.add_row(
                name,
                part,
                *_figures((figure.value, figure.low, figure.high)),
                f"{power.value:.0f}{' *' if energy.extrapolated else ''}",
                *(f"{power.low:.0f}", f"{power.high:.0f}"),
                f"{energy.energy_delay_uj_us.value:,.4g}",
            )
        out.print(shown)
        first = known[0][2]
        out.print(
            f"  power table {first.table}, operands {first.data}; static power {first.static}"
        )
        if any(energy.extrapolated for _, _, energy in known):
            out.print("  * extrapolated: the activity is outside that of the measured powers")
    for reason in dict.fromkeys(quote.reason for _, _, quote in rows if quote.energy is None):
        out.print(f"  energy not known: {reason}")


def _figures(values: Sequence[float]) -> list[str]:
    return [f"{value:,.4g}" for value in values]
