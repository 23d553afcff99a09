"""The devices of a machine as the engine reads them."""

from typing import Any

import numpy as np
import numpy.typing as npt

from gnomon.arch import Architecture
from gnomon.sim._structs import DEVICE, NUMBERS


def device_tables(architecture: Architecture) -> dict[str, npt.NDArray[Any]]:
    """Return the members of ``Machine`` about devices, after reset; none without devices."""
    if not architecture.devices:
        return {}
    records = np.zeros(len(architecture.devices), dtype=DEVICE.dtype)
    for record, device in zip(records, architecture.devices.values(), strict=True):
        record["kind"] = NUMBERS[f"DEVICE_{device.kind.upper()}"]
        record["base"], record["size"] = device.base, device.size_bytes
        record["stride"] = device.stride
    return {"devices": records}
