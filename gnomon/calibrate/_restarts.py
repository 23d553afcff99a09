"""Instructions that restart the fetch, by wait states of instructions longer than their cycles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from gnomon.calibrate import _programs as programs
from gnomon.calibrate._device import Device, Waits
from gnomon.calibrate._measure import Flushed, Refused, measure
from gnomon.calibrate._programs import sequence_probe
from gnomon.isa import encode

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gnomon.calibrate._programs import Probe

_A, _B, _RD = 10, 11, 14
_LONGER: Final = 20  # wait states beyond the cycles of the longest instruction


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


def find_restarts(
    device: Device, spacers: int, at_rest: Mapping[Probe, int]
) -> tuple[str, ...] | None:
    """Return the instructions after which the next word is requested again.

    The next word arrives while an instruction is executed, so that it hides its cycles in longer
    wait states, unless it restarts the fetch.

    Args:
        device: device to measure.
        spacers: plain instructions on either side of each probe.
        at_rest: cycles of probes without wait states.

    None if the device has no wait states, or they show nothing.
    """
    if device.waits != "any":
        return None
    longest = max(cycles for probe, cycles in at_rest.items() if not probe.kind)
    words = long_words(at_rest, 0)
    probes = {name: sequence_probe(name, [word], 1, spacers) for name, word in words.items()}
    flushed = device if isinstance(device, Flushed) else Flushed(device)
    try:
        measured = measure(flushed, probes.values(), Waits(longest + _LONGER, 0))
    except Refused:
        return None
    return tuple(name for name, probe in probes.items()
                 if measured.cycles[probe] > measured.plain)  # fmt: skip
