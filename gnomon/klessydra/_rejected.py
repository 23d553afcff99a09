"""VHDL sources that simulators reject or simulate to X: advice, and edits of a copy.

The cases were found with GHDL 2.0.0 on klessydra/T13x c2c62163. Edits happen only on request, in
the work folder; gnomon never writes the files of the user. Four edits exist; none changes the
meaning of the source:

* a choice of an aggregate written as a range;
* a signal declared inside the generate statement whose copies drive it;
* parameters of a function body written as in its declaration (klessydra/Morph);
* a function in place of an aggregate with one bit at a variable index (klessydra/Morph).

No edit adds or removes a line, so line numbers stay valid.

In VHDL a process that assigns ``S(h)`` with a variable h drives every element of S. Inside a
``for ... generate``, each copy of the process then has a driver of every element. Synthesis may
detect disjoint elements; simulation resolves the drivers to X. In T13x this concerns the mask of
the shift unit, which is used with replicated accelerators.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, TypeAlias

from gnomon.klessydra._wiring import encoding_of, read_vhdl, without_comments

AdviceKind = Literal[
    "choice", "slice", "alike", "conform", "one-hot", "synopsys", "library", "crash", "other"
]


@dataclass(frozen=True, slots=True)
class Rejection:
    """One place that the simulator rejects. ``advice`` is empty if none is known."""

    path: Path
    line: int
    column: int
    message: str
    kind: AdviceKind
    advice: str

    def __str__(self) -> str:
        text = f"{self.path}:{self.line}:{self.column}: {self.message}"
        return f"{text}\n  {self.advice}" if self.advice else text


Edits: TypeAlias = Mapping[str, Callable[[str, Rejection], str | None]]
_ONE_BIT = re.compile(r"\(\s*(\w+)\s*=>\s*'1'\s*,\s*others\s*=>\s*'0'\s*\)", re.IGNORECASE)
_ASSIGNED = re.compile(r"(?:^|;|\bthen\b|\belse\b|\bbegin\b)\s*(\w+)\s*<=", re.IGNORECASE)
_CRASH = re.compile(r"^(\S.*?) \((?P<path>[^():]+):(?P<line>\d+):(?P<column>\d+)\)\s*$")
_ERROR = re.compile(r"^(?P<path>[^\s:][^:]*):(?P<line>\d+):(?P<column>\d+):\s*(?:error:\s*)?(.*)$")
_WARNING = re.compile(r"^[^\s:][^:]*:\d+:\d+:\s*warning:")

_CHOICE = (
    "GHDL 2.0 cannot translate a comparison with an aggregate whose choice is a subtype, such as"
    " X = (accl_range => '0'). Write the choice as a range: (accl_range'high downto accl_range'low"
    " => '0') is equivalent. --scratch-edits edits a copy of all files and leaves yours unchanged."
)
_INTERNAL = (
    "The simulator crashed at this place. Another version may accept it; --ghdl PATH selects one."
)
# Pattern of a message, kind, and advice; the first matching row applies.
_KNOWN: tuple[tuple[str, AdviceKind, str], ...] = (
    ("bounds of a slice must be either constant", "slice",
     ("Synthesis rejects a slice of variable width. The fast lock-step replaces it by a loop over"
     " the bits if its value is zeros, ones or the same slice of another signal.")),
    ("does not conform with specification", "conform",
     ("The parameters of a function differ from its declaration: --scratch-edits copies those of"
     " the declaration, in a copy of the file.")),
    ("^not static choice exclude others", "one-hot",
     ("An aggregate with a choice that is not static must not have another choice: --scratch-edits"
     " calls an equivalent function, in a copy of the file.")),
    ("^multiple assignments for", "alike",
     ("Synthesis accepts one driver per signal. If all copies of a generate statement make an equal"
     " assignment, the fast lock-step keeps it in the first copy only.")),
    ("synopsys package", "synopsys",
     ("The file uses a package of Synopsys in library ieee, which needs an option of the simulator"
     " (GHDL: -fsynopsys, set here unless --ghdl-flag changed it).")),
    ("(cannot find|no) (resource )?library|unit .* not found in library", "library",
     ("The library is neither among the sources nor part of the simulator: add its files to the"
     " list, or compile it separately and name its folder with --ghdl-flag=-PFOLDER.")),
    ("", "other", ""),
)  # fmt: skip


def rejections(output: str) -> tuple[Rejection, ...]:
    """Return the places that a failed analysis names, in order, without warnings."""
    found: list[Rejection] = []
    for line in output.splitlines():
        if _WARNING.match(line):
            continue
        crash = _CRASH.match(line)
        if crash is not None:
            choice = "cannot handle IIR_KIND_SIMPLE_NAME" in crash[1]
            kind: AdviceKind = "choice" if choice else "crash"
            found.append(_read_rejection(crash, crash[1], kind, _CHOICE if choice else _INTERNAL))
            continue
        error = _ERROR.match(line)
        if error is not None:
            known = next(each for each in _KNOWN if re.search(each[0], error[4]))
            found.append(_read_rejection(error, error[4], *known[1:]))
    return tuple(found)


def _read_rejection(match: re.Match[str], message: str, kind: AdviceKind, advice: str) -> Rejection:
    where = Path(match["path"]), int(match["line"]), int(match["column"])
    return Rejection(*where, message, kind, advice)


_GENERATE = re.compile(
    r"^[ \t]*(\w+)\s*:\s*for\s+\w+\s+in\s+[^;]+?\bgenerate\b", re.IGNORECASE | re.MULTILINE
)
_PROCESS = re.compile(r"\bprocess\b.*?\bend\s+process\b", re.IGNORECASE | re.DOTALL)
_VARIABLE = re.compile(r"\bvariable\s+(\w+)\s*:\s*(?:integer|natural)\b", re.IGNORECASE)
_OPENS = re.compile(r"\s*(?:begin|signal|constant|attribute)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class SharedDriver:
    """A signal that all copies of a generate statement drive, with the place of that statement.

    ``subtype`` is the declared one; ``offset`` is the start of the body of the generate.
    """

    path: Path
    line: int
    signal: str
    subtype: str
    label: str
    offset: int

    def __str__(self) -> str:
        return (
            f"{self.path}:{self.line}: each copy of generate {self.label} drives all of"
            f" {self.signal}, which simulates to X with several copies. If the signal is declared"
            " inside the generate, each copy has its own, as in synthesis; --scratch-edits edits a"
            " copy of the file and leaves yours unchanged."
        )


def shared_drivers(paths: Iterable[Path]) -> tuple[SharedDriver, ...]:
    """Return all shared drivers of VHDL files that could be declared inside their generate."""
    return tuple(found for path in paths for found in _drivers_of_file(path))


def _drivers_of_file(path: Path) -> Iterator[SharedDriver]:
    text = without_comments(read_vhdl(path))
    for match in _GENERATE.finditer(text):
        inside = generated(text, match)
        if inside is None or _OPENS.match(text, match.end()):
            continue
        outside = text[: inside.start] + text[inside.stop :]
        for name in sorted(_assigned_signals(text[inside])):
            declared = re.findall(rf"\bsignal\s+{name}\s*:\s*([^;]+);", outside, re.IGNORECASE)
            uses = len(re.findall(rf"\b{name}\b", outside, re.IGNORECASE))
            if len(declared) == 1 and uses == 1:
                line = text.count("\n", 0, match.start(1)) + 1
                subtype = " ".join(declared[0].split())
                yield SharedDriver(path, line, name, subtype, match[1], match.end())


def generated(plain: str, head: re.Match[str]) -> slice | None:
    """Return the range of the body of a generate statement; group 1 of ``head`` is its label."""
    end = re.compile(rf"\bend\s+generate\s+{head[1]}\b", re.IGNORECASE).search(plain, head.end())
    return slice(head.end(), end.start()) if end else None


def _assigned_signals(body: str) -> set[str]:
    """Return the signals that a process of the body assigns at a variable index."""
    return {
        name
        for process in _PROCESS.findall(body)
        for variable in _VARIABLE.findall(process)
        for name in re.findall(rf"(?im)^\s*(\w+)\(\s*{variable}\s*\)[^;=]*<=", process)
    }


@dataclass(frozen=True, slots=True)
class Edit:
    """One changed line of a copy, with the user's file and line."""

    path: Path
    line: int
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:\n  - {self.before.strip()}\n  + {self.after.strip()}"


