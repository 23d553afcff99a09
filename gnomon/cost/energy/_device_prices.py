"""Stated prices of accesses to user-defined devices."""

from dataclasses import dataclass

from gnomon.arch import Architecture
from gnomon.base.errors import GnomonError
from gnomon.sim import Work

_UJ_PER_PJ = 1e-6


@dataclass(frozen=True, slots=True)
class DeviceEnergy:
    """Accesses of one kind to a device, and their energy."""

    device: str
    event: str
    count: int
    energy_uj: float
    source: str


def price_accesses(work: Work, architecture: Architecture) -> list[DeviceEnergy]:
    """Return the energy of accesses to user-defined devices.

    Raises:
        GnomonError: if a device that the program accesses states no price.
    """
    found = []
    for name, count in work.accesses.items():
        code = architecture.devices[name].code
        if code is None:
            continue
        if code.price is None:
            raise GnomonError(
                f"device {name} ({code.name}) states no price in its device.yaml, so the energy of"
                " a program that accesses it is unavailable (price: {read: ..., write: ...,"
                " source: ...}, in pJ)"
            )
        for kind, times, pj in (
            ("read", count.reads, code.price.read_pj), ("write", count.writes, code.price.write_pj)
        ):  # fmt: skip
            if times:
                event, energy_uj = f"{kind} of {name}", times * pj * _UJ_PER_PJ
                found.append(DeviceEnergy(name, event, times, energy_uj, code.price.source))
    return found
