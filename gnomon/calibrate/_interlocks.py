"""Waits that no key of ``core.latency`` describes.

Each is measured by two programs that differ in one respect, and take equally many cycles on every
machine.
"""

from collections.abc import Collection, Iterator
from typing import Final, NamedTuple

from gnomon.calibrate import _programs as programs
from gnomon.calibrate._device import Device, Waits
from gnomon.calibrate._measure import Refused, measure
from gnomon.calibrate._programs import PLAIN, Probe, sequence_probe
from gnomon.isa import encode

_A, _B, _RD, _FREE, _ELSE, _DATA = 10, 11, 12, 13, 14, 8
_FAR: Final = 12  # plain instructions between two that are apart
_OVER: Final = 8  # a jump over one word
_UPPER: Final = ("lui", "auipc")


class _Twins(NamedTuple):
    """Two probes with equal cycles on every machine, except for plain instructions of the second.

    ``reason``: what the core does if the first one takes another number.
    """

    one: Probe
    other: Probe
    more_plain: int
    reason: str


def check_interlocks(device: Device, spacers: int, late: Collection[str]) -> None:
    """Check that instructions delay others only by late results that these read.

    Args:
        device: device to measure.
        spacers: plain instructions on either side of each probe.
        late: instructions with late results.

    Raises:
        Refused: if they do not; the message names the interlock, with a program.
    """
    if not device.sees_all:
        return
    every = [*_list_adjacent(device, spacers), *_list_by_registers(device, spacers, late)]
    probes = [probe for twins in every for probe in (twins.one, twins.other)]
    measured = measure(device, probes, Waits(0, 0))
    for one, other, more_plain, reason in every:
        takes = measured.cycles[one]
        wanted = measured.cycles[other] - more_plain * measured.plain
        if takes != wanted:
            raise Refused(
                f"{one.mnemonic} take {takes} cycles, not {wanted}: {reason}; no key of "
                f"core.latency describes it{measured.listing(one)}"
            )


def _words(name: str, rd: int) -> list[int]:
    """Return an instruction that depends on no other; a jump goes over one word."""
    match name:
        case "lw" | "lb":
            return [encode(name, rd=rd, rs1=_DATA, imm=64)]
        case "sw":
            return [encode(name, rs1=_DATA, rs2=_B, imm=68)]
        case "beq":
            return [encode(name, rs1=_A, rs2=_B, imm=_OVER)]
        case "bne":
            return [encode(name, rs1=_A, rs2=_B, imm=_OVER), PLAIN]
        case "jal":
            return [encode(name, imm=_OVER), PLAIN]
        case "fence":
            return [encode(name, imm=0xFF)]
        case "csrrw":
            return [encode(name, rd=rd, csr=0x340, rs1=_A)]
    return [programs.encode_operation(name, 7, 3, rd=rd, rs1=_A, rs2=_B)[0]]


def _list_present(device: Device) -> list[str]:
    csrs = ["csrrw"] if device.isa.endswith("_zicsr") else []
    units = [name for name in ("mul", "mulhu", "div", "rem") if name in programs.units(device.isa)]
    some = ["add", "sll", *units, "lw", "lb", "sw", "beq", "bne", "jal", "fence", *csrs]
    return [name for name in some if name not in device.excluded]


def _list_adjacent(device: Device, spacers: int) -> Iterator[_Twins]:
    present = _list_present(device)
    for first in present:
        for second in present:
            one, two = _words(first, _FREE), _words(second, _ELSE)
            near = sequence_probe(f"{first} and {second} after it", [*one, *two], 2, spacers)
            far = [*one, *[PLAIN] * _FAR, *two]
            apart = sequence_probe(f"{first}, {second} apart", far, 2 + _FAR, spacers)
            yield _Twins(near, apart, _FAR, "without a shared register, one delays the other or "
                         "overlaps with it, as if both use one unit or port")  # fmt: skip


def _list_by_registers(device: Device, spacers: int, late: Collection[str]) -> Iterator[_Twins]:
    newer = encode("addi", rd=_RD, imm=1)
    reads = encode("add", rd=_FREE, rs1=_RD)
    for maker in (name for name in _list_present(device) if name in late):
        used, unused = (_words(maker, rd) for rd in (_RD, _ELSE))
        for name, fields in _list_unused_fields(device):
            word = encode(name, rd=_FREE, **fields)
            one = sequence_probe(f"{maker} and {name} after it", [*used, word], 2, spacers)
            other = sequence_probe(f"{maker}, {name}", [*unused, word], 2, spacers)
            yield _Twins(one, other, 0, f"{name} waits for x{_RD}, which it does not read: bits of "
                         "its immediate name it")  # fmt: skip
        one = sequence_probe(f"{maker} and addi after it", [*used, newer], 2, spacers)
        other = sequence_probe(f"{maker}, addi", [*unused, newer], 2, spacers)
        yield _Twins(one, other, 0, f"addi waits until {maker} has written the same register x{_RD}"
                     ", an interlock of rd")  # fmt: skip
        one = sequence_probe(f"{maker}, addi and add", [*used, newer, reads], 3, spacers)
        other = sequence_probe(f"{maker}, addi, add", [*unused, newer, reads], 3, spacers)
        yield _Twins(one, other, 0, f"the older write of x{_RD} by {maker} changes how long add "
                     "waits for the newer one")  # fmt: skip


def _list_unused_fields(device: Device) -> Iterator[tuple[str, dict[str, int]]]:
    """Yield instructions with bits that equal x12 where others have rs1 or rs2."""
    for name in ("addi", "lb"):
        if name not in device.excluded:
            yield name, {"imm": _RD, "rs1": _DATA}
    for name in _UPPER:
        yield name, {"imm": _RD << 15}
        yield name, {"imm": _RD << 20}
