"""Instructions that restart the fetch, by wait states of instructions longer than their cycles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from gnomon.calibrate import _programs as programs
from gnomon.calibrate._device import Device, Waits
from gnomon.calibrate._measure import Flushed, Refused, measure
from gnomon.calibrate._programs import sequence_probe
from gnomon.isa import encode

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gnomon.calibrate._programs import Probe

_A, _B, _RD, _DATA = 10, 11, 14, 8
_ACCESSES: Final = {"lw": encode("lw", rd=_RD, rs1=_DATA),
                    "sw": encode("sw", rs1=_DATA, rs2=_B, imm=64)}  # fmt: skip
_SETTLED: Final = 8  # words after which one that waits for the port has had it
_WAITS: Final = Waits(64, 0)
_HIDDEN: Final = 44  # cycles of an instruction that these wait states hide


class Restarts(NamedTuple):
    """Instructions after which the next word is requested again; whether loads wait for the port
    of the fetch.
    """

    names: tuple[str, ...]
    accesses_wait: bool


def long_words(at_rest: Mapping[Probe, int], more_than: int) -> dict[str, int]:
    """Return a word of each instruction that always takes more cycles; no loads, stores, CSRs."""
    least: dict[str, int] = {}
    for probe, cycles in at_rest.items():
        if not probe.kind:
            least[probe.mnemonic] = min(cycles, least.get(probe.mnemonic, cycles))
    found = {}
    for name, cycles in least.items():
        if cycles > more_than and name not in (*programs.ACCESSES, *programs.CSRS):
            fence, registers = encode("fence", imm=0xFF), {"rd": _RD, "rs1": _A, "rs2": _B}
            found[name] = fence
            if name != "fence":
                found[name] = programs.encode_operation(name, 7, 3, **registers)[0]
    return found


def find_restarts(device: Device, spacers: int, at_rest: Mapping[Probe, int]) -> Restarts | None:
    """Return what does not hide its cycles in longer wait states of the next word.

    The next word arrives while an instruction is executed, unless it restarts the fetch, or waits
    for the port. Instructions that take longer than the wait states are taken to do neither.

    Args:
        device: device to measure.
        spacers: plain instructions on either side of each probe.
        at_rest: cycles of probes without wait states.

    None if the device has no wait states, or they show nothing.
    """
    if device.waits != "any":
        return None
    words = long_words(at_rest, 0) | _ACCESSES
    around = max(spacers, _SETTLED)
    probes = {name: sequence_probe(name, [word], 1, around) for name, word in words.items()}
    flushed = device if isinstance(device, Flushed) else Flushed(device)
    try:
        short = measure(flushed, probes.values(), Waits(0, 0)).cycles
        probes = {name: probe for name, probe in probes.items() if short[probe] <= _HIDDEN}
        measured = measure(flushed, probes.values(), _WAITS)
    except Refused:
        return None
    late = [name for name, probe in probes.items() if measured.cycles[probe] > measured.plain]
    names = tuple(name for name in late if name not in _ACCESSES)
    return Restarts(names, any(name in _ACCESSES for name in late))
