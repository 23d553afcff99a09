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
    records = np.zeros(len(architecture.devices), dtype=DEVICE.dtype)
    for record, device in zip(records, architecture.devices.values(), strict=True):
        record["kind"] = NUMBERS[f"DEVICE_{device.kind.upper()}"]
        record["base"], record["size"] = device.base, device.size_bytes
        record["stride"] = device.stride
        if device.every is not None:
            found["timer"] = TIMER.make()
            timer = only(found["timer"])
            timer["every"], timer["compare"] = device.every, _NO_INTERRUPT
    return found | {"devices": records}
