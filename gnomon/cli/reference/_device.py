"""The page of all keys of ``device.yaml``, and of the functions of a device."""

from pydantic import BaseModel

from gnomon.arch.devices.file import DeviceFile, DevicePriceKeys
from gnomon.arch.units.file import ParameterKeys
from gnomon.cli.reference._markdown import keys_table, page, table

_INTRODUCTION = """\
A device is a folder `devices/NAME/`: `device.yaml` and a file in C or Python
([guide](../guide/own-device.md); `gnomon new device NAME` writes an example). A machine has it if
its file says `devices: {ANY: {kind: NAME, base: ADDRESS}}`, with the parameters as
`parameters: {PARAMETER: value}`."""

_SECTIONS: tuple[tuple[str, type[BaseModel]], ...] = (
    ("Keys", DeviceFile), ("Each of the parameters", ParameterKeys), ("price", DevicePriceKeys),
)  # fmt: skip

_FUNCTIONS = (
    ("`uint32_t device_read(Device *, uint32_t offset, uint32_t lanes, uint64_t cycle)`",
     "`read(offset, lanes, cycle)`", "always", "the word at an offset"),
    (("`void device_write(Device *, uint32_t offset, uint32_t value, uint32_t lanes, uint64_t"
     " cycle)`"), "`write(offset, value, lanes, cycle)`", "always",
     "writes the bytes of a word; the value is in its byte lanes"),
    ("`uint32_t device_level(const Device *, uint64_t cycle)`", "`level(cycle)`", "`interrupt`",
     "whether it requests its interrupt in a cycle; changes nothing"),
    ("`uint64_t device_next(const Device *, uint64_t cycle)`", "`next(cycle)`",
     "`interrupt`, `master`", ("first later cycle in which the level may change without an"
     " access, or the next step; `DEVICE_NEVER`, None: none; changes nothing")),
    ("`void device_step(Device *, uint64_t cycle)`", "`step(cycle)`", "`master`",
     "a step in a cycle that `next` announced; it may access the memory"),
)  # fmt: skip

_CALLS = (
    ("`device_print(device, byte)`", "`self.host.print(text)`", "adds to the text of the run"),
    ("`device_load(device, address)`", "`self.host.load(address)`",
     "of a master, in `step`: the word of the memory at an address"),
    ("`device_store(device, address, value, lanes)`", "`self.host.store(address, value, lanes)`",
     "of a master, in `step`: writes bytes of a word"),
    ("`device_waits(device, address)`", "`self.host.waits(address)`",
     "wait states of the memory at an address"),
)  # fmt: skip

_RULES = """\
Bit k of `lanes` names byte k of the word that the program accesses. Cycles count from reset and
never decrease. A level shows an access from the next cycle on. Parameters are macros
`DEVICE_<NAME>` in C, and arguments of `Device(...)` in Python, which also gets `clock_hz` if it
takes that. State is all 0 at reset in C, where it is the only memory of a device: static variables
are rejected. `results()` of a class in Python returns what the run reports at its end."""


def device_page() -> str:
    parts = [_INTRODUCTION]
    for title, section in _SECTIONS:
        parts += [f"## {title}", keys_table(section)]
    parts += [
        "## Functions", _RULES, table(("C", "Python: class Device", "with", "meaning"), _FUNCTIONS),
        "## What a device may call", table(("C", "Python", "meaning"), _CALLS),
    ]  # fmt: skip
    return page("Keys of a device", *parts)
