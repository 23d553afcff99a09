"""Keys beyond ``core.latency`` of a core whose fetch has its own timing."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from gnomon.calibrate._candidates import (
    Candidate,
    Elimination,
    ProbeProgram,
    evidence_key,
    random_programs,
    show_values,
    with_candidate,
)
from gnomon.calibrate._device import Device, Waits
from gnomon.calibrate._fetch_keys import (
    REPLACED,
    fetch_programs,
    jump_programs,
    list_queues,
    list_restarts,
    vary_restarts,
    word_period,
)
from gnomon.calibrate._measure import NoQueue, Refused, join_targets
from gnomon.calibrate._predictor_keys import (
    LoopCosts,
    add_static,
    list_predictors,
    loop_costs,
    loop_programs,
)
from gnomon.calibrate._split import list_halves
from gnomon.calibrate._untaught import Untaught
from gnomon.isa import size_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gnomon.calibrate._inferred import Inferred

_RANDOM = (Waits(0, 0), Waits(1, 0), Waits(2, 3), Waits(3, 1))
_BACK = "the same branches forward and back, taken and not taken"
_LOOP = "rounds of a loop"
_PORT = "jumps and long instructions directly after loads and stores, and apart"
WITH_QUEUE: Final = "with a fetch queue, "
"""Before what the closest machine with a queue differs in, in a message."""
_MEASURED = {
    ("static", "predictor.kind"): _BACK,
    ("static", "predictor.hit"): _BACK,
    ("static", "predictor.miss"): _BACK,
    ("one-entry", "predictor.hit"): _LOOP,
    ("one-entry", "predictor.miss"): _LOOP,
    ("table", "predictor.hit"): _LOOP,
    ("table", "predictor.miss"): _LOOP,
}
"""Evidence of keys of a predictor, which no elimination fixes."""


def infer_fetch(
    inferred: Inferred, device: Device, refused: Refused | None, static: LoopCosts | None
) -> Inferred:
    """Return the keys of a machine, with those of a fetch queue and a predictor if it has them.

    Args:
        inferred: keys of ``core.latency``.
        device: device to measure.
        refused: why they do not describe its wait states; None if they do.
        static: costs of branches back, if they differ from those of others.

    Raises:
        Refused: if no machine file can describe the core.
    """
    if not device.sees_all:
        if refused is not None:
            raise refused
        return inferred
    structured = _keep_waits(fetch_programs(device), device)
    loops = _keep_waits(loop_programs(device), device)
    bases = Elimination(device, inferred, _add_static([Candidate({})], static))
    if isinstance(device, Untaught):  # the branches of all programs teach the counters
        loops = [*structured, *loops]
    elif refused is None and inferred.port is None:
        bases.run(structured)
        if not bases.left:
            bases = _try_halves(bases, structured, static)
    if not bases.left and any(key.startswith("icache.") for key in inferred.others):
        return inferred  # no machine has a queue, too; the comparison with programs shows why
    if refused is not None or inferred.port is not None or not bases.left:
        bases = _try_queues(device, inferred, structured, static)
    if not bases.left:
        if refused is None and inferred.port is None:  # the comparison with programs shows why
            return inferred
        raise _refuse(bases, refused)
    found = bases if static is not None else _find_predictor(bases, device, loops)
    if len(found.left) > 1:
        found.run(_keep_waits(random_programs(device, _RANDOM), device))
    if not found.left:
        raise _refuse(found, refused)
    return _record(found)


def _try_queues(
    device: Device, inferred: Inferred, programs: list[ProbeProgram], static: LoopCosts | None
) -> Elimination:
    """Return the candidates with a queue that agree with the device on programs."""
    skews = join_targets(inferred.skews, predicts=static is not None)
    inferred = replace(inferred, skews=skews)
    period = word_period(device)
    jumps = _keep_waits(jump_programs(device), device)
    found = Elimination(device, inferred, [])
    for listed in list_queues(inferred, device, period):
        candidates = listed
        if period > 1:
            first = Elimination(device, inferred, [*listed], found.by)
            first.run(jumps)
            agree = {id(each) for each in first.left}
            candidates = [each for each in listed if id(each) in agree]
        for restarts in list_restarts(inferred, period):
            some = list(vary_restarts(inferred, candidates, restarts))
            found = Elimination(device, inferred, _add_static(some, static), found.by)
            found.run(programs)
            if found.left:
                return found
    return found


def _try_halves(
    bases: Elimination, programs: list[ProbeProgram], static: LoopCosts | None
) -> Elimination:
    """Return the candidates that keep the upper half of a word; the first ones if none agrees."""
    if static is not None or size_bytes(bases.device.isa) == 4:
        return bases
    measured = bases.inferred.latency["split-target"]
    found = Elimination(bases.device, bases.inferred, list_halves(measured), list(bases.by))
    found.run(programs)
    return found if found.left else bases


def _add_static(bases: Sequence[Candidate], static: LoopCosts | None) -> list[Candidate]:
    if static is None:
        return list(bases)
    return [found for base in bases for found in add_static(base, static)]


def _find_predictor(bases: Elimination, device: Device, loops: list[ProbeProgram]) -> Elimination:
    """Return the candidates that agree with the device on loops, with a predictor if needed."""
    found = Elimination(device, bases.inferred, bases.left, list(bases.by))
    found.run(loops)
    if found.left:
        return found
    taken = bases.inferred.latency["branch-taken"]
    costs = loop_costs(device, taken)
    if costs is None:
        return bases
    candidates = [each for base in bases.left for each in list_predictors(base, costs, taken)]
    inferred = bases.inferred
    if any("fetch.queue" in each.others for each in candidates):
        inferred = replace(inferred, skews=join_targets(inferred.skews, predicts=True))
    found = Elimination(device, inferred, candidates, list(bases.by))
    found.run(loops)
    return found if found.left else bases  # the comparison with random programs shows why


def _keep_waits(programs: Iterable[ProbeProgram], device: Device) -> list[ProbeProgram]:
    """Return the programs with the wait states that a device can have."""
    if device.waits == "any":
        return list(programs)
    return [replace(each, waits=(Waits(0, 0),)) for each in programs if Waits(0, 0) in each.waits]


def _refuse(elimination: Elimination, refused: Refused | None) -> Refused:
    reason, _, listing = str(refused or "").partition("\n")
    without = f"{reason}; " if reason else ""
    listing = f"\n{listing}" if listing else ""
    if not elimination.by:
        return refused or Refused("a jump is shorter than one fetch")
    timeline = refused.timeline if refused is not None else ()
    return NoQueue(f"{without}{WITH_QUEUE}{elimination.closest()}{listing}", timeline)


def _record(elimination: Elimination) -> Inferred:
    """Return the keys with those of the first candidate that is left."""
    chosen, *others = elimination.left
    found = with_candidate(elimination.inferred, chosen)
    kind = str(chosen.others.get("predictor.kind"))
    for key in chosen.others:
        shown = _MEASURED.get((kind, key)) or elimination.evidence(chosen, key)
        if key == "fetch.port":
            shown = _PORT
        found.evidence[evidence_key(key)] = shown
        values = sorted({each.others.get(key) for each in others} | {chosen.others[key]}, key=str)
        if len(values) > 1:
            found.notes.append(
                f"core.{key} is not identifiable: {show_values(values)} fit equally; chosen: "
                f"{show_values([chosen.others[key]])}"
            )
    if "fetch.queue" in chosen.others:
        for key in ("jump", "branch-taken"):
            found.evidence[key] += ", without the fetch of the target"
        if "fetch.port" in chosen.others:
            for key in ("load", "store"):
                found.evidence[key] += ", without the fetch that waits for them"
        found.evidence |= dict.fromkeys(REPLACED, "core.fetch describes it")
    return found
