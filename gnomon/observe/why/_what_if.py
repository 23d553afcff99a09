"""What-if results: the same program on machines that differ in one key.

If the path of the run can be recorded (:func:`gnomon.sim.record_path`), re-timing prices other
lanes, sharing and dividers exactly and fast. Otherwise each machine runs the program. Both methods
give the cycles of a direct run, and each row names its method.
"""

from collections.abc import Iterable, Sequence

from gnomon.arch import Architecture, load_architecture
from gnomon.arch.dividers import Divider
from gnomon.base.errors import GnomonError
from gnomon.observe.why._analysis import Gain, Method, WhatIf
from gnomon.observe.why._end import run_to_end
from gnomon.program import Program
from gnomon.sim import NotPriceable, Region, TimedPath, record_path

_MOST_LANES = 8
_IF_FAST = "if it reaches the clock"
"""Tables of dividers hold cycles; no clock follows from them."""


def compute_what_if(
    program: Program,
    machine: str,
    overrides: Sequence[str],
    region: Region,
    *,
    max_cycles: int,
    exits: bool = True,
) -> WhatIf:
    """Price a region on the neighbors of a machine, which differ from it in one key.

    Args:
        program: the program.
        machine: name or path of the machine.
        overrides: settings that the machine already has.
        region: the region to measure.
        max_cycles: cycle limit of a run that does not terminate.
        exits: whether the program has an exit; else each machine runs it.

    Raises:
        GnomonError: if the program does not run to its end on the machine, or no hart enters
            and leaves the region.
    """
    here = load_architecture(machine, overrides)
    path: TimedPath | None = None
    refusal = ""
    if exits:
        try:
            path = record_path(program, here, [region], max_cycles=max_cycles)
        except NotPriceable as error:
            refusal = str(error)
    else:
        refusal = "the program has no exit"

    def part(architecture: Architecture) -> tuple[int, tuple[int, ...], Method]:
        try:
            if path is not None:
                runs = path.retime(architecture)[region.name]
                if len(runs) == 1:
                    return runs[0].wall_cycles, (runs[0].hart,), "re-timed"
        except NotPriceable:
            pass
        return (*_measure(program, architecture, region, max_cycles), "run")

    def gain(change: str, setting: str) -> Gain:
        try:
            there = load_architecture(machine, [*overrides, *setting.split(" ")])
            cycles, _, method = part(there)
            return Gain(change, setting, cycles, method)
        except GnomonError as error:
            return Gain(change, setting, None, "run", str(error))

    def order(each: Gain) -> tuple[bool, int]:
        return each.cycles is None, each.cycles or 0

    now, harts, _ = part(here)
    gains = []
    for change, settings in _candidates(here):
        tried = [gain(change, setting) for setting in settings]
        # Where each of several dividers takes the same cycles as here, nothing is divided.
        if len(tried) == 1 or any(each.cycles != now for each in tried):
            gains.append(min(tried, key=order))
    ranked = tuple(sorted(gains, key=order))
    return WhatIf(region.name, harts[0], now, ranked, refusal, harts)


def _measure(
    program: Program, architecture: Architecture, region: Region, max_cycles: int
) -> tuple[int, tuple[int, ...]]:
    """Return the wall cycles of a region in a run, and the harts that they are of."""
    run, ends = run_to_end(program, architecture, [region], max_cycles=max_cycles)
    if run.halted != "exit" and not ends:
        raise GnomonError(f"{program.name}: {run.halted}: {run.reason}")
    total = run.region_totals.get(region.name)
    if total is None:
        raise GnomonError(f"{program.name}: {region.name} was never entered and left")
    if total.unfinished:  # take the lowest hart that leaves it, which the result names
        lowest = min(run.regions[region.name], key=lambda each: each.hart)
        return lowest.wall_cycles, (lowest.hart,)
    return total.wall_cycles, total.harts


def _candidates(here: Architecture) -> Iterable[tuple[str, list[str]]]:
    """Yield changes with their settings; of several settings, only the best is reported."""
    vcu, core = here.vcu, here.core
    if vcu is not None:
        if 2 * vcu.simd <= _MOST_LANES:
            yield "twice the lanes", [f"vcu.simd={2 * vcu.simd}"]
        if vcu.simd > 1:
            yield "half the lanes", [f"vcu.simd={vcu.simd // 2}"]
        if vcu.divider is not None:
            names = [name for name in Divider.by_name() if name not in (vcu.divider, "table")]
            yield f"fastest vector divider, {_IF_FAST}", [f"vcu.divider={name}" for name in names]
    if core.divider is not None:
        names = [name for name in Divider.by_name() if name not in (core.divider, "table")]
        yield f"fastest divider, {_IF_FAST}", [f"core.divider={name}" for name in names]
    if core.model == "t13" and not core.superscalar:
        yield "superscalar execution", ["core.superscalar=true"]
