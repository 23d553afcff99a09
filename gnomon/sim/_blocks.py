"""Basic blocks of a program text: the units that the second tier translates.

A block is a sequence of instruction words that translated code can execute. It is entered only at
its first word and left after its last one. Words that it cannot execute (vector instructions, CSRs,
traps, words with marks) are in no block; the interpreter executes them.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from gnomon.arch.units import UnitInstruction
from gnomon.isa import INSTRUCTIONS, Instruction
from gnomon.sim import _ops as op
from gnomon.sim._codes import SINK

MAX_WORDS: Final = 60  # one bit each in a mask of 64, and room to shift
MAX_BLOCKS: Final = 96  # compile time grows faster than their number
COVERED: Final = 0.998  # of the issues so far

_PLAIN = frozenset({"alu", "mul", "mulh", "div", "load", "store", "branch", "jump", "unit"})
_ENDS = frozenset({"branch", "jump"})
_NOTHING = (op.NOP, op.FENCE, op.FENCE_I)

Counts = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Word:
    """One instruction word, decoded for a machine."""

    index: int  # of the word in the instruction memory
    pc: int  # its address
    row: Instruction | None  # None = no effect
    rd: int  # register written; 0 = none
    rs1: int  # first register read
    rs2: int  # second register read
    imm: int  # immediate, unsigned
    extra: int  # static cycles in execute beyond the first
    by_operands: bool  # it takes further cycles that depend on its operands
    unit: UnitInstruction | None = None  # it is of a unit of the machine
    fetch: int = 0  # of ``extra``, waits for the next instruction

    @property
    def third(self) -> int:
        """Third register read; 0 = none."""
        return self.imm if self.unit is not None and self.unit.third in ("rs3", "rd") else 0

    @property
    def kind(self) -> str:
        """Timing class; ``fence`` for a word without effect."""
        return self.row.timing_class if self.row is not None else "fence"

    @property
    def target(self) -> int | None:
        """Target of a branch or a direct jump; None for other words."""
        if self.row is None or self.kind not in _ENDS or self.row.format == "I":
            return None
        return (self.pc + self.imm) & 0xFFFF_FFFF


class Block(NamedTuple):
    """Words that are executed one after another."""

    words: tuple[Word, ...]

    @property
    def start(self) -> int:
        return self.words[0].index

    @property
    def last(self) -> Word:
        return self.words[-1]


def decode(
    entries: npt.NDArray[np.void],
    ibase: int,
    first: int,
    last: int,
    units: Mapping[int, UnitInstruction],
) -> dict[int, Word]:
    """Return the words of a part of the instruction memory that can be in a block, by index.

    Args:
        entries: decoded words of the whole memory, in the engine's format, without marks.
        ibase: address of the first word.
        first: first word of the part.
        last: one past the last word of the part.
        units: instructions of units that blocks can execute, by operation.
    """
    part = entries[first:last]
    found = {}
    fields = ("op", "rd", "rs1", "rs2", "imm", "extra", "latency", "fetch")
    columns = (part[name].tolist() for name in fields)
    for index, values in enumerate(zip(*columns, strict=True), first):
        o, rd, rs1, rs2, imm, extra, latency, fetch = values
        row = INSTRUCTIONS[o] if o < len(INSTRUCTIONS) and o not in _NOTHING else None
        unit = units.get(o)
        row = row if unit is None else unit.row
        known = o in _NOTHING if row is None else row.timing_class in _PLAIN
        if not known:
            continue
        to = 0 if rd == SINK or row is None else rd
        word = Word(
            index, ibase + 4 * index, row, to, rs1, rs2, imm & 0xFFFF_FFFF, extra, bool(latency),
            unit, fetch,
        )  # fmt: skip
        if word.target is None or word.target % 4 == 0:
            found[index] = word
    return found


def find_blocks(words: dict[int, Word], counts: Counts, excluded: Collection[int]) -> list[Block]:
    """Split words into blocks, in order of address.

    Args:
        words: words that can be in a block, by index.
        counts: issues so far by index, of the whole memory; an increase marks a jump target.
        excluded: words that must not be in a block.
    """
    leaders = set()
    for index, word in words.items():
        if index - 1 not in words or index - 1 in excluded:
            leaders.add(index)
        if word.kind in _ENDS or word.by_operands:
            leaders.add(index + 1)
            if word.target is not None:
                leaders.add(index + (int(np.int32(np.uint32(word.imm))) >> 2))
        elif counts[index] < counts[min(index + 1, len(counts) - 1)]:
            leaders.add(index + 1)
    blocks = []
    body: list[Word] = []
    for index, word in words.items():
        if index in excluded:
            continue
        body.append(word)
        after = index + 1
        ends = after in leaders or after not in words or after in excluded
        if ends or len(body) == MAX_WORDS:
            blocks.append(Block(tuple(body)))
            body = []
    return blocks


def choose_hot(blocks: list[Block], counts: Counts) -> list[Block]:
    """Return the blocks worth translating, by the issues so far, in order of address."""
    total = int(counts.sum())
    issues = {block.start: int(sum(counts[word.index] for word in block.words)) for block in blocks}
    chosen: list[Block] = []
    covered = 0
    for block in sorted(blocks, key=lambda block: (-issues[block.start], block.start)):
        if len(chosen) == MAX_BLOCKS or covered >= COVERED * total or not issues[block.start]:
            break
        chosen.append(block)
        covered += issues[block.start]
    return sorted(chosen, key=lambda block: block.start)
