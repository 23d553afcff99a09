"""Words after a taken jump: a core may decode them, and fetch the target later if they wait."""

from __future__ import annotations

from collections import defaultdict
from itertools import product
from typing import TYPE_CHECKING, Final, NamedTuple

from gnomon.calibrate import _programs as programs
from gnomon.calibrate._device import Device, Retired, Waits, program_of
from gnomon.calibrate._measure import Refused, execute_cycles, list_steps
from gnomon.calibrate._programs import PLAIN
from gnomon.isa import encode

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_RD, _FREE, _DATA = 12, 13, 8
_AROUND: Final = 12  # plain words before and after each jump
_SKIPPED: Final = 3  # words that a jump skips
_PLAIN_WORDS: Final = (PLAIN,) * _SKIPPED


class _Block(NamedTuple):
    """A jump, and the words that it skips."""

    jump: str
    skipped: tuple[int, ...]

    @property
    def words(self) -> tuple[int, ...]:
        return (encode(self.jump, imm=4 + 4 * _SKIPPED), *self.skipped)


def check_skipped_words(device: Device) -> None:
    """Check that the words that a taken jump or branch skips do not change its cycles.

    Raises:
        Refused: if they do; the message has a program.
    """
    if not device.sees_all:
        return
    blocks = list(_list_blocks(device))
    row = [PLAIN] * _AROUND
    words = programs.whole([*row, *(word for each in blocks for word in (*each.words, *row))])
    program = program_of(words, device.start)
    retired = device.execute(program, Waits(0, 0))
    at = {each.pc: number for number, each in enumerate(retired)}
    place = device.start + 4 * (programs.BEFORE + _AROUND)
    found: list[tuple[_Block, int, int | None]] = []
    for block in blocks:
        found.append((block, place, _cycles_over(block, place, at, retired)))
        place += 4 * (len(block.words) + _AROUND)
    usual: dict[str, set[int | None]] = defaultdict(set)
    for block, _, cycles in found:
        if block.skipped == _PLAIN_WORDS:
            usual[block.jump].add(cycles)
    for block, place, cycles in found:
        if len(usual[block.jump]) > 1 or cycles in usual[block.jump]:
            continue  # the cycles over plain words depend on something else, or are these
        (plainly,) = usual[block.jump]
        end = place + 4 * len(block.words)
        raise Refused(
            f"a taken {block.jump} over plain words takes {plainly} cycles up to its target, but "
            f"{cycles} over words that wait for each other: the core decodes the words after a "
            "jump, and while they wait it does not fetch the target; no key describes waits of "
            "instructions that are not executed\n"
            + "\n".join(programs.list_words((*block.words, PLAIN), place)),
            list_steps(program, retired[at[place] - 2 : at.get(end, at[place]) + 2]),
        )


def _cycles_over(
    block: _Block, place: int, at: Mapping[int, int], retired: Sequence[Retired]
) -> int | None:
    """Return the cycles of a jump at an address and of its target; None if the core stops."""
    target = at.get(place + 4 * len(block.words), len(retired))
    return execute_cycles(retired, target, 2)


def _list_blocks(device: Device) -> Iterator[_Block]:
    """Yield jumps over words of which one waits for another, and over plain words around them."""
    result = encode("addi", rd=_RD, imm=1)
    reader = encode("add", rd=_FREE, rs1=_RD, rs2=_RD)
    makers = {"addi": result, "lw": encode("lw", rd=_RD, rs1=_DATA)}
    pairs = [(word, reader) for name, word in makers.items() if name not in device.excluded]
    waiting = [(*pair, PLAIN) for pair in pairs] + [(PLAIN, *pair) for pair in pairs]
    around = (_PLAIN_WORDS, *waiting, _PLAIN_WORDS)
    for jump, skipped in product(("jal", "beq"), around):
        if jump not in device.excluded:
            yield _Block(jump, skipped)
