"""Algorithm traces: kernel calls in order, with shapes and counts.

A trace is recorded from a learner, or written by hand, and priced by ``gnomon replay``. Both file
formats hold one entry per line: ``.csv`` has the columns ``kernel,shape,count,stage`` with a shape
such as ``8x8``, anything else is JSON lines such as
``{"kernel": "matvec", "shape": [8, 8], "count": 8, "stage": "select"}``. ``count`` (1) and
``stage`` (empty) may be omitted. Empty lines and lines that start with ``#`` are ignored.
"""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import CodeType
from typing import Any

from gnomon.base.content import ContentItem, found
from gnomon.base.errors import GnomonError, allowed_hint, did_you_mean
from gnomon.base.files import parse_json, read_text, write_file
from gnomon.base.frames import csv_text, frame
from gnomon.base.tables import read_yaml_table
from gnomon.base.values import parse_digits
from gnomon.learn._operations import Operations
from gnomon.learn._recorder import Outside, recorded_by
from gnomon.learn.kernels import COUNTS, SHAPE_NAMES

COLUMNS = ("kernel", "shape", "count", "stage")


def _own_shapes() -> dict[str, tuple[str, ...]]:
    """Return the extents in the ``kernel.yaml`` of each kernel that gnomon does not ship."""
    return _extents(tuple(each for each in found("kernels").values() if not each.shipped))


@cache
def _extents(folders: tuple[ContentItem, ...]) -> dict[str, tuple[str, ...]]:
    shapes = {}
    for folder in folders:
        data = read_yaml_table(folder.folder / "kernel.yaml").data
        extents = data.get("extents") if isinstance(data, dict) else None
        shapes[folder.folder.name] = tuple(map(str, extents or ()))
    return shapes


@dataclass(frozen=True, slots=True)
class Call:
    """Kernel with its shape, on which a price depends.

    Raises:
        GnomonError: if no such kernel exists, or the shape does not fit it.
    """

    kernel: str
    shape: tuple[int, ...]

    def __post_init__(self) -> None:
        names = SHAPE_NAMES.get(self.kernel) or _own_shapes().get(self.kernel)
        if names is None:
            shapes = SHAPE_NAMES | _own_shapes()
            sized = "; ".join(f"{each} {','.join(shapes[each])}" for each in shapes)
            raise GnomonError(
                f"unknown kernel {self.kernel!r} (allowed, with the numbers of their shapes:"
                f" {sized}{did_you_mean(self.kernel, shapes)})"
            )
        if len(self.shape) != len(names):
            raise GnomonError(
                f"kernel {self.kernel} has a shape of {len(names)} number(s), {','.join(names)};"
                f" got {len(self.shape)}"
            )
        for name, value in zip(names, self.shape, strict=True):
            if type(value) is not int or value < 1:
                raise GnomonError(
                    f"kernel {self.kernel}: {name} must be a whole number from 1, not {value!r}"
                )

    def __str__(self) -> str:
        return f"{self.kernel} {'x'.join(map(str, self.shape))}"

    def parts(self) -> tuple[Call, ...]:
        """Return the simpler calls of which this call consists, in order; by default itself."""
        counted = COUNTS[self.kernel](*self.shape) if self.kernel in COUNTS else None
        return tuple(Call(*part) for part in counted) if isinstance(counted, tuple) else (self,)

    def operations(self) -> Operations:
        """Return the operations of the call.

        Raises:
            GnomonError: if the kernel is user-defined, because such kernels have no count.
        """
        if self.kernel not in COUNTS:
            raise GnomonError(f"kernel {self.kernel} has no count of operations")
        counted = COUNTS[self.kernel](*self.shape)
        if isinstance(counted, Operations):
            return counted
        return sum((part.operations() for part in self.parts()), Operations())


@dataclass(frozen=True, slots=True)
class TraceEntry:
    """Call that occurs ``count`` times in a row in a stage (``select``, ``update``, any word)."""

    call: Call
    count: int = 1
    stage: str = ""


_OUTSIDE = "# outside kernels: "


