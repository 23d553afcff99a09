"""A slow reading of docs/method/fetch.md: the fetch queue, cycle by cycle, and branch prediction.

It shares no code with the engine, which computes the cycle of each event directly.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any

_DECODE_HALVES = 3


@dataclass
class Branch:
    """A branch, as predictors and queues see it."""

    pc: int
    target: int
    halves: int

    @property
    def backward(self) -> bool:
        return (self.target - self.pc) % 2**32 >= 2**31

    @property
    def ends_at(self) -> int:
        """Address of its last halfword."""
        return self.pc + 2 * self.halves - 2


@dataclass
class Predictor:
    """What each kind remembers."""

    keys: dict[str, Any] | None
    step: int  # bytes between two instructions
    known: Branch | None = None  # of one entry
    first_word: int | None = None  # of the last redirect
    counters: dict[int, int] = field(default_factory=dict)
    owners: dict[int, int] = field(default_factory=dict)

    def predicts(self, branch: Branch) -> bool:
        if self.keys is None:
            return False
        if self.keys["kind"] == "static":
            return branch.backward
        if self.keys["kind"] == "one-entry":
            return (self.known is not None and self.known.pc == branch.pc
                    and branch.pc // 4 != self.first_word)  # fmt: skip
        row = branch.pc // self.step % self.keys["entries"]
        half = 2 ** self.keys["bits"] / 2
        owned = not self.keys["targets"] or self.owners.get(row) == branch.pc
        return owned and self.counters.get(row, 0) >= half

    def learn(self, branch: Branch, *, taken: bool, predicted: bool) -> None:
        if self.keys is None or self.keys["kind"] == "static":
            return
        if self.keys["kind"] == "one-entry":
            if predicted and not taken:
                self.known = None
            if taken and not predicted and branch.backward:
                self.known = branch
            return
        row, states = branch.pc // self.step % self.keys["entries"], 2 ** self.keys["bits"]
        if self.keys["targets"] and self.owners.get(row) != branch.pc:
            if taken:
                self.owners[row], self.counters[row] = branch.pc, states // 2
            return
        now = self.counters.get(row, 0) + (1 if taken else -1)
        self.counters[row] = min(max(now, 0), states - 1)


@dataclass
class _Word:
    halves: int
    arrives: int | None = None  # the last cycle of its access
    dead: bool = False  # a redirect has passed it


@dataclass
class Queue:
    """The unit, from one cycle to the next. ``now``: the cycle that comes."""

    keys: dict[str, Any]
    waits: int
    data_waits: int
    predictor: Predictor
    now: int = 0
    address: int = 0
    offset: int = 0  # halfwords of the next word before the target
    first: bool = True  # the next word is that of a redirect
    ending: bool = False  # the known branch ends in the next word
    ready_at: int = -(10**9)  # the port can accept an access
    asked: _Word | None = None  # of the fetch, not accepted yet
    asks_data: bool = False
    granted: str = ""  # who has the address bus: fetch, data
    words: list[_Word] = field(default_factory=list)  # asked for, not in decode, the oldest first
    level: int = 0  # halfwords in decode
    used: int = 0  # of the oldest word (by instruction)
    delays: bool = False  # the request of a target has not been accepted yet
    holds: bool = False  # decode has an instruction (by instruction)

    def start(self, pc: int, halves: int) -> None:
        """The word of the first instruction has just arrived in cycle 0."""
        self.now = -(self.keys["latency"] + self.waits + self.keys["redirect"])
        self.redirect(pc)
        while self.now < 0:
            self.tick(want=halves)
        self.holds = True

    def redirect(self, target: int, kept: int = 0) -> None:
        """Forget all words, and ask for that of the target in this cycle."""
        for word in self.words:
            word.dead = True
        self.words, self.level, self.used = [], kept, 0
        self.address, self.offset, self.first, self.ending = (
            target // 4,
            target % 4 // 2,
            True,
            False,
        )
        self.predictor.first_word = target // 4
        self.delays = True

    def next_word(self) -> _Word:
        """The word at the address, and the address of the one after it."""
        known = self.predictor.known
        ends = self.ending
        self.ending = False
        if known is not None and not self.first and known.pc // 4 == self.address:
            self.ending = known.ends_at // 4 != known.pc // 4
            ends = ends or not self.ending
            self.ending = self.ending and not ends
        last = 2
        if ends and known is not None and known.ends_at % 4 == 0:
            last = 1
        halves = max(1, last - self.offset)
        self.address, self.offset, self.first = self.address + 1, 0, False
        if ends and known is not None:
            self.address, self.offset = known.target // 4, known.target % 4 // 2
        return _Word(halves)

    def accepts_data(self) -> bool:
        """Whether the access of a load or store, if asked for, is accepted in this cycle."""
        return self.granted != "fetch" and self.now >= self.ready_at

    def ask_data(self) -> None:
        self.asks_data = True

    def tick(self, *, use: int = 0, want: int = 0, jump: int | None = None, kept: int = 0) -> bool:
        """One cycle. Returns whether the jump was made.

        use: halfwords of an instruction that leaves decode; want: those of the next one, which may
        enter; jump: a target to fetch; kept: halfwords of the jump, if it stays in decode.
        """
        held = self.asked is not None
        jumps = jump is not None and not held
        if jump is not None and not jumps:
            want = 0
        if jumps:
            assert jump is not None
            self.redirect(jump, kept + use)
        if jumps or (not held and len(self.words) < self.keys["queue"]
                     and jump is None):  # fmt: skip
            word = self.next_word()
            self.words.append(word)
            self.asked = word
        if not self.granted:
            self.granted = "data" if self.asks_data else "fetch" if self.asked else ""
        if self.granted == "fetch" and self.delays and self.now >= self.ready_at:
            self.ready_at, self.delays = self.now + self.keys["redirect"], False
        if self.granted and self.now >= self.ready_at:
            waits = self.waits
            if self.granted == "data":
                self.asks_data, waits = False, self.data_waits
            else:
                assert self.asked is not None
                self.asked.arrives = self.now + self.keys["latency"] - 1 + waits
                self.asked = None
            self.ready_at, self.granted = self.now + self.keys["interval"] + waits, ""
        if self.keys["takes"] == "instructions":
            self._enter(use, want)
        else:
            self.level -= use
            next_halves = self.words[0].halves if self.words and self._here(self.words[0]) else 0
            if next_halves and self.level + next_halves <= _DECODE_HALVES:
                self.level += self.words.pop(0).halves
        self.now += 1
        return jumps

    def _here(self, word: _Word) -> bool:
        return word.arrives is not None and word.arrives <= self.now

    def _enter(self, use: int, want: int) -> None:
        self.holds = self.holds and not use
        here = sum(word.halves for word in self.words if self._here(word))
        if self.holds or not want or here - self.used < want:
            return
        self.holds = True
        self.used += want
        while self.words and self.used >= self.words[0].halves:
            self.used -= self.words.pop(0).halves

    def has(self, halves: int) -> bool:
        """Whether the next instruction is in decode."""
        if self.keys["takes"] == "instructions":
            return self.holds
        return self.level >= halves


@dataclass
class Cache:
    """A cache: the lines of each set, the last used one last."""

    keys: dict[str, Any]
    waits: int
    sets: dict[int, OrderedDict[int, None]] = field(default_factory=dict)

    def fetch(self, address: int, more: int = 0) -> int:
        """Wait states of an access to a memory that has some more than usual."""
        line = address // self.keys["line"]
        lines = self.sets.setdefault(line % self.keys["sets"], OrderedDict())
        if line in lines:
            lines.move_to_end(line)
            return 0
        lines[line] = None
        if len(lines) > self.keys["ways"]:
            lines.popitem(last=False)
        accesses = self.keys["line"] * 8 // self.keys["width"]
        return accesses - 1 + (self.waits + more) * -(-accesses // self.keys["burst"])
