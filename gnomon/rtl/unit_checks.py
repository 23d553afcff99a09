"""Contract checks of units: files, defined behavior of the C, SystemVerilog against C."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from gnomon.arch.units import Unit, library_text
from gnomon.arch.units.file import MOST_STATE_BYTES
from gnomon.arch.units.load import load_unit
from gnomon.base.compiler import compile_library, recipe, work_folder
from gnomon.base.errors import Check, CheckFailed, GnomonError
from gnomon.rtl.tools import TimedOut, run, tool
from gnomon.rtl.unit_area import default_points
from gnomon.rtl.unit_elements import check_elements
from gnomon.rtl.unit_record import record_check
from gnomon.rtl.units import RandomOperations, check_unit, random_operations

_OPERANDS: Final = 20_000
_MOST_SECONDS = 60  # of these; they take less than 0.1 s
_SANITIZED: Final = ("-fsanitize=undefined", "-fsanitize-trap=undefined")
_UNSANITIZED: Final = ("-fwrapv", "-fno-sanitize=all")
_ALIGN: Final = 64
_HARTS: Final = 8
_STEP_BYTES: Final = MOST_STATE_BYTES + 64  # from the state of one hart to that of the next
_GUARD: Final = 0xA5  # byte between them
# In another process, as undefined behavior ends it. The file holds all columns; the number of
# executed instructions comes first.
_RUN: Final = """\
import ctypes, mmap, sys
library, path, count, step, *places = sys.argv[1:]
with open(path, "r+b") as file:
    memory = mmap.mmap(file.fileno(), 0)
base = ctypes.addressof(ctypes.c_char.from_buffer(memory))
columns = [ctypes.c_void_p(base + int(place)) for place in places]
ctypes.CDLL(library).units_apply(
    ctypes.c_int64(int(count)), *columns, ctypes.c_int64(int(step)), ctypes.c_void_p(base)
)
"""


class _EndlessError(CheckFailed):
    """An execution of the C that does not end."""


def list_unit_checks(
    name: str, points: Sequence[Mapping[str, int]] | None = None
) -> Iterator[Check]:
    """Yield the checks of a unit at some points, and record the points that pass all of them.

    A missing simulator or missing SystemVerilog waives its check.

    Args:
        name: of the unit.
        points: values of parameters; None: the defaults, and each end of each parameter's range.

    Raises:
        GnomonError: if a point is out of range.
    """
    yield Check(name, "files", partial(load_unit, name, {}))
    try:
        unit = load_unit(name, {})
    except GnomonError:
        return  # the first check reports it
    missing = "it has no SystemVerilog" if unit.rtl is None else ""
    code_alone = bool(missing)
    if not missing and not tool("icarus").usable:
        missing = f"Icarus is not installed ({tool('icarus').install})"
    found = [
        _Point(load_unit(name, point), _text_of_point(point), code_alone)
        for point in points or default_points(name)
    ]
    for each in found:
        yield Check(name, f"defined behavior of its C{each.text}", each.check_code)
    for each in found:
        yield Check(
            name, f"SystemVerilog equals C and latency models{each.text}", each.check_hardware,
            waived="its C does not end" if each.endless else missing,
        )  # fmt: skip


def _text_of_point(values: Mapping[str, int]) -> str:
    return "".join(f", {name} = {value}" for name, value in values.items())


@dataclass(slots=True)
class _Point:
    """A unit with some parameters, and results of its checks."""

    unit: Unit
    text: str  # the parameters, for names of checks
    code_alone: bool  # only the C can be checked
    endless: bool = False  # the C does not end
    defined: bool = False  # the C has defined behavior

    def check_code(self) -> None:
        try:
            check_defined(self.unit)
        except _EndlessError:
            self.endless = True
            raise
        self.defined = True
        if self.code_alone:
            record_check(self.unit)

    def check_hardware(self) -> str:
        """Return the number of compared operations by instruction."""
        check = check_elements if self.unit.is_vector else check_unit
        outcome = check(self.unit, operands=_OPERANDS)
        if outcome.wrong:
            what = "elements" if self.unit.is_vector else "instructions"
            count = f"{outcome.wrong:,} of {outcome.operands:,} {what} differ"
            raise CheckFailed("; ".join([count, *outcome.differences]))
        if self.defined:
            record_check(self.unit)
        counts = outcome.by_instruction.items()
        return "compared: " + ", ".join(f"{count:,} {name}" for name, count in counts)


def check_defined(unit: Unit, *, operands: int = _OPERANDS, seed: int = 0) -> None:
    """Execute the C of a unit with a sanitizer, in another process.

    Raises:
        CheckFailed: if an execution has undefined behavior or does not end, with its operands; or
            if one writes beyond the state.
        GnomonError: if the C does not compile.
    """
    made = random_operations(unit, operands, np.random.default_rng(seed))
    result = np.zeros(operands)
    columns: list[npt.NDArray[Any]] = [made.number, made.hart, *made.given, result]
    blocks: list[npt.NDArray[Any]] = [np.zeros(1, dtype=np.int64)]
    blocks += [each.astype(np.uint32) for each in columns]
    inside = _state_bytes(unit)
    blocks.append(np.where(inside, 0, _GUARD).astype(np.uint8))
    places, data = [], b""
    for block in blocks:
        places.append(len(data))
        data += block.tobytes() + b"\0" * (-block.nbytes % _ALIGN)
    with work_folder() as folder:
        path = folder / "columns.bin"
        path.write_bytes(data)
        library = _compile_sanitized(unit, folder)
        command = [sys.executable, "-c", _RUN, str(library), str(path), str(operands),
                   str(0 if unit.shared else _STEP_BYTES), *map(str, places[1:])]  # fmt: skip
        try:
            ran = run(command, seconds=_MOST_SECONDS)
        except TimedOut:
            ran = None
        done = int(np.fromfile(path, dtype=np.int64, count=1)[0])
        state = np.fromfile(path, dtype=np.uint8, count=len(inside), offset=places[-1])
    where = f"{unit.code_file}: {_text_of(made, done)}"
    if ran is None:
        raise _EndlessError(f"{where}: does not end within {_MOST_SECONDS} s")
    if ran.returncode == 0 and (state[~inside] == _GUARD).all():
        return
    if ran.returncode == 0:
        raise CheckFailed(
            f"{unit.code_file}: writes beyond the {unit.state_bytes} bytes of its state"
        )
    what = "undefined behavior"
    if ran.returncode not in (-signal.SIGILL, -signal.SIGTRAP):
        what = f"the process ended with {ran.returncode} {ran.stderr.strip()[-200:]}"
    hint = "such as a signed overflow, a shift by 32 or more, a division by 0"
    raise CheckFailed(f"{where}: {what} ({hint})")


def _state_bytes(unit: Unit) -> npt.NDArray[np.bool_]:
    """Return which bytes of a memory are state: of one hart after another, or of all."""
    place = np.arange(_HARTS * _STEP_BYTES)
    within: npt.NDArray[np.bool_] = place % _STEP_BYTES < unit.state_bytes
    return within & (place < _STEP_BYTES) if unit.shared else within


def _text_of(made: RandomOperations, k: int) -> str:
    return made.describe(k, made.given) if k < len(made.words) else "after the last operands"


def _compile_sanitized(unit: Unit, folder: Path) -> Path:
    source = folder / "unit.c"
    source.write_text(library_text((unit,)), encoding="utf-8")
    how = recipe()
    flags = (each for each in how.command if each not in _UNSANITIZED)
    how = how._replace(command=(*flags, *_SANITIZED))
    return compile_library(how, (source,), {}, folder, "sanitized.so")
