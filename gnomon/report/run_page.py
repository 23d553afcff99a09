"""Page of a run: its cycles over time and by line; a live page has sliders.

The page draws itself from one JSON object, the result of :func:`view_of`. A live page requests a
new object for each setting, so both pages show the same.
"""

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from markupsafe import Markup

from gnomon.arch import Architecture
from gnomon.base.errors import visible
from gnomon.base.units import microseconds
from gnomon.cost.energy import OptionalEnergy
from gnomon.observe.profile import RunProfile
from gnomon.observe.why import StallAnalysis
from gnomon.program import Program
from gnomon.report.page import render_html
from gnomon.sim import Run

MOST_TRACED_CYCLES = 3_000_000
"""Longest run with a timeline, in cycles, because every issue of the run is recorded."""

_HTML = Path(__file__).with_name("html")
_BINS = 240
_WFI = 0x1050_0073
_MOST_LINES = 5_000
_FJ_PER_UJ = 1e9


def view_of(
    why: StallAnalysis, program: Program, sources: Sequence[Path] = (), operands: str | None = None
) -> dict[str, Any]:
    """Return the data of the page of a run, JSON-compatible.

    The program has debug information for its lines. ``sources`` are files whose lines are shown, in
    addition to files next to them that took cycles. ``operands`` are values that the energy
    assumes.
    """
    run, machine = why.run, why.architecture
    quote = (
        OptionalEnergy.from_work(run.work, machine, data=operands)
        if machine.power is not None
        else None
    )
    energy = None if quote is None or quote.energy is None else quote.energy.energy_uj
    code = "" if run.exit_code is None else f"exit code {run.exit_code}"
    return why.to_json() | {
        "ended": f"{run.halted}: {run.reason}" if run.reason else f"{run.halted}, {code}",
        "clock_hz": int(machine.clock),
        "time_us": microseconds(run.wall_cycles, machine.clock),
        "energy": "the machine names no power table" if quote is None else quote.line(),
        "energy_uj": None if energy is None else energy.value,
        "harts": [
            {"issued": hart.issued, "hart_cycles": hart.hart_cycles,
             "asleep": run.counters.get(f"hart{number}.parked", 0)}
            for number, hart in enumerate(run.harts)
        ],
        "console": visible(run.console),
        "warnings": list(run.warnings),
        "timeline": _timeline(run, program),
        **_by_line(run, program, machine, sources, operands),
    }  # fmt: skip


def run_page(view: dict[str, Any], knobs: Sequence[dict[str, Any]] = ()) -> str:
    """Return the page of a view; ``knobs`` are sliders that request data from its server."""
    data = json.dumps({"view": view, "knobs": list(knobs)}, separators=(",", ":"))
    inlined = data.replace("<", "\\u003c")  # no text of a source ends the script
    facts = {"view": view, "knobs": knobs, "data": Markup(inlined)}  # noqa: S704 - as said
    return render_html(_HTML, "run.html.j2", facts)


