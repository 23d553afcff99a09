"""Measurements of ``tests/reference``, and programs that measure the same on a T13 machine.

Only this module knows the format of these files. A wheel does not contain them.
"""

import csv
import io
import lzma
import zipfile
from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from gnomon.arch import Architecture, load_architecture
from gnomon.base.content import content
from gnomon.base.errors import GnomonError
from gnomon.isa import assemble, encode, find_instruction
from gnomon.program import Program, load_elf
from gnomon.rtl.bare_metal import DATA_BASE, EXIT_ADDRESS, RESET_PC, start_text, write_elf
from gnomon.rtl.setting import Setting
from gnomon.sim import Run, simulate

MACHINE = "t13-simd1"
_USUAL = Setting()
SPM_BYTES = 4096
VECTOR_TYPE = {"8": 0, "16": 1, "32": 2}
_RETRY_WORD = 0x0000_006F
_CYCLE_LIMIT = 5_000_000
_A0, _A1, _A2 = 10, 11, 12

# A trap ends the run with 0xDEAD.
_PROLOGUE = start_text(f"""
    li t0, {EXIT_ADDRESS}
    li t1, 0xDEAD
    sw t1, 0(t0)
stay:
    j stay
""")
_EPILOGUE = f"""
    li t0, {EXIT_ADDRESS}
    sw x0, 0(t0)
stay:
    j stay
"""


class Measuring:
    """A program for hart 0, written in the order of its code."""

    def __init__(self) -> None:
        self._words = assemble(_PROLOGUE, base=RESET_PC)

    @property
    def here(self) -> int:
        return RESET_PC + 4 * len(self._words)

    def text(self, text: str) -> int:
        """Append assembly with local labels and return its address."""
        address = self.here
        self._words += assemble(text, base=address)
        return address

    def vector(self, name: str) -> int:
        """Append a vector instruction or a transfer on a0, a1 and a2 and return its address."""
        address = self.here
        self._words.append(encode(name, rd=_A0, rs1=_A1, rs2=_A2))
        return address

    def nothing(self) -> int:
        """Append a transfer of 0 bytes, which waits for the load-store and the vector unit."""
        return self.text("kmemld x0, x0, x0")

    def run(self, setting: Setting = _USUAL, *, trace: bool = True, data: bytes = b"") -> Run:
        words = [*self._words, *assemble(_EPILOGUE, base=self.here)]
        code = b"".join(word.to_bytes(4, "little") for word in words)
        parts = [(RESET_PC, code), *[(DATA_BASE, data)] * bool(data)]
        program = load_elf(write_elf(parts), "measuring program")
        run = simulate(program, _load_machine(setting), max_cycles=_CYCLE_LIMIT, trace=trace)
        if run.halted != "exit" or run.exit_code:
            raise GnomonError(f"a measuring program failed: {run.reason}")
        return run


def rs2_is_register(name: str) -> bool:
    return find_instruction(name).rs2 in ("register_scalar", "shift_amount")


def run_elf(elf: bytes, name: str, setting: Setting) -> tuple[Program, Run]:
    program = load_elf(elf, name)
    return program, simulate(program, _load_machine(setting), max_cycles=_CYCLE_LIMIT, trace=True)


@cache
def _load_machine(setting: Setting) -> Architecture:
    return load_architecture(MACHINE, setting.overrides())


class Issues:
    """Issue cycles of a traced run by hart and pc."""

    def __init__(self, run: Run) -> None:
        self._cycles: dict[tuple[int, int], list[int]] = defaultdict(list)
        self._retries: dict[tuple[int, int], int] = defaultdict(int)
        for cycle, hart, pc, word in () if run.trace is None else run.trace.tolist():
            self._retries[hart, pc] += word == _RETRY_WORD
            self._cycles[hart, pc].append(cycle)

    def first(self, pc: int, hart: int = 0) -> int:
        return self._of(pc, hart)[0]

    def last(self, pc: int, hart: int = 0) -> int:
        return self._of(pc, hart)[-1]

    def count(self, pc: int) -> int:
        """Return the number of issues at a pc, hart 0."""
        return len(self._cycles[0, pc])

    def retries(self, pc: int) -> int:
        """Return the number of issues at a pc in which the accelerator was busy, hart 0."""
        return self._retries[0, pc]

    def _of(self, pc: int, hart: int) -> list[int]:
        if not self._cycles[hart, pc]:
            raise GnomonError(f"a measured instruction was never issued: hart {hart}, pc {pc:#x}")
        return self._cycles[hart, pc]


def run_bench(name: str, setting: Setting) -> tuple[Program, Run, Issues]:
    """Run a program of the measurements and return it with its run and issues."""
    program, run = run_elf(_read_bench(name), name, setting)
    return program, run, Issues(run)


def busy_by_start(run: Run, *, lsu: bool) -> dict[int, int]:
    """Return the busy cycles of the load-store unit or the vector units, by their start cycle."""
    spans = [] if run.spans is None else run.spans.tolist()
    return {start: last - start + 1 for unit, start, last in spans if (unit < 0) == lsu}


CORE, DIVIDERS = "t13x", "vdiv"
"""Folders: measurements of the T13 core, and of the dividers of its group."""

Issue = tuple[int, int, int, int]
"""Cycle, hart, pc and word."""


def measured_rows(folder: str, name: str) -> list[Mapping[str, str]]:
    """Return the rows of a table, uncompressed or compressed with xz."""
    return list(csv.DictReader(_text(measured(folder, name)).splitlines()))


def measured_groups(
    folder: str, name: str, *columns: str
) -> dict[tuple[str, ...], list[Mapping[str, str]]]:
    """Return the rows of a table in groups of equal columns; one program measures a group."""
    found: dict[tuple[str, ...], list[Mapping[str, str]]] = defaultdict(list)
    for row in measured_rows(folder, name):
        found[tuple(row[each] for each in columns)].append(row)
    return found


@cache
def _open_archive(path: Path) -> zipfile.ZipFile:
    return zipfile.ZipFile(io.BytesIO(lzma.decompress(path.read_bytes())))


@cache
def _read_bench(name: str) -> bytes:
    path = measured(CORE, "programs/bench.zip.xz")
    try:
        return _open_archive(path).read(name)
    except (OSError, lzma.LZMAError, zipfile.BadZipFile, KeyError) as error:
        raise GnomonError(f"{path}: {name} cannot be read: {error}") from None


def measured_trace(name: str) -> list[Issue]:
    """Return every issue of a complete program."""
    lines = _text(measured(CORE, f"programs/{name}.trace.csv.xz")).splitlines()[1:]
    fields = (line.split(",") for line in lines)
    return [(int(c), int(h), int(pc, 16), int(word, 16)) for c, h, pc, word in fields]


def measured(folder: str, name: str) -> Path:
    """Return the path of a file of measurements.

    Raises:
        GnomonError: if the file is missing, as in a wheel.
    """
    root = content("tests", "reference")
    if not root.is_dir():
        raise GnomonError(
            "the measurements are not part of the wheel: use a checkout of gnomon,"
            " where they are in tests/reference"
        )
    path = root / folder / name
    if not path.is_file():
        raise GnomonError(f"{path}: no such file; this checkout of gnomon is incomplete")
    return path


def _text(path: Path) -> str:
    try:
        raw = path.read_bytes()
        return (lzma.decompress(raw) if path.suffix == ".xz" else raw).decode()
    except (OSError, lzma.LZMAError, UnicodeDecodeError) as error:
        raise GnomonError(f"{path}: cannot be read: {error}") from None
