"""Cost of a jump to a 32-bit instruction that lies in two 32-bit words of memory (RV32C)."""

from itertools import product
from typing import Final

from gnomon.calibrate import _programs as programs
from gnomon.calibrate._candidates import Candidate
from gnomon.calibrate._device import Device, Waits, program_of
from gnomon.calibrate._measure import Refused, execute_cycles
from gnomon.isa import encode, size_bytes

_NOP: Final = 0x0001  # c.nop
_LONGEST: Final = 4  # split-next and split-again
_T: Final = 5
_JUMPS: Final = ("jal", "beq", "jalr")


def _encode_jump(name: str, over: int) -> list[int]:
    """Return a jump over ``over`` bytes, counted from its last instruction."""
    if name == "jalr":
        return [encode("auipc", rd=_T), encode("jalr", rs1=_T, imm=over + 4)]
    return [encode(name, imm=over)]


def split_wait(device: Device) -> tuple[int, str]:
    """Measure the additional cycles of jumps and taken branches to such an instruction.

    Return the cycles and a sentence about the measurements.

    Raises:
        Refused: if the jumps differ, or the core stops.
    """
    neighbor = programs.PLAIN if device.sees_all else programs.MARKER
    body = [neighbor] * 6
    targets: list[tuple[str, int, int]] = []  # jump, number of its target, instructions before it
    for name in _JUMPS:
        for split in (False, True):
            words = _encode_jump(name, 6 if split else 8)
            skipped = _NOP if split else neighbor
            targets.append((name, len(body) + len(words) + 2, len(words)))
            body += [neighbor, *words, skipped, neighbor, neighbor, *[_NOP] * split]
    program = program_of(programs.whole(body, compressed=True), device.start, compressed=True)
    retired = device.execute(program, Waits(0, 0))
    at = {each.pc: number for number, each in enumerate(retired)}
    sizes = list(map(size_bytes, body))
    begin = device.start + 4 * programs.BEFORE
    found: dict[str, int] = {}
    for name, target, before in targets:
        here = at.get(begin + sum(sizes[:target]), len(retired))
        taken = execute_cycles(retired, here, before + 1)
        if taken is None:
            raise Refused(f"the core retires nothing after a {name} among compressed instructions")
        found[name] = taken - found.get(name, 0)
    costs = sorted(set(found.values()))
    if len(costs) > 1 or costs[0] < 0:
        raise Refused(
            "jumps to a 32-bit instruction in two words take different additional cycles: "
            + ", ".join(f"{more} ({name})" for name, more in found.items())
        )
    return costs[0], f"{', '.join(found)} to an instruction in two words of the memory, and in one"


def list_halves(measured: int) -> list[Candidate]:
    """Return the candidates that keep the upper half of a word, those with few cycles first.

    ``measured``: split-target; some cores show in it the wait for the next instruction, too.
    """
    found = []
    for again, after, shown in product(range(_LONGEST + 1), range(1, _LONGEST + 1), (True, False)):
        target = measured - after * shown
        if target >= 0:
            keys = {"latency.split-target": target, "latency.split-next": after}
            found.append(Candidate(keys | ({"latency.split-again": again} if again else {})))
    return found
