"""Edits of a copy of VHDL sources that GHDL cannot synthesize, or synthesizes inefficiently.

Four edits exist; none changes the meaning, the number of lines, or a file of the user:

* shifts of bit vectors by a variable count: gnomon's package overloads the operators;
* slices of variable width: a loop over the bits;
* an equal assignment in all copies of a generate statement: the first copy keeps it;
* a memory that the copies of a generate statement share, each with one element: a signal in each
  copy, so that it becomes a memory and not a register of all bits.
"""

import re
from collections.abc import Iterator
from typing import Final

from gnomon.klessydra._rejected import EDITS, Edits, Rejection, ScratchCopy, generated
from gnomon.klessydra._wiring import closing, read_vhdl, without_comments

SHIFTS_PACKAGE = "gnomon_bits"
"""Package in ``rtl_tests/klessydra/bits.vhd``."""

_USE = re.compile(r"^([ \t]*use\s+ieee\.std_logic_1164\.all\s*;)", re.IGNORECASE | re.MULTILINE)
_SHIFT = re.compile(r"\bto_bitvector\b.*\bs(ll|rl|ra)\b", re.IGNORECASE)
_GENERATE = re.compile(r"\bgenerate\b(?!\s*\w*\s*;)", re.IGNORECASE)
_FOR = re.compile(r"\bfor\s+(\w+)\s+in\s[^;]*\bgenerate$", re.IGNORECASE)
_SIGNAL = re.compile(
    r"\bsignal\s+(\w+)\s*:\s*\w+\s*\([^;:]*\)\s*\([^;:]*\)\s*\([^;:]*;", re.IGNORECASE
)
_COPIES = re.compile(
    r"\b(\w+)\s*:\s*for\s+(\w+)\s+in\s+(\w+(?=\s+generate)|.+?(?=\s+to\b)).*?\bgenerate\b",
    re.IGNORECASE,
)
_END = re.compile(r"(;|=>|\b(then|else|begin|loop|generate|is))\s*$", re.IGNORECASE)
_DOWNTO = re.compile(r"\bdownto\b", re.IGNORECASE)
_BIT = "gnomon_bit"


def use_bit_shifts(copy: ScratchCopy) -> None:
    """Make files that shift bit vectors use the operators of gnomon's package."""
    for path in copy.paths:
        text = read_vhdl(path)
        if _SHIFT.search(without_comments(text)):
            copy.write(path, _USE.sub(rf"\1 use work.{SHIFTS_PACKAGE}.all;", text))


def own_memories(copy: ScratchCopy) -> None:
    """Declare a signal in each copy of a generate for the element of a memory that it uses."""
    for path in copy.paths:
        text = read_vhdl(path)
        for name in _SIGNAL.findall(without_comments(text)):
            text = _declare_element(text, name)
        copy.write(path, text)


def _declare_element(text: str, name: str) -> str:
    plain = without_comments(text)
    uses = list(_find_uses(plain, name))
    elements = {" ".join(element.split()) for *_, element in uses}
    mentions = [
        each
        for each in re.finditer(rf"\b{name}\b", plain, re.IGNORECASE)
        if not re.search(r"\b(signal|attribute)\b[^;]*$", plain[: each.start()], re.IGNORECASE)
    ]
    if len(elements) != 1 or len(mentions) != len(uses):
        return text
    opened = [each for each in _GENERATE.finditer(plain) if each.end() < uses[0][0]]
    if not opened or re.match(r"\s*(begin|signal)\b", plain[opened[-1].end() :], re.IGNORECASE):
        return text
    # Each copy of a generate has a separate element only if the generate variable selects it. If a
    # loop inside the generate selects it, all copies use it.
    of_copy = _FOR.search(plain[: opened[-1].end()])
    if of_copy is None or of_copy[1].lower() not in re.findall(r"\w+", elements.pop().lower()):
        return text
    for start, end, _ in reversed(uses):
        text = text[:start] + f"{name}_own" + text[end:]
    place = opened[-1].end()
    return f"{text[:place]} signal {name}_own : {name}'element; begin{text[place:]}"


def _find_uses(plain: str, name: str) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and element of each ``name(element)`` that is indexed further."""
    for found in re.finditer(rf"\b{name}\s*\(", plain, re.IGNORECASE):
        end = closing(plain, found.end() - 1)
        if plain[end + 1 :].lstrip().startswith("("):
            yield found.start(), end + 1, plain[found.end() : end]


def _slice_as_loop(text: str, rejection: Rejection) -> str | None:
    """Return the text with a rejected assignment as a loop over the bits, if it is simple."""
    rows = text.split("\n")
    code = [row.partition("--")[0] for row in rows]
    first = last = rejection.line - 1
    while first > 0 and code[first - 1].strip() and not _END.search(code[first - 1]):
        first -= 1
    while last < len(rows) - 1 and ";" not in code[last]:
        last += 1
    statement, _, rest = " ".join(code[first : last + 1]).partition(";")
    loop = _write_loop(statement)
    if loop is None:
        return None
    rows[first : last + 1] = [loop + rest, *[""] * (last - first)]
    return "\n".join(rows)


def _assign_once(text: str, rejection: Rejection) -> str | None:
    """Return the text with an equal assignment of all copies only in the first copy."""
    named = re.search(r'"(\w+)"', rejection.message)
    if named is None:
        return None
    plain = without_comments(text)
    for found in _COPIES.finditer(plain):
        _, variable, first = found.groups()
        if re.fullmatch(r"\w+", first):
            first += "'low"
        inside = generated(plain, found)
        assigned = re.compile(rf"(?im)^[ \t]*{named[1]}\s*<=[^;]*;")
        assignment = assigned.search(plain, inside.start, inside.stop) if inside else None
        if assignment is None or re.search(rf"(?i)\b{variable}\b", assignment[0]):
            continue
        start, stop = assignment.span()
        head = f"gnomon_{named[1]} : if {variable} = {first} generate"
        return f"{text[:start]}{head}{text[start:stop]} end generate;{text[stop:]}"
    return None


SYNTHESIS_EDITS: Final[Edits] = {**EDITS, "slice": _slice_as_loop, "alike": _assign_once}


def _write_loop(statement: str) -> str | None:
    target, arrow, value = statement.partition("<=")
    written, read = _parse_slice(target.strip()), _parse_slice(value.strip())
    if not arrow or written is None:
        return None
    name, high, low = written
    constant = re.fullmatch(r"(?i)\(\s*others\s*=>\s*('[01]')\s*\)", value.strip())
    if constant:
        bit = constant[1]
    elif read and (high + ":" + low).replace(" ", "") == ":".join(read[1:]).replace(" ", ""):
        bit = f"{read[0]}({_BIT})"
    else:
        return None
    indent = statement[: len(statement) - len(statement.lstrip())]
    return (
        f"{indent}for {_BIT} in {name}'range loop if {_BIT} >= {low} and {_BIT} <= {high} then"
        f" {name}({_BIT}) <= {bit}; end if; end loop;"
    )


def _parse_slice(text: str) -> tuple[str, str, str] | None:
    """Return the parts of ``NAME(HIGH downto LOW)``; the name may have indices."""
    if not text.endswith(")") or "(" not in text:
        return None
    start = text.find("(")
    while closing(text, start) < len(text) - 1:
        start = text.find("(", closing(text, start))
    inner = text[start + 1 : -1]
    for match in _DOWNTO.finditer(inner):
        high, low = inner[: match.start()], inner[match.end() :]
        if high.count("(") == high.count(")"):
            return text[:start].strip(), high.strip(), low.strip()
    return None