class ScratchCopy:
    """Copies of files in numbered folders, since file names may be equal."""

    def __init__(self, paths: Sequence[Path], folder: Path) -> None:
        self.original: dict[Path, Path] = {}
        for number, path in enumerate(paths):
            copy = folder / f"{number:03}" / path.name
            copy.parent.mkdir(parents=True, exist_ok=True)
            # Bytes are copied unchanged: comments may have any encoding.
            copy.write_bytes(path.read_bytes())
            self.original[copy] = path
        self.edits: list[Edit] = []

    @property
    def paths(self) -> tuple[Path, ...]:
        """The copies, in the order of the originals."""
        return tuple(self.original)

    def own_drivers(self) -> None:
        """Declare signals that all copies of a generate drive inside the generate."""
        for found in reversed(shared_drivers(self.paths)):  # from the end: offsets stay valid
            text = read_vhdl(found.path)
            declaration = f" signal {found.signal} : {found.subtype}; begin"
            self.write(found.path, text[: found.offset] + declaration + text[found.offset :])

    def mend(self, rejection: Rejection, edits: Edits) -> bool:
        """Apply the known edit for a rejection and return whether the copy changed."""
        if rejection.path not in self.original:
            return False
        if rejection.kind == "choice":
            return self._choice_as_range(rejection)
        edit = edits.get(rejection.kind)
        text = edit(read_vhdl(rejection.path), rejection) if edit else None
        return text is not None and self.write(rejection.path, text)

    def _choice_as_range(self, rejection: Rejection) -> bool:
        """Write the rejected choice as a range, in every comparison with it."""
        row = read_vhdl(rejection.path).split("\n")[rejection.line - 1]
        name = re.match(r"\w+", row[rejection.column - 1 :])
        if name is None:
            return False
        compared = re.compile(rf"(?i)(=\s*\(\s*){name[0]}(\s*=>\s*'[01]'\s*\))")
        as_range = rf"\g<1>{name[0]}'high downto {name[0]}'low\g<2>"

        def edit_row(row: str) -> str:
            code, dashes, comment = row.partition("--")
            return compared.sub(as_range, code) + dashes + comment

        changed = [
            self.write(path, "\n".join(map(edit_row, read_vhdl(path).split("\n"))))
            for path in self.paths
        ]
        return any(changed)

    def write(self, copy: Path, text: str) -> bool:
        """Write a text with an equal number of lines to a copy, record the edits, return if any."""
        before, after = read_vhdl(copy).split("\n"), text.split("\n")
        for line, (old, new) in enumerate(zip(before, after, strict=True), start=1):
            if old != new:
                self.edits.append(Edit(self.original[copy], line, old, new))
        copy.write_bytes(text.encode(encoding_of(copy)))
        return before != after