@dataclass(slots=True)
class Trace:
    """Kernel calls in order; equal neighbors share one entry.

    ``outside`` counts NumPy calls that are not in any entry.
    """

    entries: list[TraceEntry] = field(default_factory=list)
    stage: str = ""
    outside: Counter[Outside] = field(default_factory=Counter)
    _seen: dict[tuple[Outside, tuple[CodeType, ...]], int] = field(default_factory=dict, repr=False)
    _noted: set[CodeType] = field(default_factory=set, repr=False)

    def see(self, call: Outside, callers: tuple[CodeType, ...]) -> None:
        """Count a NumPy call; ``callers`` holds the code objects of the call stack."""
        self._seen[call, callers] = self._seen.get((call, callers), 0) + 1

    def notes(self, code: CodeType) -> None:
        """Remember code that reports its calls with ``note``."""
        self._noted.add(code)

    def close(self) -> None:
        """Count seen NumPy calls as outside, unless a caller reports its calls with ``note``."""
        for (call, callers), count in self._seen.items():
            if self._noted.isdisjoint(callers):
                self.outside[call] += count
        self._seen.clear()

    def append(self, call: Call, count: int = 1) -> None:
        """Add calls in the current stage."""
        if self.entries:
            last = self.entries[-1]
            if last.call == call and last.stage == self.stage:
                self.entries[-1] = TraceEntry(call, last.count + count, self.stage)
                return
        self.entries.append(TraceEntry(call, count, self.stage))

    def record_call(self, kernel: str, shape: tuple[int, ...], count: int) -> None:
        """Add calls of a kernel in the current stage, as reported by a learner."""
        key = (kernel, shape)
        call = _CALLS.get(key)
        if call is None:
            call = _CALLS[key] = Call(kernel, shape)
        self.append(call, count)

    def totals(self, stage: str | None = None) -> dict[Call, int]:
        """Return the number of occurrences of each distinct call, in order of first occurrence."""
        counts: Counter[Call] = Counter()
        for entry in self.entries:
            if stage is None or entry.stage == stage:
                counts[entry.call] += entry.count
        return dict(counts)

    def operations(self, stage: str | None = None) -> Operations:
        """Return the operations of all calls, or of the calls of one stage."""
        counts = self.totals(stage).items()
        return sum((call.operations() * count for call, count in counts), Operations())

    @classmethod
    @contextmanager
    def record(cls) -> Iterator[Trace]:
        """Record the kernel calls of every learner that runs inside the ``with``."""
        trace = cls()
        with recorded_by(trace):
            yield trace
        trace.close()

    @staticmethod
    def suspend() -> AbstractContextManager[None]:
        """Record nothing inside the ``with``, for observers, whose work is not the learner's."""
        return recorded_by(None)

    def write(self, path: Path) -> Path:
        """Write as CSV (``.csv``) or JSON lines (any other name).

        Raises:
            GnomonError: if the file cannot be written.
        """
        rows = [
            (each.call.kernel, each.call.shape, each.count, each.stage) for each in self.entries
        ]
        if path.suffix == ".csv":
            cells = [(kernel, "x".join(map(str, shape)), *more) for kernel, shape, *more in rows]
            text = csv_text(frame(COLUMNS, cells))
        else:
            lines = [json.dumps(dict(zip(COLUMNS, row, strict=True))) for row in rows]
            text = "".join(f"{line}\n" for line in lines)
        return write_file(path, text + "".join(self._outside_lines()))

    def _outside_lines(self) -> Iterator[str]:
        """Yield comments that name the calls outside the kernels; :meth:`read` reads them back."""
        for call, count in sorted(self.outside.items()):
            fields = {"stage": call.stage, "function": call.function, "where": call.where}
            yield f"{_OUTSIDE}{json.dumps(fields | {'count': count})}\n"

    @classmethod
    def read(cls, path: Path) -> Trace:
        """Read a trace.

        Raises:
            GnomonError: if the file cannot be read, or a line is wrong; the message names file and
                line.
        """
        trace, problems = cls(), []
        for number, fields in _read(path):
            try:
                entry = _entry(fields)
            except GnomonError as error:
                problems.append(f"{path}:{number}: {error}")
                continue
            trace.stage = entry.stage
            trace.append(entry.call, entry.count)
        for number, line in enumerate(read_text(path).splitlines(), start=1):
            if line.startswith(_OUTSIDE):
                try:
                    call, count = _outside(parse_json(line.removeprefix(_OUTSIDE), path, number))
                except GnomonError as error:
                    problems.append(str(error))
                    continue
                trace.outside[call] += count
        if problems:
            raise GnomonError("\n".join(problems))
        if not trace.entries:
            raise GnomonError(f"{path}: holds no kernel call")
        return trace

    @staticmethod
    def first_lines(path: Path) -> dict[Call, int]:
        """Return the first line of each call, from 1, in a file that :meth:`read` has accepted."""
        lines: dict[Call, int] = {}
        for number, fields in _read(path):
            lines.setdefault(_entry(fields).call, number)
        return lines


