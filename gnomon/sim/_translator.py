"""Translation of the hot blocks of a run, from the decoded text to a library."""

from collections.abc import Collection, Iterator
from ctypes import CDLL
from functools import cache
from pathlib import Path
from typing import Final

import numpy as np

from gnomon.arch.units import NO_STATE, library_text, units_code
from gnomon.base.digest import digest
from gnomon.base.generated import RuntimeLibrary, compile_now
from gnomon.base.structs import only
from gnomon.sim import _ops as op
from gnomon.sim._blocks import MAX_BLOCKS, Block, choose_hot, decode, find_blocks
from gnomon.sim._effort import Effort
from gnomon.sim._emit import BlockTiming, CacheTags, FarWindow, UnitCode, translate
from gnomon.sim._machine import Machine
from gnomon.sim._structs import NUMBERS, STRUCTS
from gnomon.sim._units import StateLayout, number_instructions

_HEADER: Final = Path(__file__).with_name("engine") / "hot.h"


class Translator:
    """Translator of the current instruction memory of a machine."""

    def __init__(self, machine: Machine, effort: Effort, avoided: Collection[int]) -> None:
        self._machine = machine
        self._effort = effort
        # Words that were written and not decoded again are in no block either.
        stale = np.flatnonzero(machine.table["op"] == op.STALE)
        self._untouched = {*avoided, *stale.tolist()}
        if machine.architecture.memory.caches.icache is not None:  # which these words empty
            self._untouched.update(np.flatnonzero(machine.decoded["op"] == op.FENCE_I).tolist())

    def kept(self, form: str) -> CDLL | None:
        return RuntimeLibrary(self._key(form)).load_cached()

    def now(self, form: str) -> CDLL | None:
        """Compile a library for this run alone; return None if no block is hot."""
        text = self._text(form)
        return None if text is None else compile_now(text, {_HEADER.name: _HEADER})

    def start(self, form: str) -> RuntimeLibrary | None:
        text = self._text(form)
        if text is None:
            return None
        generated = RuntimeLibrary(self._key(form))
        generated.start(text, {_HEADER.name: _HEADER})
        return generated

    def result(self, generated: RuntimeLibrary, form: str) -> CDLL | None:
        """Return the compiled library; None if the text has changed meanwhile."""
        library = generated.result()
        return library if generated.key == self._key(form) else None

    def _key(self, form: str) -> object:
        machine = self._machine
        first, end = machine.text
        return (
            _digest_sources(), form, self._timing(), sorted(self._untouched), first,
            machine.decoded[first:end].tobytes(), self._effort.everything,
            *self._key_of_units(),
        )  # fmt: skip

    def _key_of_units(self) -> tuple[object, ...]:
        """Return what decides the meaning of the operations of units; empty without units."""
        units = self._machine.architecture.units
        operands = [each.third for unit in units for each in unit.instructions]
        return (library_text(units), operands, self._states()) if units else ()

    def _timing(self) -> BlockTiming:
        cfg = self._machine.cfg
        return BlockTiming(
            ibase=int(cfg["ibase"]), dbase=int(cfg["dbase"]), dsize=int(cfg["dsize"]),
            rotation=self._machine.harts, taken=int(cfg["branch_taken"] + cfg["taken_fetch"]),
            aligned=not cfg["core"]["fetch_ignores_alignment"],
            tag_shift=self._effort.line_bytes.bit_length() - 1, windows=self._windows(),
            fetches=self._tags_of_fetches(), loads=self._tags_of_loads(),
        )  # fmt: skip

    def _tags_of_fetches(self) -> CacheTags | None:
        if "fetch" not in self._machine.arrays:
            return None
        fetch = only(self._machine.arrays["fetch"])
        shift, sets, ways = (int(fetch[name]) for name in ("line_shift", "sets", "ways"))
        twice, always = bool(fetch["taken_fetches"]), int(fetch["always"])
        return CacheTags(shift, sets, ways, twice=twice, always=always) if ways else None

    def _tags_of_loads(self) -> CacheTags | None:
        if "dcache" not in self._machine.arrays:
            return None
        cache, cfg = only(self._machine.arrays["dcache"]), self._machine.cfg
        names = ("line_shift", "sets", "ways", "waits")
        shift, sets, ways, waits = (int(cache[name]) for name in names)
        place = STRUCTS["Dynamic"].dtype.itemsize // 8
        refill = self._refill_at(int(cfg["dbase"]))
        return CacheTags(shift, sets, ways, waits, refill, place=place)

    def _refill_at(self, address: int) -> int | None:
        for span in self._machine.arrays.get("cached", ()):
            if 0 <= address - int(span["base"]) < int(span["size"]):
                return int(span["refill"])
        return None

    def _windows(self) -> tuple[FarWindow, ...]:
        """Return other regions in the order in which blocks try them: data first."""
        return tuple(sorted(self._list_windows(), key=lambda each: not each.stores))

    def _list_windows(self) -> Iterator[FarWindow]:
        origin = int(self._machine.cfg["data_word0"])
        for each in self._machine.arrays.get("windows", ()):
            base, size, word, more = (int(each[name]) for name in ("base", "size", "word0", "more"))
            stores = int(each["kind"]) == NUMBERS["WINDOW_DATA"]
            refill = self._refill_at(base)
            yield FarWindow(base, size, 4 * (word - origin), more, stores, refill)

    def _states(self) -> dict[str, str]:
        """Return the C for the state of each instruction of units, by its C function."""
        places = StateLayout.of(self._machine.architecture).places
        return {
            each.function: (
                f"{'shared' if unit.shared else 'hart'}_state + {places[unit.name]}"
                if unit.state_bytes else NO_STATE
            )
            for unit in self._machine.architecture.units for each in unit.instructions
        }  # fmt: skip

    def _text(self, form: str) -> str | None:
        blocks = self._blocks(form)
        code = UnitCode(units_code(self._machine.architecture.units), self._states())
        return translate(blocks, self._timing(), form, code) if blocks else None

    def _blocks(self, form: str) -> list[Block]:
        machine = self._machine
        first, end = machine.text
        units = {
            number: each
            for number, (unit, each) in number_instructions(machine.architecture).items()
            # Harts that run ahead reach state of all harts in another order than they issue.
            if form == "solo" or not unit.shared
        }
        words = decode(machine.decoded, int(machine.cfg["ibase"]), first, end, units)
        counts = machine.issues().sum(axis=0)
        blocks = find_blocks(words, counts, self._untouched)
        if self._effort.everything:
            return blocks[: 2 * MAX_BLOCKS]
        return choose_hot(blocks, counts)


@cache
def _digest_sources() -> str:
    """Return a digest of everything that decides a library besides program and machine."""
    here = Path(__file__).parent
    files = [here / "_emit.py", here / "_blocks.py", _HEADER]
    files += sorted((here.parent / "isa").glob("*.py"))
    return digest([file.read_bytes() for file in files])
