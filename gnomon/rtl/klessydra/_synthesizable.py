"""Edits to a copy of VHDL sources without which GHDL does not synthesize them, or badly.

Four are known, none of which changes a meaning, a number of lines, or a file of the user:

* shifts of bit vectors by a count that is not constant: a package of ours overloads the operators;
* slices of a width that is not constant: a loop over the bits;
* an assignment that all copies of a generate statement make alike: the first copy alone makes it;
* a memory that the copies of a generate statement share, each with its own element: a signal of
  its own for each copy, so that it becomes a memory and not a register of all bits.
"""

import re
from collections.abc import Iterator

from gnomon.rtl.klessydra._rejected import Rejection, ScratchCopy
from gnomon.rtl.klessydra._wiring import closing, read_vhdl, without_comments

SHIFTS_PACKAGE = "gnomon_bits"
"""In ``rtl_tests/klessydra/bits.vhd``."""

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
    """Let files that shift bit vectors take the operators of our package."""
    for path in copy.paths:
        text = read_vhdl(path)
        if _SHIFT.search(without_comments(text)):
            copy.write(path, _USE.sub(rf"\1 use work.{SHIFTS_PACKAGE}.all;", text))


def own_memories(copy: ScratchCopy) -> None:
    """Give each copy of a generate its own signal for the element of a memory that it uses."""
    for path in copy.paths:
        text = read_vhdl(path)
        for name in _SIGNAL.findall(without_comments(text)):
            text = _own_memory(text, name)
        copy.write(path, text)


def _own_memory(text: str, name: str) -> str:
    plain = without_comments(text)
    uses = list(_uses(plain, name))
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
    # Each copy of a generate has an element of its own only if its variable chooses it: one that a
    # loop inside runs over is every copy's.
    of_copy = _FOR.search(plain[: opened[-1].end()])
    if of_copy is None or of_copy[1].lower() not in re.findall(r"\w+", elements.pop().lower()):
        return text
    for start, end, _ in reversed(uses):
        text = text[:start] + f"{name}_own" + text[end:]
    place = opened[-1].end()
    return f"{text[:place]} signal {name}_own : {name}'element; begin{text[place:]}"


def _uses(plain: str, name: str) -> Iterator[tuple[int, int, str]]:
    """Places of ``name(element)`` that are indexed further, and the element."""
    for found in re.finditer(rf"\b{name}\s*\(", plain, re.IGNORECASE):
        end = closing(plain, found.end() - 1)
        if plain[end + 1 :].lstrip().startswith("("):
            yield found.start(), end + 1, plain[found.end() : end]


def slice_as_loop(copy: ScratchCopy, rejection: Rejection) -> bool:
    """Write the assignment that was rejected as a loop over the bits, if it is a simple one."""
    if rejection.path not in copy.paths:
        return False
    rows = read_vhdl(rejection.path).split("\n")
    code = [row.partition("--")[0] for row in rows]
    first = last = rejection.line - 1
    while first > 0 and code[first - 1].strip() and not _END.search(code[first - 1]):
        first -= 1
    while last < len(rows) - 1 and ";" not in code[last]:
        last += 1
    statement, _, rest = " ".join(code[first : last + 1]).partition(";")
    loop = _loop(statement)
    if loop is None:
        return False
    rows[first] = loop + rest
    rows[first + 1 : last + 1] = [""] * (last - first)
    copy.write(rejection.path, "\n".join(rows))
    return True


def assigned_once(copy: ScratchCopy, rejection: Rejection) -> bool:
    """Let the first copy of a generate make an assignment that all its copies make alike."""
    named = re.search(r'"(\w+)"', rejection.message)
    if rejection.path not in copy.paths or named is None:
        return False
    text = read_vhdl(rejection.path)
    plain = without_comments(text)
    for found in _COPIES.finditer(plain):
        label, variable, first = found[1], found[2], found[3]
        if re.fullmatch(r"\w+", first):
            first += "'low"
        end = re.search(rf"\bend\s+generate\s+{label}\b", plain[found.end() :], re.IGNORECASE)
        body = plain[found.end() : found.end() + end.start()] if end else ""
        assignment = re.search(rf"^[ \t]*{named[1]}\s*<=[^;]*;", body, re.IGNORECASE | re.MULTILINE)
        if assignment is None or re.search(rf"\b{variable}\b", assignment[0], re.IGNORECASE):
            continue
        start, stop = (found.end() + place for place in assignment.span())
        once = (
            f"gnomon_{named[1]} : if {variable} = {first} generate{text[start:stop]} end generate;"
        )
        copy.write(rejection.path, text[:start] + once + text[stop:])
        return True
    return False


def _loop(statement: str) -> str | None:
    target, arrow, value = statement.partition("<=")
    written = _slice(target.strip())
    if not arrow or written is None:
        return None
    name, high, low = written
    constant = re.fullmatch(r"\(\s*others\s*=>\s*('[01]')\s*\)", value.strip(), re.IGNORECASE)
    read = _slice(value.strip())
    if constant:
        bit = constant[1]
    elif read and [each.replace(" ", "") for each in read[1:]] == [
        each.replace(" ", "") for each in (high, low)
    ]:
        bit = f"{read[0]}({_BIT})"
    else:
        return None
    indent = statement[: len(statement) - len(statement.lstrip())]
    return (
        f"{indent}for {_BIT} in {name}'range loop if {_BIT} >= {low} and {_BIT} <= {high} then"
        f" {name}({_BIT}) <= {bit}; end if; end loop;"
    )


def _slice(text: str) -> tuple[str, str, str] | None:
    """``NAME(HIGH downto LOW)`` -> its parts; the name may have indices of its own."""
    if not text.endswith(")") or "(" not in text:
        return None
    start = text.find("(")
    while closing(text, start) < len(text) - 1:
        start = text.find("(", closing(text, start))
    inner = text[start + 1 : -1]
    for match in _DOWNTO.finditer(inner):
        if inner.count("(", 0, match.start()) == inner.count(")", 0, match.start()):
            return (
                text[:start].strip(),
                inner[: match.start()].strip(),
                inner[match.end() :].strip(),
            )
    return None