_CALLS: dict[tuple[str, tuple[int, ...]], Call] = {}  # a run repeats few distinct calls


def _read(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield number and fields of each line that is neither empty nor a comment."""
    lines = enumerate(read_text(path).splitlines(), start=1)
    used = ((n, line) for n, line in lines if line.strip() and not line.lstrip().startswith("#"))
    return _read_csv(path, used) if path.suffix == ".csv" else _read_json_lines(path, used)


def _read_json_lines(
    path: Path, lines: Iterable[tuple[int, str]]
) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, line in lines:
        fields = parse_json(line, path, number)
        if not isinstance(fields, dict):
            raise GnomonError(f"{path}:{number}: not an object with kernel and shape: {line!r}")
        yield number, fields


def _read_csv(path: Path, lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, dict[str, Any]]]:
    header: list[str] = []
    for number, line in lines:
        try:
            cells = [cell.strip() for cell in next(csv.reader([line]))]
        except csv.Error as error:
            raise GnomonError(f"{path}:{number}: not CSV: {error}") from None
        if not header:
            if cells[:2] != ["kernel", "shape"]:
                raise GnomonError(
                    f"{path}:{number}: the first line must be {','.join(COLUMNS)}"
                    f" (count and stage may be left out), not {line!r}"
                )
            header = cells
            continue
        if len(cells) != len(header):
            raise GnomonError(f"{path}:{number}: {len(cells)} cells for {len(header)} columns")
        fields: dict[str, Any] = dict(zip(header, cells, strict=True))
        fields["shape"] = [_number(word) for word in fields["shape"].split("x")]
        if "count" in fields:
            fields["count"] = _number(fields["count"])
        yield number, fields


def _outside(fields: Any) -> tuple[Outside, int]:
    """Return a NumPy call and its count from the comment of a trace."""
    names = ("stage", "function", "where")
    known = isinstance(fields, dict) and all(isinstance(fields.get(name), str) for name in names)
    count = fields.get("count") if known else None
    if type(count) is not int or count < 1:
        raise GnomonError(f"{_OUTSIDE}needs {', '.join(names)} as words and a count from 1")
    return Outside(*(fields[name] for name in names)), count


def _number(word: str) -> int | str:
    number = parse_digits(word.strip())
    return word.strip() if number is None else number


def _entry(fields: dict[str, Any]) -> TraceEntry:
    for name in fields:
        if name not in COLUMNS:
            raise GnomonError(f"there is no field {name!r} {allowed_hint(name, COLUMNS)}")
    for name in ("kernel", "shape"):
        if name not in fields:
            raise GnomonError(f"{name} is missing")
    shape, count, stage = fields["shape"], fields.get("count", 1), fields.get("stage", "")
    if not isinstance(shape, list):
        raise GnomonError(f"shape must be a list of numbers such as [8, 8], not {shape!r}")
    if type(count) is not int or count < 1:
        raise GnomonError(f"count must be a whole number from 1, not {count!r}")
    if not isinstance(stage, str):
        raise GnomonError(f"stage must be a word, not {stage!r}")
    return TraceEntry(Call(str(fields["kernel"]), tuple(shape)), count, stage)
