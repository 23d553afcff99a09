"""A program: the bytes of an ELF file, its segments, and the names of its addresses."""

import hashlib
import re
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Literal, NamedTuple

from gnomon.base.errors import GnomonError, did_you_mean
from gnomon.base.files import read_any_text
from gnomon.program._functions import CodeSegment, Functions, find_functions

SymbolKind = Literal["function", "object", "none"]
"""Kind of a symbol: code, data, or a bare label (assembly, linker script, marker)."""


class ElfError(GnomonError):
    """A file that is not a program for these machines, or a name that the program lacks."""


_FLAGS_AT = 36  # in the ELF header
_FLAG_COMPRESSED = 0x1


@dataclass(frozen=True, slots=True)
class Segment:
    """One loadable piece of memory.

    ``data`` holds the bytes of the file. The segment is ``size_bytes`` long; the rest is zero.
    """

    address: int
    data: bytes = field(repr=False)
    size_bytes: int
    executable: bool
    writable: bool

    @property
    def end(self) -> int:
        """First address after the segment."""
        return self.address + self.size_bytes


class Symbol(NamedTuple):
    """A named address. ``size_bytes`` is 0 if the file does not give a size."""

    name: str
    address: int
    size_bytes: int
    kind: SymbolKind
    local: bool = False
    absolute: bool = False  # a number of the linker, in no section

    @property
    def end(self) -> int:
        """First address after the symbol."""
        return self.address + self.size_bytes


@dataclass(frozen=True, slots=True)
class BuildInfo:
    """The compiler, flags and sources of a program.

    ``key`` is the digest of all inputs, ``warnings`` the output of the compiler.
    """

    compiler: str
    version: str
    flags: tuple[str, ...]
    sources: tuple[str, ...]
    architecture: str
    active_harts: int
    key: str
    warnings: str
    # paths of the sources, for messages; builds of the same text in other folders are equal
    paths: tuple[Path, ...] = field(default=(), repr=False, compare=False)

    def place_of(self, function: str) -> str:
        """Return file and line of a function's definition in the sources, or an empty text."""
        headers = (each for path in self.paths for each in sorted(path.parent.glob("*.h")))
        defined = re.compile(
            rf"(?m)^(?!\s*return\b)[^\n;=]*\b{re.escape(function)}\s*\([^;{{}}]*\)\s*\{{"
        )
        for path in (*self.paths, *headers):
            with suppress(GnomonError):
                text = read_any_text(path)
                found = defined.search(text)
                if found is not None:
                    name = found.start() + found[0].index(function)
                    return f"{path.name}:{text.count(chr(10), 0, name) + 1}"
        return ""


NO_FUNCTION = "?"
"""Name for addresses outside all functions."""


