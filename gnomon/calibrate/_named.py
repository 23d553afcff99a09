"""The key that is not identified, if no machine file describes a core."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.calibrate._cache import KEY, warm_up
from gnomon.calibrate._candidates import probe_program
from gnomon.calibrate._device import Device, Waits
from gnomon.calibrate._fetch_keys import word_period
from gnomon.calibrate._measure import (
    Flushed,
    Misbehaved,
    NoQueue,
    Refused,
    Undescribed,
    execute_cycles,
    measure,
    quick,
)
from gnomon.calibrate._predictor_keys import learns, share_counters, static_costs
from gnomon.calibrate._programs import ACCESSES, BRANCHES, PLAIN
from gnomon.calibrate._restarts import find_restarts
from gnomon.calibrate._shared_port import flush
from gnomon.isa import encode

if TYPE_CHECKING:
    from collections.abc import Collection

_SPACERS = 8
_NAMES = "is not identifiable"
_ROW = 8  # plain words before and after a load
_LONG = Waits(15, 64)  # a load waits for more fetches than one


def name_key(device: Device, refused: Refused, shown: Collection[str] = BRANCHES) -> Refused:
    """Return a refusal that begins with the key that shows on the device and is not identified.

    Of several it is the one on whose values the measurements of the others depend. A refusal stays
    if it names a key or says that none exists, if no key shows, or if the core does not execute
    the programs.

    Args:
        device: device that was measured.
        refused: why no machine file describes it.
        shown: mnemonics of the smallest program that shows it; without branches, no predictor is
            the reason, and without jumps, loads and stores no fetch.
    """
    if isinstance(refused, (Misbehaved, Undescribed)) or _NAMES in str(refused):
        return refused
    if not {*BRANCHES, *ACCESSES, "jal", "jalr"} & {*shown}:
        return Refused(f"core.latency {_NAMES}: {refused}", refused.timeline)
    try:
        key = _find_key(device, branches=not {*BRANCHES}.isdisjoint(shown), fence="fence" in shown)
    except Refused:  # the reason is the first one
        return refused
    if not key and isinstance(refused, NoQueue):
        key = "core.fetch"
    return Refused(f"{key} {_NAMES}: {refused}", refused.timeline) if key else refused


def _find_key(device: Device, *, branches: bool, fence: bool) -> str:
    warm, lines = warm_up(device)
    if branches and share_counters(device):
        return "core.predictor"
    shared = flush(warm)
    cycles = measure(shared, quick(shared, _SPACERS), Waits(0, 0)).cycles
    if branches and (static_costs(cycles) is not None or learns(device)):
        return "core.predictor"
    if isinstance(shared, Flushed):
        return "core.fetch.port"
    if lines is not None:
        return KEY
    if word_period(device) > 1:
        return "core.fetch.interval" if _fetches_ahead(device) else "core.latency"
    restarts = find_restarts(shared, _SPACERS, cycles)
    if restarts is None or "lui" in restarts.names:
        return ""  # no queue: no instruction hides its cycles in wait states of the next word
    if restarts.accesses_wait:
        return "core.fetch.port"
    # A fence has no result, so that only an interlock holds what follows it. A restart of the fetch
    # hides it, unless the fence waits for an access.
    return "core.latency.interlocks" if fence and "fence" in restarts.names else ""


def _fetches_ahead(device: Device) -> bool:
    """Return whether more than the next word is fetched while a load waits."""
    row = [PLAIN] * _ROW
    body = [*row, encode("lw", rd=12, rs1=8), *row]
    program = probe_program(device, "load", body, ()).program
    retired = device.execute(program, _LONG)
    found = [
        number
        for number, each in enumerate(retired)
        if program.instruction_at(each.pc) == body[_ROW]
    ]
    if not found:
        return True
    usual, second = (execute_cycles(retired, found[-1] + n, 1) for n in (-2, 2))
    return usual is None or second is None or second < usual
