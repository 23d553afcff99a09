"""What another machine would gain: the same program on machines that differ in one key.

Where the path of the run can be recorded (:func:`gnomon.sim.record_path`), other lanes, sharing and
dividers are priced by re-timing it, which is exact and quick; else each machine runs the
program. Both give the cycles of a direct run, and each row says which it was.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from gnomon.arch import load_architecture
from gnomon.arch.dividers import divider_names
from gnomon.base.errors import GnomonError
from gnomon.sim import NotPriceable, record_path, retime, simulate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from gnomon.arch import Architecture
    from gnomon.program import Program
    from gnomon.sim import Region, RegionRun, TimedPath

Method = Literal["re-timed", "run"]
"""How a figure came about."""

_MOST_LANES = 8


@dataclass(frozen=True, slots=True)
class Gain:
    """The region on another machine.

    Attributes:
        change: in words.
        setting: the key and its value, as ``--set`` takes them.
        cycles: wall cycles of the region there; None: it does not run there.
        method: how they came about.
        reason: why there are none.
    """

    change: str
    setting: str
    cycles: int | None
    method: Method
    reason: str = ""


@dataclass(frozen=True, slots=True)
class WhatIf:
    """A region as it is, and its gains, the largest first.

    Attributes:
        region: its name.
        cycles: wall cycles on the machine asked for, summed over harts that ran it.
        gains: other machines.
        refusal: why the path could not be recorded, if so.
    """

    region: str
    cycles: int
    gains: tuple[Gain, ...]
    refusal: str


def what_if(
    program: Program, machine: str, overrides: Sequence[str], region: Region, *, max_cycles: int
) -> WhatIf:
    """Price the neighbors of a machine.

    Args:
        program: what to run.
        machine: name or path of the machine.
        overrides: settings that it already has.
        region: what to measure.
        max_cycles: where a run ends that does not end by itself.

    Raises:
        GnomonError: the program does not run to its exit on the machine, or never the region.
    """
    here = load_architecture(machine, overrides)
    path: TimedPath | None = None
    refusal = ""
    try:
        path = record_path(program, here, [region], max_cycles=max_cycles)
    except NotPriceable as refused:
        refusal = str(refused)

    def direct(architecture: Architecture) -> int:
        run = simulate(program, architecture, regions=[region], max_cycles=max_cycles)
        if run.halted != "exit":
            raise GnomonError(f"{program.name}: {run.halted}: {run.reason}")
        return _cycles(run.regions[region.name], program, region)

    if path is not None:
        cycles = _cycles(retime(path, here)[region.name], program, region)
    else:
        cycles = direct(here)
    gains = []
    for change, settings in _candidates(here):
        found = [
            _gain(change, setting, path, region, program, direct, machine, overrides)
            for setting in settings
        ]
        known = [each for each in found if each.cycles is not None]
        gains.append(min(known, key=lambda each: each.cycles or 0) if known else found[0])
    return WhatIf(
        region.name,
        cycles,
        tuple(sorted(gains, key=lambda each: (each.cycles is None, each.cycles or 0))),
        refusal,
    )


def _gain(
    change: str,
    setting: str,
    path: TimedPath | None,
    region: Region,
    program: Program,
    direct: Callable[[Architecture], int],
    machine: str,
    overrides: Sequence[str],
) -> Gain:
    method: Method = "run"
    try:
        architecture = load_architecture(machine, [*overrides, *setting.split(" ")])
        if path is not None:
            try:
                priced = retime(path, architecture)[region.name]
            except NotPriceable:
                pass
            else:
                return Gain(change, setting, _cycles(priced, program, region), "re-timed")
        return Gain(change, setting, direct(architecture), method)
    except GnomonError as refused:
        return Gain(change, setting, None, method, str(refused))


def _candidates(here: Architecture) -> Iterable[tuple[str, list[str]]]:
    """Changes with the settings that make them; of several, the best is told."""
    vcu, core = here.vcu, here.core
    if vcu is not None:
        if 2 * vcu.simd <= _MOST_LANES:
            yield "twice the lanes", [f"vcu.simd={2 * vcu.simd}"]
        if vcu.simd > 1:
            yield "half the lanes", [f"vcu.simd={vcu.simd // 2}"]
        if vcu.divider is not None:
            names = [name for name in divider_names() if name not in (vcu.divider, "table")]
            yield "fastest vector divider", [f"vcu.divider={name}" for name in names]
    if core.divider is not None:
        names = [name for name in divider_names() if name not in (core.divider, "table")]
        yield "fastest divider", [f"core.divider={name}" for name in names]
    if core.model == "t13" and not core.superscalar:
        yield "superscalar execution", ["core.superscalar=true"]


def _cycles(runs: Sequence[RegionRun], program: Program, region: Region) -> int:
    if not runs:
        raise GnomonError(f"{program.name}: {region.name} was never entered and left")
    return sum(run.wall_cycles for run in runs)
