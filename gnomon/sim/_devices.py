"""The devices of a machine as the engine reads them."""

from typing import Any

import numpy as np
import numpy.typing as npt

from gnomon.arch import Architecture
from gnomon.base.structs import only
from gnomon.sim._structs import DEVICE, NUMBERS, TIMER

_NO_INTERRUPT = -1
"""mtimecmp after reset: all ones, which mtime does not reach."""


def device_tables(architecture: Architecture) -> dict[str, npt.NDArray[Any]]:
    """Return the members of ``Machine`` about devices, after reset; none without devices."""
    if not architecture.devices:
        return {}
    found: dict[str, npt.NDArray[Any]] = {}
    spans = [(each, each.span(name)) for name, each in architecture.devices.items()]
    mapped = [(each, span) for each, span in spans if span is not None]
    records = np.zeros(len(mapped), dtype=DEVICE.dtype)
    for record, (device, span) in zip(records, mapped, strict=True):
        record["kind"] = NUMBERS[f"DEVICE_{device.kind.upper()}"]
        record["base"], record["size"] = span.base, device.size_bytes
        record["stride"] = device.stride
        record["external"] = device.interrupt == "external"
        if device.every is not None:
            found["timer"] = TIMER.make()
            timer = only(found["timer"])
            timer["every"], timer["compare"] = device.every, _NO_INTERRUPT
    return found | {"devices": records}
