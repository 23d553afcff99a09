"""The devices of a machine as the engine reads them."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from gnomon.arch import Architecture
from gnomon.base.structs import only
from gnomon.base.values import to_json_data
from gnomon.sim._machine import Machine
from gnomon.sim._own_devices import OwnDevices
from gnomon.sim._structs import DEVICE, NUMBERS, TIMER

_NO_INTERRUPT = -1
"""mtimecmp after reset: all ones, which mtime does not reach."""


class DeviceRun(NamedTuple):
    """A device with registers in a run."""

    kind: str  # of the machine file
    reads: int  # of words by the program; an access to two words counts twice
    writes: int  # the same of writes
    results: Mapping[str, Any]  # what a device in Python reports at the end of the run

    def to_json(self) -> dict[str, Any]:
        """Return JSON-compatible data under the documented names."""
        found: dict[str, Any] = {"kind": self.kind, "reads": self.reads, "writes": self.writes}
        return found | ({"results": to_json_data(self.results)} if self.results else {})


def list_mapped(architecture: Architecture) -> list[str]:
    """Return the names of the devices with addresses, in the order of their records."""
    return [name for name, each in architecture.devices.items() if each.base is not None]


def device_tables(architecture: Architecture, own: OwnDevices) -> dict[str, npt.NDArray[Any]]:
    """Return the members of ``Machine`` about devices, after reset; none without devices."""
    if not architecture.devices:
        return {}
    found: dict[str, npt.NDArray[Any]] = {}
    mapped = [architecture.devices[name] for name in list_mapped(architecture)]
    records = np.zeros(len(mapped), dtype=DEVICE.dtype)
    for record, device in zip(records, mapped, strict=True):
        kind = "OWN" if device.code is not None else device.kind.upper()
        record["kind"] = NUMBERS[f"DEVICE_{kind}"]
        record["base"], record["size"] = device.base or 0, device.size_bytes
        record["stride"] = device.stride
        record["external"] = device.interrupt == "external"
        record["waits"] = -1 if device.waits is None else device.waits
        record["whole_words"] = device.code is not None and device.code.whole_words
        record["due"] = -1  # unknown before the first cycle
        if device.every is not None:
            found["timer"] = TIMER.make()
            timer = only(found["timer"])
            timer["every"], timer["compare"] = device.every, _NO_INTERRUPT
    own.fill(records)
    return found | {"devices": records}


def describe_devices(machine: Machine) -> dict[str, DeviceRun]:
    """Return the devices with registers, and what they report at the end of a run, by name.

    Raises:
        GnomonError: if the code of a device fails.
    """
    if "devices" not in machine.arrays:
        return {}
    results = machine.own_devices.results()
    held = machine.architecture.devices
    records = zip(list_mapped(machine.architecture), machine.arrays["devices"], strict=True)
    return {
        name: DeviceRun(
            held[name].kind, int(record["reads"]), int(record["writes"]), results.get(name, {})
        )
        for name, record in records
    }
