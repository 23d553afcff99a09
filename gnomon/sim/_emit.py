"""Translated blocks as C, built from the same operations as the interpreter.

There are two forms of the same blocks. ``solo``: one hart is awake, and the cycle of every issue is
known. ``runner``: one of several harts, some slots ahead of the others. It does not know the cycle,
but keeps a journal of its stores and checks the owner of each memory line before an access.
``engine/hot.h`` defines the data that blocks and engine share.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from gnomon.isa import meaning_in_c, operations_header
from gnomon.sim._blocks import Block, Word

_UNSIGNED: Final = {1: "uint8_t", 2: "uint16_t", 4: "uint32_t"}
_OUTSIDE: Final = {
    # Rotated, a misaligned offset is a large number: one comparison for both.
    4: "(o >> 2 | o << 30) >= {size}u / 4",
    2: "(o >> 1 | o << 31) >= {size}u / 2",
    1: "o >= {size}u",
}


class FarWindow(NamedTuple):
    """A part of a region outside of the data memory."""

    base: int
    size: int
    offset: int  # bytes from the start of the data memory in the array of words
    more: int  # cycles of an access beyond its static ones
    stores: bool  # blocks may store there
    refill: int | None = None  # wait of a load for a line of the data cache; None: it uses none


class CacheTags(NamedTuple):
    """A cache whose lines blocks check: that of fetches, or that of loads."""

    line_shift: int  # log2 of the bytes of a line
    sets: int
    ways: int
    waits: int = 0  # of loads: wait states in their static cycles, which a hit does not have
    refill: int | None = None  # as that of a window, of the data memory
    place: int = 0  # of loads: distance of words in ``refills``
    twice: bool = False  # of fetches: a taken branch fetches the word after it, too
    always: int = 0  # of fetches: static waits after an instruction with cycles by its operands

    def is_other(self, first: int, second: int) -> bool:
        """Return whether two addresses are in different lines."""
        return first >> self.line_shift != second >> self.line_shift

    def misses(self, address: int) -> str:
        """Return the C of whether the line of an address is not the last used of its set."""
        number = address >> self.line_shift
        return f"lines[{(number & (self.sets - 1)) * self.ways}] != {number + 1}"


class BlockTiming(NamedTuple):
    """Timing constants of the machine that translated blocks contain."""

    ibase: int  # first address of the instruction memory
    dbase: int  # first address of the data memory
    dsize: int  # bytes of the data memory
    rotation: int  # slots from one issue of a hart to its next, with all others parked
    taken: int  # extra cycles of a taken branch
    aligned: bool  # jumps to an address that is not a multiple of 4 trap
    tag_shift: int  # log2 of the bytes that have one owner
    windows: tuple["FarWindow", ...] = ()  # other regions, which one hart reaches directly
    fetches: CacheTags | None = None  # only of one hart
    loads: CacheTags | None = None


class UnitCode(NamedTuple):
    """The C of a machine's units: ``text`` defines the functions, empty without units.

    ``states``: by function, the first argument. It may use ``hart_state`` and, of one awake hart,
    ``shared_state``.
    """

    text: str
    states: Mapping[str, str]


def translate(blocks: Sequence[Block], timing: BlockTiming, form: str, units: UnitCode) -> str:
    """Return a C file with the function ``hot_blocks`` and its tables."""
    return "\n".join([*_Emitter(blocks, timing, form == "runner", units).lines(), ""])


def _format_register(number: int) -> str:
    return f"x{number}" if number else "0u"


class _Emitter:
    def __init__(
        self, blocks: Sequence[Block], timing: BlockTiming, runner: bool, units: UnitCode
    ) -> None:
        self._units = units
        self._blocks = blocks
        self._timing = timing
        self._runner = runner
        self._numbers = {block.words[0].pc: k for k, block in enumerate(blocks)}
        self._cold: list[str] = []
        self._accesses = 0
        self._inner: Block | None = None  # the block whose lines are there

    def lines(self) -> Iterator[str]:
        yield '#include "native.h"'
        yield '#include "hot.h"'
        yield operations_header()
        if self._units.text:
            yield self._units.text
        yield from self._tables()
        words = [word for block in self._blocks for word in block.words]
        used = sorted(
            {n for word in words for n in (word.rs1, word.rs2, word.rd, word.third)} - {0}
        )
        body = [line for k, block in enumerate(self._blocks) for line in self._copies(k, block)]
        state = "Runner" if self._runner else "Solo"
        yield f"EXPORT void hot_blocks({state} *restrict h);"
        yield f"EXPORT void hot_blocks({state} *restrict h) {{"
        yield "uint32_t *restrict const x = h->x;"
        yield "uint8_t *restrict const ram = h->ram;"
        yield from (f"uint32_t x{n} = x[{n}];" for n in used)
        if self._units.text:
            yield from self._state_pointers()
        yield "int64_t done = h->done; const int64_t limit = h->limit;"
        yield "uint32_t pc = h->pc, block = WHOLE, part = 0;"
        if self._runner:
            yield "uint32_t *restrict trace = h->trace; Undo *restrict undo = h->undo;"
            yield "uint16_t *restrict const tags = h->tags; uint32_t conflict = 0, writes = 0, t;"
            yield "const uint32_t may_read = h->may_read, may_write = h->may_write;"
        else:
            yield "int64_t *restrict const count = h->count;"
            yield "int64_t cycle = h->cycle; uint32_t enables = h->enables;"
            yield from self._tag_pointers()
        yield "dispatch: switch (pc) {"
        yield from (f"case {pc}u: goto L{k};" for pc, k in self._numbers.items())
        yield "default: goto out; }"
        yield from body
        yield from self._cold
        yield "out:"
        yield "h->pc = pc; h->done = done; h->block = block; h->part = part;"
        if self._timing.loads is not None:
            yield "h->refilled = refilled;"
        if self._runner:
            yield "h->trace = trace; h->undo = undo; h->conflict = conflict; h->writes = writes;"
        else:
            yield "h->cycle = cycle; h->enables = enables;"
        yield from (f"x[{n}] = x{n};" for n in used)
        yield "}"

    def _state_pointers(self) -> Iterator[str]:
        for name in ("hart_state",) if self._runner else ("hart_state", "shared_state"):
            yield f"uint8_t *restrict const {name} = h->{name}; (void){name};"

    def _tag_pointers(self) -> Iterator[str]:
        if self._timing.windows or self._timing.loads is not None:
            yield "int64_t *restrict const execute = h->execute; (void)execute;"
        if self._timing.fetches is not None:
            yield "const int64_t *const lines = h->lines; int64_t more = 0; (void)more;"
        if self._timing.loads is not None:
            yield "int64_t *const data_lines = h->data_lines; int64_t refilled = 0;"

    def _tables(self) -> Iterator[str]:
        count = len(self._blocks)
        yield f"EXPORT extern const uint32_t hot_count; const uint32_t hot_count = {count};"
        yield f"EXPORT extern const Block hot_table[{count}]; const Block hot_table[{count}] = {{"
        for block in self._blocks:
            kinds = [word.kind for word in block.words]
            accesses = sum(1 << k for k, kind in enumerate(kinds) if kind in ("load", "store"))
            stores = sum(1 << k for k, kind in enumerate(kinds) if kind == "store")
            extra = sum(word.extra for word in block.words)
            cycles = extra + len(kinds) * self._timing.rotation
            ends = f"{block.start}u, {len(kinds)}u, {extra}u, {cycles}u"
            yield f"{{ {accesses:#x}u, {stores:#x}u, {ends} }},"
        yield "};"

    def _copies(self, number: int, block: Block) -> Iterator[str]:
        """Yield a block, and a copy for further turns of a loop whose lines stay in the cache."""
        yield from self._block(number, block)
        if self._stays(block):
            self._inner = block
            yield from self._block(number, block)
            self._inner = None

    def _stays(self, block: Block) -> bool:
        """Return whether a block is a loop whose lines are in sets of their own."""
        tags, last = self._timing.fetches, block.last
        if tags is None or last.kind != "branch" or last.target != block.words[0].pc:
            return False
        lines = {word.pc >> tags.line_shift for word in block.words}
        if tags.twice:
            lines.add((last.pc + 4) >> tags.line_shift)
        return 1 < len(lines) == len({line & (tags.sets - 1) for line in lines})

    def _block(self, number: int, block: Block) -> Iterator[str]:
        rotation, length = self._timing.rotation, len(block.words)
        first = block.words[0].pc
        leave = f"{{ pc = {first}u; goto out; }}"
        yield f"{'L' if self._inner is None else 'I'}{number}: /* {first:#010x} */"
        if self._runner:
            yield f"if (__builtin_expect(done + {length} > limit, 0)) {leave}"
            yield f"*trace++ = {number}u; done += {length};"
        else:
            span = sum(word.extra + rotation for word in block.words[:-1])
            yield f"if (__builtin_expect(cycle + {span} > limit, 0)) {leave}"
            total = span + block.last.extra + rotation
            yield f"count[{number}]++; done += {length}; cycle += {total};"
        for part, word in enumerate(block.words):
            yield from self._word(number, part, word)
            fetch = self._fetch(word, word.pc + 4)
            if fetch and word is not block.last:
                yield fetch
        if block.last.kind not in ("branch", "jump"):
            yield self._fetch(block.last, block.last.pc + 4) + self._go(block.last.pc + 4)

    def _word(self, number: int, part: int, word: Word) -> Iterator[str]:
        row = word.row
        if row is None:
            return
        meaning = row.meaning
        names = {
            "a": _format_register(word.rs1), "b": _format_register(word.rs2), "i": f"{word.imm}u",
            "pc": f"{word.pc}u", "length": "4u", "m": "m",
        }  # fmt: skip
        if word.kind in ("load", "store"):
            yield from self._access(number, part, word, names)
        elif word.kind == "branch":
            assert word.target is not None
            costs = ""
            if self._timing.taken and not self._runner:
                costs = f"cycle += {self._timing.taken}; h->taken[{number}]++; "
            taken = meaning_in_c(meaning, "taken", names)
            fetch = self._fetch(word, word.target, taken=True)
            to = f"goto I{number};" if self._stays(self._blocks[number]) else self._go(word.target)
            yield f"if ({taken}) {{ {costs}{fetch}{to} }}"
            yield self._fetch(word, word.pc + 4) + self._go(word.pc + 4)
        elif word.kind == "jump":
            yield from self._jump(number, part, word, names)
        else:
            if word.by_operands:
                by_register = word.unit is not None or "rs2" in row.reads
                second = names["b" if by_register else "i"]
                operands = f"{word.index}u, {names['a']}, {second}"
                if self._runner:
                    yield f"*h->operands++ = (OperandPair){{ {operands} }};"
                else:
                    noted = "" if self._timing.fetches is None else "more = "
                    yield f"cycle += {noted}h->by_operands(h, {operands});"
            if word.unit is not None:
                third = word.unit.third in ("rs3", "rd")
                c = _format_register(word.third) if third else names["i"]
                name = word.unit.function
                state = self._units.states[name]
                call = f"unit_{name}({state}, {names['a']}, {names['b']}, {c})"
                yield f"x{word.rd} = {call};" if word.rd else f"(void){call};"
            elif word.rd:
                yield f"x{word.rd} = (uint32_t){meaning_in_c(meaning, 'result', names)};"

    def _jump(self, number: int, part: int, word: Word, names: dict[str, str]) -> Iterator[str]:
        assert word.row is not None
        meaning = word.row.meaning
        result = meaning_in_c(meaning, "result", names)
        link = f"x{word.rd} = (uint32_t){result};" if word.rd else ""
        if word.target is not None:
            yield f"{link} {self._fetch(word, word.target)}{self._go(word.target)}"
            return
        yield f"{{ const uint32_t to = (uint32_t){meaning_in_c(meaning, 'target', names)};"
        if self._timing.aligned:
            yield f"if (__builtin_expect(to & 3, 0)) {{ {self._before(number, part, word)} }}"
        yield f"{link} pc = to; {self._fetch_to(word)}goto dispatch; }}"

    def _fetch(self, word: Word, to: int, *, taken: bool = False) -> str:
        """Return the C of the fetch after a word: of a line that is not the one of the word."""
        tags = self._timing.fetches
        if tags is None:
            return ""
        to &= 0xFFFF_FFFF
        if self._inner is not None and self._inner.words[0].pc <= to <= self._inner.last.pc:
            return ""
        after = (word.pc + 4) & 0xFFFF_FFFF
        fetched = [after, to] if taken and tags.twice else [to]
        checks = [tags.misses(each) for each in fetched if tags.is_other(word.pc, each)]
        if not checks:
            return ""
        call = (
            f"cycle += h->fetch_line(h, {word.index}u, {int(taken)}u, {self._took(word)}, {to}u);"
        )
        return f"if (__builtin_expect({' || '.join(dict.fromkeys(checks))}, 0)) {call} "

    def _fetch_to(self, word: Word) -> str:
        """Return the C of the fetch after an indirect jump."""
        tags = self._timing.fetches
        if tags is None:
            return ""
        number, place = f"(to >> {tags.line_shift})", f"{tags.sets - 1}u) * {tags.ways}"
        call = f"cycle += h->fetch_line(h, {word.index}u, 0u, {self._took(word)}, to);"
        return f"if (lines[({number} & {place}] != (int64_t){number} + 1) {call} "

    def _took(self, word: Word) -> str:
        """Return the cycles of a word in execute, without static waits for the next one."""
        assert self._timing.fetches is not None
        if word.by_operands:
            return f"{1 + word.extra - self._timing.fetches.always} + more"
        return str(1 + word.extra - word.fetch)

    def _access(self, number: int, part: int, word: Word, names: dict[str, str]) -> Iterator[str]:
        assert word.row is not None
        meaning, timing = word.row.meaning, self._timing
        k, size = self._accesses, meaning.size
        self._accesses += 1
        far = list(self._far(k, word))
        self._cold += [f"X{k}: {{", self._before(number, part, word) + "}"]
        outside = _OUTSIDE[size].format(size=timing.dsize)
        yield f"{{ const uint32_t o = {meaning_in_c(meaning, 'address', names)} - {timing.dbase}u;"
        if far:
            yield f"if ({outside}) {{"
            yield from far
            yield f"goto X{k}; }}"
        else:
            yield f"if (__builtin_expect({outside}, 0)) goto X{k};"
        if self._runner:
            right = "may_read" if word.kind == "load" else "may_write"
            yield f"t = o >> {timing.tag_shift};"
            yield f"if (__builtin_expect(!(tags[t] & {right}), 0)) goto T{k}; R{k}:;"
            self._cold.append(
                f"T{k}: if (tags[t] == 0) {{ tags[t] = (uint16_t)(may_read | may_write);"
                f" goto R{k}; }} conflict = t + 1; writes = {int(word.kind == 'store')}; goto X{k};"
            )
        kind = _UNSIGNED[size]
        if word.kind == "load":
            if word.rd:
                value = meaning_in_c(meaning, "result", names)
                yield f"const uint32_t m = *({kind} *)(ram + o); x{word.rd} = (uint32_t){value};"
            if timing.loads is not None and timing.loads.refill is not None:
                yield self._load_line(word, f"(o + {timing.dbase}u)", timing.loads.refill)
        else:
            value = meaning_in_c(meaning, "stored", names)
            if self._runner:
                yield "undo->at = o & ~3u; undo->was = *(uint32_t *)(ram + (o & ~3u)); undo++;"
            yield f"*({kind} *)(ram + o) = ({kind}){value};"
        if self._runner:
            yield "}"
        else:
            yield f"enables = {(1 << size) - 1}; }}" + f" N{k}:;" * bool(timing.windows)

    def _far(self, k: int, word: Word) -> Iterator[str]:
        """Yield the C of an access to another region; it falls through if it reaches none."""
        assert word.row is not None
        meaning, size, load = word.row.meaning, word.row.meaning.size, word.kind == "load"
        names = {
            "a": _format_register(word.rs1), "b": _format_register(word.rs2), "i": f"{word.imm}u",
            "pc": f"{word.pc}u", "length": "4u", "m": "m",
        }  # fmt: skip
        windows = () if self._runner else self._timing.windows
        for window in windows:
            if not (load or window.stores):
                continue
            outside, kind = _OUTSIDE[size].format(size=window.size), _UNSIGNED[size]
            address = meaning_in_c(meaning, "address", names)
            at = f"*({kind} *)(ram + {window.offset} + (int64_t)o)"
            yield f"{{ const uint32_t o = {address} - {window.base}u;"
            yield f"if (!({outside})) {{ enables = {(1 << size) - 1};"
            if load and window.refill is not None:
                yield self._load_line(word, f"(o + {window.base}u)", window.refill)
            elif window.more:
                yield f"cycle += {window.more}; execute[{2 * word.index}u] += {window.more};"
            if not load:
                yield f"{at} = ({kind}){meaning_in_c(meaning, 'stored', names)};"
            elif word.rd:
                value = meaning_in_c(meaning, "result", names)
                yield f"const uint32_t m = {at}; x{word.rd} = (uint32_t){value};"
            yield f"goto N{k}; }} }}"

    def _load_line(self, word: Word, address: str, refill: int) -> str:
        """Return the C of the wait of a load at a cached address."""
        tags = self._timing.loads
        assert tags is not None
        number = f"({address} >> {tags.line_shift})"
        place = f"({number} & {tags.sets - 1}u) * {tags.ways}"
        hit = f"cycle -= {tags.waits}; execute[{2 * word.index}u] -= {tags.waits};"
        miss = f"cycle += {refill}; refilled += {refill};"
        miss += f" h->refills[{tags.place * word.index}u] += {refill};"
        held = f"use_tag(data_lines + {place}, {tags.ways}, (int64_t){number} + 1)"
        check = f"__builtin_expect(data_lines[{place}] != (int64_t){number} + 1, 0)"
        return f"if ({check} && !{held}) {{ {miss} }}" + f" {hit}" * bool(tags.waits)

    def _before(self, number: int, part: int, word: Word) -> str:
        """Return the C that leaves the blocks before a word."""
        return f"block = {number}; part = {part}; pc = {word.pc}u; goto out;"

    def _go(self, pc: int) -> str:
        pc &= 0xFFFF_FFFF
        number = self._numbers.get(pc)
        return f"{{ pc = {pc}u; goto out; }}" if number is None else f"goto L{number};"
