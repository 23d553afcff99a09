"""Extents of functions, from symbols, their sizes and the calls in the code.

Compilers mark each function as such and record its size. Assembly may not: a function may be a bare
label, and there are labels of loops and exits between functions. A function begins

* at a symbol of type function;
* at a global label in code that no function with a size covers;
* at such a local label if it is called, is the entry of the program or handles traps;
* at the first label after a function with a size, or of a segment, because the code belongs to no
  other function.

A function with a size ends there. Any other ends at the next function or at the end of its segment.
Inside a function with a size, only symbols of type function begin another one.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Generic, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from gnomon.isa import CSR_ADDRESS, INSTRUCTIONS, decode_words, size_bytes

_LINK_REGISTERS = (1, 5)  # ra and t0, which a call writes
_MASK = 0xFFFF_FFFF
_ADDRESS_OF_MTVEC = 0xFFFF_FFFC  # without the mode bits
_ADDRESS_OF_JALR = 0xFFFF_FFFE
_LOOK_BACK = 8  # instructions, from a call by register back to the load of that register


class _Symbol(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def address(self) -> int: ...
    @property
    def size_bytes(self) -> int: ...
    @property
    def kind(self) -> str: ...
    @property
    def local(self) -> bool: ...


S = TypeVar("S", bound=_Symbol)


class CodeSegment(NamedTuple):
    """The bytes of an executable segment."""

    address: int
    data: bytes
    end: int  # first address after it


@dataclass(frozen=True, slots=True)
class Functions(Generic[S]):
    """The functions of a program; each begins at another address."""

    begins: tuple[S, ...]  # by address
    _starts: tuple[int, ...]  # of ranges that one function covers, ascending
    _owners: tuple[S | None, ...]  # the function of each range

    def at(self, address: int) -> S | None:
        """Return the function that covers an address, the innermost one; None if none does."""
        position = bisect_right(self._starts, address) - 1
        return self._owners[position] if position >= 0 else None


def find_functions(
    symbols: Sequence[S], code: Sequence[CodeSegment], *, entry: int, compressed: bool
) -> Functions[S]:
    """Find the functions of a program.

    Args:
        symbols: its named addresses, without absolute numbers; kinds as in ``SymbolKind``.
        code: its executable segments, by address.
        entry: address of the first instruction.
        compressed: whether instructions may have 16 bits.
    """
    typed = _choose_one_per_address(s for s in symbols if s.kind == "function")
    sized = sorted((s.address, s.address + s.size_bytes) for s in typed if s.size_bytes)
    reach = list(accumulate((end for _, end in sized), max))  # the furthest end so far

    def inside(address: int) -> bool:
        last = bisect_right(sized, (address, _MASK + 1)) - 1
        return last >= 0 and address < reach[last]

    labels = [
        label for label in _choose_one_per_address(s for s in symbols if s.kind == "none")
        if _is_within(label.address, code) and not inside(label.address)
    ]  # fmt: skip
    taken = {s.address for s in typed}
    labels = [label for label in labels if label.address not in taken]
    known = [*typed, *(label for label in labels if not label.local)]
    local = [label for label in labels if label.local]
    if local:
        called = {
            entry,
            *(to for part in code for to in _find_call_targets(part, compressed=compressed)),
        }
        known += [label for label in local if label.address in called]
        known += _find_uncovered_labels(
            known, [each for each in local if each.address not in called], code
        )
    begins = tuple(sorted(known, key=_get_address))
    starts, owners = _find_ranges(begins, code)
    return Functions(begins, starts, owners)


def _get_address(symbol: _Symbol) -> int:
    return symbol.address


def _choose_one_per_address(symbols: Iterable[S]) -> list[S]:
    """Return one symbol per address: preferably global, then the longest, then not a linker's."""

    def rank(s: S) -> tuple[int, bool, int, bool, str]:
        return s.address, not s.local, s.size_bytes, not s.name.startswith("_"), s.name

    return list({s.address: s for s in sorted(symbols, key=rank)}.values())


def _is_within(address: int, code: Sequence[CodeSegment]) -> bool:
    return any(part.address <= address < part.end for part in code)


