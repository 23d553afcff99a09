"""Cost-model cores and what they would take, as tables for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.base.console import console, table
from gnomon.base.units import format_frequency, format_size

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gnomon.base.interval import Interval
    from gnomon.cost.platforms import Platform, PlatformRun


def print_platform(platform: Platform) -> None:
    """Print what a core is and each of its costs with its source."""
    out = console()
    out.print(f"{platform.name}: {platform.title} ({platform.file})")
    calibration = platform.calibration
    shown = {
        "clock": format_frequency(platform.clock.value),
        "power": f"{platform.power.value_mw:g} mW",
        "memory": format_size(platform.memory.size),
        "build": platform.build.optimization,
    }
    facts = [(name, text, getattr(platform, name).source) for name, text in shown.items()]
    facts.append(("factor", f"{calibration.factor:g}", calibration.source))
    known = table("What is known", 3, "what", "value", "source")
    for row in facts:
        known.add_row(*row)
    out.print(known)
    costs = table("Cycles of an instruction", 5, "class", "cycles", "low", "high", "source")
    for name, cost in platform.cost_of.items():
        cycles = cost.interval
        numbers = (cycles.value, cycles.low, cycles.high)
        costs.add_row(name, *(f"{number:g}" for number in numbers), cost.source)
    out.print(costs)


def print_platform_runs(runs: Sequence[PlatformRun]) -> None:
    """Print cycles, time and energy of each run; a line instead where a program does not fit."""
    first = runs[0].run
    platform = runs[0].platform
    sizes = ", ".join(f"{name} {value}" for name, value in first.sizes.named().items())
    out = console()
    stages = table(
        f"{first.learner}; {sizes}; {platform.name}, a cost model: built at"
        f" {platform.build.optimization}, counted, priced",
        2,
        *("variant", "stage", "cycles", "low", "high", "documented", "time, µs", "energy, µJ"),
    )
    for each in runs:
        rows = [
            (title, each.cycles(*stages), each.documented_cycles(*stages).value)
            for title, stages in (*((name, (name,)) for name in each.mixes), ("both", ()))
        ]
        for index, (name, cycles, documented) in enumerate(rows):
            stages.add_row(
                each.run.variant if index == 0 else "",
                name,
                *_shown(cycles, documented, each.platform),
                end_section=index == len(rows) - 1,
            )
    out.print(stages)
    for each in runs:
        memory = each.bytes
        verdict = "fits" if memory["fits"] else "does not fit"
        out.print(
            f"{each.run.variant}: needs {memory['needed']:,} bytes ({memory['static']:,}"
            f" static, {memory['stack']:,} stack) of {memory['available']:,}: {verdict}"
        )
    if not all(each.calibrated for each in runs):
        out.print(
            "The factor of this core is fitted to the paper implementation at"
            f" {platform.calibration.optimization}; these cycles are those of the documentation."
        )


def _shown(cycles: Interval | None, documented: float, platform: Platform) -> list[str]:
    if cycles is None:
        return ["does not fit", "", "", f"{documented:,.0f}", "", ""]
    time_us = cycles.value * 1e6 / platform.clock.value
    return [
        *(f"{number:,.0f}" for number in (cycles.value, cycles.low, cycles.high, documented)),
        f"{time_us:,.2f}",
        f"{time_us * platform.power.value_mw / 1e3:,.2f}",
    ]
