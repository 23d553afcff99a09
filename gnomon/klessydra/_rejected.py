"""VHDL sources that simulators reject, or simulate to X: what is known, and edits to a copy.

Known of GHDL 2.0.0 on klessydra/T13x c2c62163. Edits are made only on request, in the work folder;
the files of the user are never written. Four are known, all of the kind that changes no meaning:

* a choice of an aggregate written as a range;
* a signal declared inside the generate statement whose copies drive it;
* parameters of a function body written as in its declaration (klessydra/Morph);
* a function in place of an aggregate with one bit at a variable place (klessydra/Morph).

No edit adds or removes a line, so line numbers stay those of the file.

In VHDL a process that assigns ``S(h)``, h a variable, drives every element of S. Inside a
``for ... generate`` each copy of the process then has a driver of its own on all of them. Synthesis
may see disjoint elements; simulation resolves the drivers, to X. In T13x this is the mask of the
shift unit, which is used with replicated accelerators.
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
    """One place that the simulator does not take. ``advice`` is empty where none is known."""

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
    " => '0') means the same. --scratch-edits does this to a copy of all files, never to yours."
)
_INTERNAL = (
    "The simulator stopped on a fault of its own at this place. Another version may take it;"
    " --ghdl PATH chooses one."
)
# What a message has in it, and what is advised then; the first that fits counts.
_KNOWN: tuple[tuple[str, AdviceKind, str], ...] = (
    ("bounds of a slice must be either constant", "slice",
     ("Synthesis takes no slice whose width is not constant. The fast lock-step makes it a loop"
     " over the bits where it is assigned from zeros, ones or the same slice of another signal.")),
    ("does not conform with specification", "conform",
     ("The parameters of a function are written otherwise where it is declared: --scratch-edits"
     " writes them as there, in a copy.")),
    ("^not static choice exclude others", "one-hot",
     ("An aggregate with a choice that is not static may have no other: --scratch-edits calls a"
     " function that means the same, in a copy.")),
    ("^multiple assignments for", "alike",
     ("Synthesis takes one driver for each signal. The fast lock-step lets the first copy of a"
     " generate statement alone make an assignment that all its copies make alike.")),
    ("synopsys package", "synopsys",
     ("The file uses a package of Synopsys in library ieee: give your simulator its option for it"
     " (GHDL: -fsynopsys, set here unless --ghdl-flag changed it).")),
    ("(cannot find|no) (resource )?library|unit .* not found in library", "library",
     ("The library is not among the sources and not part of the simulator: add its files to your"
     " list, or compile it apart and point to it with --ghdl-flag=-PFOLDER.")),
    ("", "other", ""),
)  # fmt: skip


def rejections(output: str) -> tuple[Rejection, ...]:
    """The places a failed analysis names, in order, warnings aside."""
    found: list[Rejection] = []
    for line in output.splitlines():
        if _WARNING.match(line):
            continue
        crash = _CRASH.match(line)
        if crash is not None:
            choice = "cannot handle IIR_KIND_SIMPLE_NAME" in crash[1]
            kind: AdviceKind = "choice" if choice else "crash"
            found.append(_place(crash, crash[1], kind, _CHOICE if choice else _INTERNAL))
            continue
        error = _ERROR.match(line)
        if error is not None:
            known = next(each for each in _KNOWN if re.search(each[0], error[4]))
            found.append(_place(error, error[4], *known[1:]))
    return tuple(found)


def _place(match: re.Match[str], message: str, kind: AdviceKind, advice: str) -> Rejection:
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
    """A signal, the generate statement whose copies all drive it, and where that begins.

    ``subtype`` is as declared; ``offset`` is where the body of the generate starts in the text.
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
            f" {self.signal}, which simulates to X where there are several. Declared inside the"
            " generate, every copy has its own, as synthesis makes it; --scratch-edits does this"
            " to a copy of the file, never to yours."
        )


def shared_drivers(paths: Iterable[Path]) -> tuple[SharedDriver, ...]:
    """All such signals of some VHDL files that could be declared inside their generate."""
    return tuple(found for path in paths for found in _of_file(path))


