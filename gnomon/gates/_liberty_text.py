"""Reader of the groups and units of liberty files, in the forms of open and commercial kits."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

from gnomon.base.errors import GnomonError
from gnomon.base.files import decode_text, decompress, read_bytes

_NOISE = re.compile(r'"[^"]*"|/\*.*?\*/|//[^\n]*|\\[ \t]*\n', re.DOTALL)
_CONTINUED = re.compile(r"\\[ \t]*\n")
_TOKEN = re.compile(r'"[^"]*"|[{}():;,]|[^\s{}():;,"]+|\n')
_UNIT = re.compile(r"([0-9]{1,12}(?:\.[0-9]{0,12})?(?:e[+-]?[0-9]{1,2})?)[\s,]*([a-zµ]+)", re.ASCII)
_PREFIXES = {"m": -3, "u": -6, "µ": -6, "n": -9, "p": -12, "f": -15, "a": -18, "": 0}


@dataclass(slots=True)
class Group:
    kind: str
    line: int
    names: list[str]
    values: dict[str, str] = field(default_factory=dict)
    groups: list["Group"] = field(default_factory=list)

    def of(self, *kinds: str) -> Iterator["Group"]:
        return (each for each in self.groups if each.kind in kinds)


@dataclass(frozen=True, slots=True)
class Units:
    """Units of the numbers of a library; energy is capacitance times voltage squared."""

    ns: float
    volt: float
    pf: float
    nw: float | None  # None: the library has no unit of leakage

    @property
    def pj(self) -> float:
        return self.pf * self.volt**2

    @classmethod
    def from_library(cls, library: "Group", path: Path) -> "Units":
        """Read the units of a library: a number times a prefix times s, V, F or W.

        Raises:
            GnomonError: if a unit is invalid, or the unit of capacitance is missing.
        """

        def factor(name: str, letter: str, wanted: int, default: str | None) -> float | None:
            text = library.values.get(name, default)
            if text is None:
                return None
            found = _UNIT.fullmatch(text.strip().lower())
            prefix = found[2].removesuffix(letter) if found and found[2].endswith(letter) else None
            if found is None or prefix not in _PREFIXES or not float(found[1]):
                raise GnomonError(
                    f"{path}: {name} {text!r} is not a number and a unit such as"
                    f" {_EXAMPLES[letter]}"
                )
            number = Fraction(Decimal(found[1])) * Fraction(10) ** (_PREFIXES[prefix] - wanted)
            return float(number)

        ns = factor("time_unit", "s", -9, "1ns")
        volt = factor("voltage_unit", "v", 0, "1V")
        pf = factor("capacitive_load_unit", "f", -12, None)
        if pf is None or ns is None or volt is None:
            raise GnomonError(f"{path}: capacitive_load_unit is missing")
        return cls(ns, volt, pf, factor("leakage_power_unit", "w", -9, None))


_EXAMPLES = {"s": "1ns or 10ps", "v": "1V or 100mV", "f": "(1, pf)", "w": "1nW or 100pW"}


def liberty_text(path: Path) -> str:
    """Return the text of a liberty file without comments; line numbers stay valid.

    The file may be compressed with gzip.

    Raises:
        GnomonError: if the file cannot be read.
    """

    def plain(found: re.Match[str]) -> str:
        return found[0] if found[0][0] in '"\\' else "\n" * found[0].count("\n")

    return _NOISE.sub(plain, decode_text(path, decompress(path, read_bytes(path))))


def read_library_group(path: Path) -> Group:
    """Read the group ``library`` of a liberty file, with its nested groups.

    Raises:
        GnomonError: if the file cannot be read, or does not have exactly one library.
    """
    text = _CONTINUED.sub("\n", liberty_text(path))
    tokens: list[tuple[str, int]] = []
    line = 1
    for found in _TOKEN.finditer(text):
        if found[0] == "\n":
            line += 1
        else:
            tokens.append((found[0], line))
            line += found[0].count("\n")
    top = Group("", 1, [])
    _read_groups(tokens, top, path)
    libraries = list(top.of("library"))
    if len(libraries) != 1:
        raise GnomonError(f"{path}: holds {len(libraries)} libraries, not one")
    return libraries[0]


def _end_of_value(tokens: list[tuple[str, int]], start: int) -> int:
    """Return the end of the value at ``start``: a semicolon, bracket or line end."""
    end = start + 1
    while tokens[end][0] not in ("}", "{", ";") and tokens[end][1] == tokens[end - 1][1]:
        end += 1
    return end


def _read_groups(tokens: list[tuple[str, int]], top: Group, path: Path) -> None:
    stack, at = [top], 0
    try:
        while at < len(tokens):
            word, _ = tokens[at]
            if word == "}":
                stack.pop()
                at += 1
            elif word == ";":
                at += 1
            elif tokens[at + 1][0] == ":":
                end = _end_of_value(tokens, at + 2)
                value = " ".join(each.strip('"') for each, _ in tokens[at + 2 : end])
                stack[-1].values[word] = value
                at = end
            elif tokens[at + 1][0] == "(":
                end = next(k for k in range(at, len(tokens)) if tokens[k][0] == ")")
                names = [each.strip('"') for each, _ in tokens[at + 2 : end] if each != ","]
                at = end + 1
                if tokens[at][0] == "{":
                    group = Group(word, tokens[at][1], names)
                    stack[-1].groups.append(group)
                    stack.append(group)
                    at += 1
                else:
                    stack[-1].values[word] = ",".join(names)
            else:
                raise GnomonError(f"{path}:{tokens[at][1]}: {word!r} is neither value nor group")
    except (IndexError, StopIteration):
        raise GnomonError(f"{path}: ends inside a group, or has a bracket too many") from None
    if stack != [top]:
        raise GnomonError(f"{path}: ends inside a group, or has a bracket too many")