def _timeline(run: Run, program: Program) -> dict[str, Any] | None:
    """Return the activity of harts and units in a few hundred intervals of a traced run."""
    if run.trace is None or not len(run.trace) or run.trace_cut:
        return None
    width = -(-(run.wall_cycles + 1) // _BINS)
    bins = -(-(run.wall_cycles + 1) // width)
    trace = run.trace[run.trace["word"] != _WFI]
    pcs, of = np.unique(trace["pc"], return_inverse=True)
    functions = [program.function_name(int(pc)) for pc in pcs]
    names = sorted(set(functions))
    place = np.array([names.index(name) for name in functions], dtype=np.int64)[of]
    at = trace["cycle"] // width
    lanes = []
    for hart in range(len(run.harts)):
        mine = trace["hart"] == hart
        table = np.bincount(at[mine] * len(names) + place[mine], minlength=bins * len(names))
        counts = table[: bins * len(names)].reshape(bins, len(names)) if names else table
        shares = counts.sum(axis=1) * len(run.harts) / width
        hottest = counts.argmax(axis=1) if names else []
        lanes.append(_lane(f"hart {hart}", shares, [names[k] for k in hottest]))
    units = [(-1, "transfers"), *((k, f"vector unit {k}") for k in range(len(run.harts)))]
    for unit, name in units if run.spans is not None else ():
        assert run.spans is not None
        spans = run.spans[run.spans["unit"] == unit]
        if not len(spans):
            continue
        edges = np.zeros(bins * width + 1, dtype=np.int64)
        np.add.at(edges, np.minimum(spans["start"], bins * width), 1)
        np.add.at(edges, np.minimum(spans["last"] + 1, bins * width), -1)
        busy = (np.cumsum(edges[:-1]) > 0).reshape(bins, width).mean(axis=1)
        lanes.append(_lane(name, busy, []))
    return {"cycles_per_bin": width, "lanes": lanes}


def _lane(name: str, shares: Any, hottest: list[str]) -> dict[str, Any]:
    rounded = [round(min(float(each), 1.0), 3) for each in shares]
    return {"name": name, "shares": rounded, "hottest": hottest}


def _by_line(
    run: Run, program: Program, machine: Architecture, sources: Sequence[Path], operands: str | None
) -> dict[str, Any]:
    """Return source files with wall cycles and energy of each line, and the remaining cycles.

    Each wall cycle of the run is in one line of ``files`` or one row of ``elsewhere``: the lines of
    libraries and of the start-up are not shown.
    """
    profile = RunProfile.from_run(run, program, machine, data=operands)
    folders = list(dict.fromkeys(source.resolve().parent for source in sources))
    shown = {source.resolve(): source for source in sources}
    spent: dict[Path, dict[int, tuple[int, int | None]]] = {}
    asleep, other = 0, 0
    for row in profile.by_line():
        asleep, other = asleep + row.parked_cycles, other + row.cycles
        file, _, line = row.name.rpartition(":")
        # A build names files relative to its working directory, or by the last parts of their path.
        # If several paths end in these parts, the shortest is used.
        parts = Path(file).parts
        if not parts or not line.isdigit():
            continue
        places = [folder / parts[-1] for folder in folders]
        ending = (each for each in places if each.parts[-len(parts) :] == parts)
        nearest = sorted(ending, key=lambda each: len(each.parts))
        paths = (each.resolve() for each in (Path(file), *nearest) if each.is_file())
        path = next((each for each in paths if each.parent in folders), None)
        if path is not None:
            shown.setdefault(path, Path(file))
            lines_of = spent.setdefault(path, {})
            before, energy_fj = lines_of.get(int(line), (0, 0))  # two names of one file
            if energy_fj is not None and row.energy_fj is not None:
                energy_fj += row.energy_fj
            else:
                energy_fj = None
            lines_of[int(line)] = (before + row.cycles + row.parked_cycles, energy_fj)
            asleep, other = asleep - row.parked_cycles, other - row.cycles
    files = []
    alike = Counter(path.name for path in shown)
    for path, name in shown.items():
        try:
            text = path.read_text(encoding="utf-8", errors="replace")
        except OSError:
            other += sum(cycles for cycles, _ in spent.get(path, {}).values())
            continue
        lines = []
        of_file = spent.pop(path, {})
        for number, content in enumerate(text.splitlines()[:_MOST_LINES], 1):
            cycles, energy_fj = of_file.pop(number, (0, None))
            energy = None if energy_fj is None else round(energy_fj / _FJ_PER_UJ, 6)
            lines.append([visible(content), cycles, energy])
        other += sum(cycles for cycles, _ in of_file.values())  # of lines that are not shown
        files.append({"name": name.name if alike[path.name] == 1 else str(name), "lines": lines})
    elsewhere = {
        "start-up, libraries and code without a line": other,
        "sleeping harts": asleep,
        "before the first instruction": profile.boot_cycles,
    }
    return {"files": files, "elsewhere": [[name, n] for name, n in elsewhere.items() if n]}