@dataclass(frozen=True)
class Program:
    """An executable and its symbols.

    ``symbols`` is sorted by address. A program runs without symbols, so a broken symbol table does
    not prevent loading; ``symbols_error`` then holds the reason, and looking up a symbol raises it.
    """

    name: str
    elf: bytes = field(repr=False)
    entry: int
    segments: tuple[Segment, ...]
    symbols: tuple[Symbol, ...] = field(default=(), repr=False)
    symbols_error: str | None = None
    build: BuildInfo | None = None

    def load_address(self, address: int) -> int:
        """Return where the bytes of an address are loaded: elsewhere if start-up copies them."""
        names = ("_data_load", "_data_copied", "_data_copied_end")
        if self.symbols_error is not None or any(name not in self._by_name for name in names):
            return address
        load, first, end = (self.symbol(name).address for name in names)
        return address - first + load if first <= address < end else address

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the ELF bytes, in hexadecimal."""
        return hashlib.sha256(self.elf).hexdigest()

    @property
    def compressed(self) -> bool:
        """Whether it may hold compressed instructions: a flag of the ELF header."""
        return bool(
            int.from_bytes(self.elf[_FLAGS_AT : _FLAGS_AT + 4], "little") & _FLAG_COMPRESSED
        )

    def symbol(self, name: str) -> Symbol:
        """Return the symbol called ``name``; a global one wins over local ones of the same name.

        Names of :meth:`function_name` are accepted too.

        Raises:
            ElfError: if there is none, there are several local ones, or the table is broken.
        """
        if self.symbols_error is not None:
            raise ElfError(f"{self.name}: symbol {name!r} cannot be found: {self.symbols_error}")
        base, _, number = name.rpartition("#")
        twins = self._twins.get(base, ())
        if len(twins) > 1 and number.isdecimal() and 1 <= int(number) <= len(twins):
            twin = self._functions.at(twins[int(number) - 1])
            assert twin is not None
            return twin
        found = self._by_name.get(name, ())
        found = tuple(s for s in found if not s.local) or found
        if not found:
            known = "" if self.symbols else " (the program has no symbol table)"
            hint = did_you_mean(name, self._by_name)
            place = self.build.place_of(name) if self.build is not None else ""
            if place:
                raise ElfError(
                    f"{self.name}: {name} of {place} is not in the program: the compiler has"
                    " inlined it into its callers, or it is never called; GNOMON_REGION or"
                    " __attribute__((noinline)) keeps it"
                )
            raise ElfError(f"{self.name}: no symbol {name!r}{hint}{known}")
        if len({s.address for s in found}) > 1:
            places = ", ".join(f"{s.address:#010x}" for s in found)
            raise ElfError(f"{self.name}: symbol {name!r} is ambiguous: it is at {places}")
        return found[0]

    def instruction_at(self, address: int) -> int:
        """Return the instruction at an address, 16 bits if compressed; 0 outside the program."""
        segment = self._segment_at(address)
        if segment is None:
            return 0
        offset = address - segment.address
        word = int.from_bytes(segment.data[offset : offset + 4], "little")
        return word if word & 3 == 3 else word & 0xFFFF

    def with_segment(self, address: int, data: bytes, *, executable: bool = False) -> "Program":
        """Return the program with one more writable segment."""
        more = Segment(address, data, len(data), executable=executable, writable=True)
        return replace(self, segments=(*self.segments, more))

    def _segment_at(self, address: int) -> Segment | None:
        return next((s for s in self.segments if s.address <= address < s.end), None)

    def function_at(self, address: int) -> Symbol | None:
        """Return the function that covers ``address``, or None.

        The extents of functions: see :mod:`gnomon.program._functions`.
        """
        return self._functions.at(address)

    def function_name(self, address: int) -> str:
        """Return the name of that function, or ``NO_FUNCTION``.

        Several sources may each have a static function of the same name. These are ``name#1``,
        ``name#2``, in the order of their addresses, which is the order of the sources.
        """
        function = self.function_at(address)
        if function is None:
            return NO_FUNCTION
        alike = self._twins[function.name]
        if len(alike) == 1:
            return function.name
        return f"{function.name}#{alike.index(function.address) + 1}"

    @cached_property
    def _by_name(self) -> dict[str, tuple[Symbol, ...]]:
        names: dict[str, list[Symbol]] = {}
        for symbol in self.symbols:
            names.setdefault(symbol.name, []).append(symbol)
        return {name: tuple(symbols) for name, symbols in names.items()}

    @cached_property
    def _functions(self) -> Functions[Symbol]:
        code = [CodeSegment(s.address, s.data, s.end) for s in self.segments if s.executable]
        symbols = [symbol for symbol in self.symbols if not symbol.absolute]
        return find_functions(symbols, code, entry=self.entry, compressed=self.compressed)

    @cached_property
    def _twins(self) -> dict[str, list[int]]:
        """Addresses of the functions of each name."""
        found: dict[str, list[int]] = {}
        for function in self._functions.begins:
            found.setdefault(function.name, []).append(function.address)
        return found
