"""Results that are available only after their instruction, by producer, consumer and operand."""

from collections.abc import Iterable
from itertools import product
from statistics import mode
from typing import Any

from gnomon.calibrate import _programs as programs
from gnomon.calibrate._device import Device, Waits
from gnomon.calibrate._measure import Measured, Refused, measure
from gnomon.calibrate._programs import Probe
from gnomon.calibrate._shared_port import SharedPort

_FAR = 12  # instructions between producer and consumer after which the consumer never waits
_NEAR = (1, 2, 3)
_LOADS = programs.ACCESSES[:5]
Delays = dict[tuple[str, str], int]


def delays(
    device: Device, spacers: int, port: SharedPort | None = None, *, slow: bool = False
) -> tuple[Delays, int]:
    """Return the wait of each operand for a producer directly before it, and the probe count.

    Waits are in cycles. Producers without a waiting consumer are left out.

    Args:
        device: device to measure.
        spacers: plain instructions on either side of each probe.
        port: how loads delay the fetch; then the cycles of their consumers count, not those of
            all. Without its ``lead``, waits for loads do not show, and are not measured.
        slow: jumps wait until the port has fetched another word; their waits are not measured.

    Raises:
        Refused: if the wait does not shrink by the execute cycles between the two instructions.
    """
    absent = _list_absent(device)
    if port is not None and port.lead is None:
        absent |= set(_LOADS)
    makers = [name for name in programs.MAKERS if name not in absent]
    jumps = {*programs.BRANCHES, "jalr"} if slow else set()
    readers = [each for each in _list_readers(device) if each.split(".")[0] not in jumps]
    first = list(product(makers, readers))
    probes, measured = _measure_pairs(device, spacers, first, (0, 1), port)
    near = {key: measured.cycles[probe] for key, probe in probes.items()}
    plain, count = measured.plain, len(probes)

    def fetch(maker: str, distance: int) -> int:
        return 0 if port is None else port.fetch_after(maker, distance)

    def between(maker: str) -> int:
        """Return the cycles that each instruction between two adds."""
        return plain if port is None or port.lead_of(maker) is None else 0

    suspects = {(maker, reader) for maker, reader in first
                if (maker, reader, 0) in near
                and near[maker, reader, 0] + between(maker)
                != near[maker, reader, 1] - fetch(maker, 1)}  # fmt: skip
    if not suspects:
        return {}, count
    probes, measured = _measure_pairs(device, spacers, suspects, (0, *_NEAR, _FAR), port)
    taken = {key: measured.cycles[probe] for key, probe in probes.items()}
    late = {maker for maker, _ in suspects}
    found: Delays = {(maker, reader): 0 for maker, reader, _ in near if maker in late}
    for maker, reader in sorted(suspects):
        waits = {
            distance: taken[maker, reader, distance] - taken[maker, reader, _FAR]
            + (_FAR - distance) * between(maker)
            for distance in (0, *_NEAR)
        }  # fmt: skip
        listing = measured.listing(probes[maker, reader, 0])
        if waits[0] < 0:
            raise Refused(
                f"{maker} and {reader} directly after it take {-waits[0]} cycles less than "
                f"{_FAR} instructions apart: {maker} overlaps with later instructions, as a unit "
                f"outside the pipeline does; no key of core.latency describes it{listing}"
            )
        for distance, wait in waits.items():
            if wait != max(fetch(maker, distance), waits[0] - distance * plain):
                raise Refused(
                    f"{reader} waits {waits[0]} cycles for {maker} directly before it, and {wait} "
                    f"with {distance} instructions between them; no delay gives both{listing}"
                )
        found[maker, reader] = waits[0]
    return found, count + len(probes)


def _list_absent(device: Device) -> set[str]:
    return set(programs.UNITS) - set(programs.units(device.isa)) | device.excluded


def _list_readers(device: Device) -> list[str]:
    absent = _list_absent(device)
    return [each for each in programs.READERS if each.split(".")[0] not in absent]


def _measure_pairs(
    device: Device,
    spacers: int,
    pairs: Iterable[tuple[str, str]],
    distances: Iterable[int],
    port: SharedPort | None,
) -> tuple[dict[tuple[str, str, int], Probe], Measured]:
    distances = tuple(distances)
    probes: dict[tuple[str, str, int], Probe] = {}
    for maker, reader in sorted(pairs):
        lead = None if port is None else port.lead_of(maker)
        for distance in distances:
            probe = programs.pair(maker, reader, distance, device.start, spacers, lead)
            if probe is not None:
                probes[maker, reader, distance] = probe
    return probes, measure(device, probes.values(), Waits(0, 0))


def entries(delays: Delays, device: Device) -> tuple[dict[str, int], list[dict[str, Any]]]:
    """Return the keys of core.latency for delays: load-use and mul-use, and entries of bypass."""
    units, readers = programs.units(device.isa), _list_readers(device)
    usual = {
        maker: mode(delays[maker, each] for each in readers if (maker, each) in delays)
        for maker in {maker for maker, _ in delays}
    }
    keys = {
        name: mode(usual.get(each, 0) for each in alike)
        for name, alike in (("load-use", _LOADS), ("mul-use", programs.UNITS[:4]))
    }
    by_key = dict.fromkeys(_LOADS, keys["load-use"]) | dict.fromkeys(units[:4], keys["mul-use"])
    groups: dict[tuple[tuple[str, ...], int], list[str]] = {}
    for maker in (each for each in programs.MAKERS if each not in device.excluded):
        mine = usual.get(maker, 0)
        if mine != by_key.get(maker, 0):
            groups.setdefault(((), mine), []).append(maker)
        others: dict[int, list[str]] = {}
        for reader in readers:
            wait = delays.get((maker, reader), mine)
            if wait != mine:
                others.setdefault(wait, []).append(reader)
        for wait, reading in others.items():
            groups.setdefault((tuple(reading), wait), []).append(maker)
    return keys, [
        {"of": of, **({"to": list(to)} if to else {}), "cycles": cycles}
        for (to, cycles), of in groups.items()
    ]
