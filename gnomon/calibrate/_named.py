"""The key that is not identified, if no machine file describes a core."""

from __future__ import annotations

from gnomon.calibrate._cache import KEY, warm_up
from gnomon.calibrate._device import Device, Waits
from gnomon.calibrate._fetch_keys import word_period
from gnomon.calibrate._measure import Flushed, Misbehaved, NoQueue, Refused, measure, quick
from gnomon.calibrate._predictor_keys import learns, share_counters, static_costs
from gnomon.calibrate._shared_port import flush

_SPACERS = 8
_NAMES = "is not identifiable"


def name_key(device: Device, refused: Refused) -> Refused:
    """Return a refusal that begins with the key that shows on the device and is not identified.

    Of several it is the one on whose values the measurements of the others depend. A refusal stays
    if it names a key, if no key shows, or if the core does not execute the programs.
    """
    if isinstance(refused, Misbehaved) or _NAMES in str(refused):
        return refused
    try:
        key = _find_key(device)
    except Refused:  # the reason is the first one
        return refused
    if not key and isinstance(refused, NoQueue):
        key = "core.fetch"
    return Refused(f"{key} {_NAMES}: {refused}", refused.timeline) if key else refused


def _find_key(device: Device) -> str:
    warm, lines = warm_up(device)
    if share_counters(device):
        return "core.predictor"
    shared = flush(warm)
    cycles = measure(shared, quick(shared, _SPACERS), Waits(0, 0)).cycles
    if static_costs(cycles) is not None or learns(device):
        return "core.predictor"
    if isinstance(shared, Flushed):
        return "core.fetch.port"
    if lines is not None:
        return KEY
    return "core.fetch.interval" if word_period(device) > 1 else ""