def _of_file(path: Path) -> Iterator[SharedDriver]:
    text = without_comments(read_vhdl(path))
    for match in _GENERATE.finditer(text):
        inside = generated(text, match)
        if inside is None or _OPENS.match(text, match.end()):
            continue
        outside = text[: inside.start] + text[inside.stop :]
        for name in sorted(_assigned(text[inside])):
            declared = re.findall(rf"\bsignal\s+{name}\s*:\s*([^;]+);", outside, re.IGNORECASE)
            uses = len(re.findall(rf"\b{name}\b", outside, re.IGNORECASE))
            if len(declared) == 1 and uses == 1:
                line = text.count("\n", 0, match.start(1)) + 1
                subtype = " ".join(declared[0].split())
                yield SharedDriver(path, line, name, subtype, match[1], match.end())


def generated(plain: str, head: re.Match[str]) -> slice | None:
    """Where the body of a generate statement is, whose label is the first group of its head."""
    end = re.compile(rf"\bend\s+generate\s+{head[1]}\b", re.IGNORECASE).search(plain, head.end())
    return slice(head.end(), end.start()) if end else None


def _assigned(body: str) -> set[str]:
    """Signals that a process of the body assigns at a variable index."""
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
    """Copies of some files, under numbered folders so that equal names do not meet."""

    def __init__(self, paths: Sequence[Path], folder: Path) -> None:
        self.original: dict[Path, Path] = {}
        for number, path in enumerate(paths):
            copy = folder / f"{number:03}" / path.name
            copy.parent.mkdir(parents=True, exist_ok=True)
            # One byte per character both ways: comments may hold anything.
            copy.write_bytes(path.read_bytes())
            self.original[copy] = path
        self.edits: list[Edit] = []

    @property
    def paths(self) -> tuple[Path, ...]:
        """The copies, in the order of the originals."""
        return tuple(self.original)

    def own_drivers(self) -> None:
        """Give every copy of a generate its own signal where all copies drive one."""
        for found in reversed(shared_drivers(self.paths)):  # from the end: offsets stay right
            text = read_vhdl(found.path)
            declaration = f" signal {found.signal} : {found.subtype}; begin"
            self.write(found.path, text[: found.offset] + declaration + text[found.offset :])

    def mended(self, rejection: Rejection, edits: Edits) -> bool:
        """Make the edit that is known for a rejection; whether there was one to make."""
        if rejection.path not in self.original:
            return False
        if rejection.kind == "choice":
            return self._choice_as_range(rejection)
        edit = edits.get(rejection.kind)
        text = edit(read_vhdl(rejection.path), rejection) if edit else None
        return text is not None and self.write(rejection.path, text)

    def _choice_as_range(self, rejection: Rejection) -> bool:
        """Write the choice that was rejected as a range, wherever it is compared with."""
        row = read_vhdl(rejection.path).split("\n")[rejection.line - 1]
        name = re.match(r"\w+", row[rejection.column - 1 :])
        if name is None:
            return False
        compared = re.compile(rf"(?i)(=\s*\(\s*){name[0]}(\s*=>\s*'[01]'\s*\))")
        as_range = rf"\g<1>{name[0]}'high downto {name[0]}'low\g<2>"

        def edited(row: str) -> str:
            code, dashes, comment = row.partition("--")
            return compared.sub(as_range, code) + dashes + comment

        changed = [
            self.write(path, "\n".join(map(edited, read_vhdl(path).split("\n"))))
            for path in self.paths
        ]
        return any(changed)

    def write(self, copy: Path, text: str) -> bool:
        """Give a copy another text of as many lines, and note what changed, if anything did."""
        before, after = read_vhdl(copy).split("\n"), text.split("\n")
        for line, (old, new) in enumerate(zip(before, after, strict=True), start=1):
            if old != new:
                self.edits.append(Edit(self.original[copy], line, old, new))
        copy.write_bytes(text.encode(encoding_of(copy)))
        return before != after


def _conforming(text: str, rejection: Rejection) -> str | None:
    """The parameters of a rejected function body, written as its declaration does."""
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


def _one_hot(text: str, rejection: Rejection) -> str | None:
    """A rejected aggregate of one bit at a variable place, written as a call of our function."""
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


EDITS: Final[Edits] = {"conform": _conforming, "one-hot": _one_hot}
"""What answers a rejection: from the text of a file to its new text, or None."""