def _conform_parameters(text: str, rejection: Rejection) -> str | None:
    """Return the text with the parameters of a rejected function body as in its declaration."""
    named = re.search(r'function "?(\w+)"?', rejection.message)
    if named is None:
        return None
    head = re.compile(rf"(?i)\bfunction\s+{named[1]}\s*(\([^)]*(?:\([^)]*\)[^)]*)*\))")
    declared = head.search(without_comments(text))
    rows = text.split("\n")
    body = head.search(rows[rejection.line - 1])
    if declared is None or body is None:
        return None
    rows[rejection.line - 1] = (
        body.string[: body.start(1)] + declared[1] + body.string[body.end(1) :]
    )
    return "\n".join(rows)


def _call_one_hot(text: str, rejection: Rejection) -> str | None:
    """Return the text with a rejected one-hot aggregate written as a call of gnomon's function."""
    rows = text.split("\n")
    row = rows[rejection.line - 1]
    found = _ONE_BIT.search(row)
    if found is None:
        return None
    above = without_comments("\n".join([*rows[: rejection.line - 1], row[: found.start()]]))
    target = _ASSIGNED.findall(above)
    if not target:
        return None
    call = f"work.gnomon_bits.one_hot({found[1]}, {target[-1]})"
    rows[rejection.line - 1] = row[: found.start()] + call + row[found.end() :]
    return "\n".join(rows)


EDITS: Final[Edits] = {"conform": _conform_parameters, "one-hot": _call_one_hot}
"""Edits by kind of rejection: from the text of a file to its new text, or None."""