def _find_uncovered_labels(
    known: list[S], local: list[S], code: Sequence[CodeSegment]
) -> Iterator[S]:
    """Yield the first local label of each range of code that no function covers."""
    starts, owners = _find_ranges(sorted(known, key=_get_address), code)
    named = set()
    for label in local:
        position = bisect_right(starts, label.address) - 1
        if position >= 0 and owners[position] is None and position not in named:
            named.add(position)
            yield label


def _find_ranges(
    begins: Sequence[S], code: Sequence[CodeSegment]
) -> tuple[tuple[int, ...], tuple[S | None, ...]]:
    """Return the starts of ranges of addresses and the function that covers each.

    Of nested functions, the one that begins last covers a range.
    """
    edges = {edge for part in code for edge in (part.address, part.end)}
    edges |= {edge for s in begins for edge in (s.address, s.address + s.size_bytes)}
    starts = sorted(edges)
    owners: list[S | None] = []
    open_: list[S] = []  # innermost last
    number = 0
    ends = sorted(part.end for part in code)
    for start in starts:
        while number < len(begins) and begins[number].address <= start:
            # A function without a size ends where the next one begins.
            if open_ and not open_[-1].size_bytes:
                open_.pop()
            open_.append(begins[number])
            number += 1
        while open_ and not _reaches(open_[-1], start, ends):
            open_.pop()
        owners.append(open_[-1] if open_ else None)
    return tuple(starts), tuple(owners)


def _reaches(function: _Symbol, address: int, ends: Sequence[int]) -> bool:
    if function.size_bytes:
        return address < function.address + function.size_bytes
    end = bisect_right(ends, function.address)
    return end < len(ends) and address < ends[end]


def _find_call_targets(part: CodeSegment, *, compressed: bool) -> Iterator[int]:
    """Yield the targets of calls by offset or constant registers, and the trap handlers."""
    places = _find_instruction_offsets(part, compressed=compressed)
    raw = np.frombuffer(part.data + bytes(4), dtype=np.uint8).astype(np.int64)
    words = sum((raw[places + k] << 8 * k for k in range(1, 4)), raw[places])
    if compressed:
        words = np.where(words & 3 == 3, words, words & 0xFFFF)
    rows = decode_words(words.astype(np.uint32), compressed=compressed)
    number = {row.mnemonic: row.number for row in INSTRUCTIONS}
    links = np.isin(rows["rd"], _LINK_REGISTERS)
    pcs = part.address + places
    near = (rows["number"] == number["jal"]) & links
    yield from ((pcs[near] + rows["imm"][near]) & _MASK).tolist()
    far = (rows["number"] == number["jalr"]) & links
    traps = (rows["number"] == number["csrrw"]) & (rows["csr"] == CSR_ADDRESS["mtvec"])
    for index in np.flatnonzero(far | traps).tolist():
        value = _find_constant(rows, pcs, index, int(rows["rs1"][index]), number)
        if value is not None and traps[index]:
            yield value & _ADDRESS_OF_MTVEC
        elif value is not None:
            yield (value + int(rows["imm"][index])) & _ADDRESS_OF_JALR


def _find_constant(
    rows: NDArray[np.void],
    pcs: NDArray[np.int64],
    before: int,
    register: int,
    number: dict[str, int],
) -> int | None:
    """Return the constant that the preceding instructions leave in a register, else None."""
    for index in range(before - 1, max(before - 1 - _LOOK_BACK, -1), -1):
        row = rows[index]
        operation = int(row["number"])
        if operation < 0 or operation in (number["jal"], number["jalr"], number["mret"]):
            return None
        if int(row["rd"]) != register:
            continue
        if operation in (number["lui"], number["auipc"]):
            return (int(row["imm"]) + (operation == number["auipc"]) * int(pcs[index])) & _MASK
        if operation != number["addi"]:
            return None
        base = _find_constant(rows, pcs, index, int(row["rs1"]), number) if row["rs1"] else 0
        return None if base is None else (base + int(row["imm"])) & _MASK
    return None


def _find_instruction_offsets(part: CodeSegment, *, compressed: bool) -> NDArray[np.int64]:
    """Return the offsets at which instructions begin, one after the other."""
    if not compressed:
        return np.arange(0, len(part.data) & ~3, 4)
    found, place = [], 0
    while place + 2 <= len(part.data):
        found.append(place)
        place += size_bytes(int.from_bytes(part.data[place : place + 2], "little"))
    return np.array(found, dtype=np.int64)
