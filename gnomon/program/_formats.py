"""Formats of printf that the library does not support, found when a program is built."""

import re
from collections.abc import Iterator

KNOWN = "d i u o x X c s p n %"
_CALLS = {
    "printf": 0, "vprintf": 0, "fprintf": 1, "vfprintf": 1, "sprintf": 1, "vsprintf": 1,
    "snprintf": 2, "vsnprintf": 2,
}  # fmt: skip
"""Functions of printf's family, and the position of their format argument."""
_TOKEN = re.compile(
    r"""^\#\ (?P<line>\d+)\ "(?P<file>(?:[^"\\]|\\.)*)"[^\n]*$
      | (?P<text>(?:u8)?"(?:[^"\\\n]|\\.)*")
      | (?P<other>[uUL]"(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*')
      | (?P<name>[A-Za-z_]\w*)
      | (?P<mark>[()\[\]{},])
      | (?P<end>\n)
      | [^\s]""",
    re.MULTILINE | re.VERBOSE,
)
_CONVERSION = re.compile(
    r"%[-+ #0]*(?:\*|\d*)(?:\.(?:\*|\d*))?(?P<length>hh|h|ll|l|j|z|t|L|q)?(?P<kind>.)?", re.DOTALL
)
_ESCAPE = re.compile(r"\\(?:x[0-9A-Fa-f]+|[0-7]{1,3}|.)", re.DOTALL)


def refused_formats(preprocessed: str) -> Iterator[tuple[str, int, str, str]]:
    """Yield the file, line, function and conversion of each unsupported format.

    Args:
        preprocessed: C after the preprocessor, with line markers, so that macros are expanded and
            excluded code is absent. Formats other than literals are not checked.
    """
    file, line = "", 1
    calls: list[_Call] = []  # open ones, the innermost last
    before = ""
    for token in _TOKEN.finditer(preprocessed):
        kind = token.lastgroup
        if token["line"]:
            # The marker gives the number of the next line.
            file, line = token["file"], int(token["line"]) - 1
            continue
        if kind == "end":
            line += 1
            continue
        if token["mark"] in ("(", "[", "{"):
            calls.append(_Call(before if token["mark"] == "(" else "", file, line))
        elif token["mark"] in (")", "]", "}"):
            if calls:
                yield from calls.pop().refused()
            if calls:
                calls[-1].take(None)
        elif token["mark"] == "," and calls:
            calls[-1].next()
        elif calls:
            calls[-1].take(token["text"])
        before = token["name"] or ""


class _Call:
    """One open bracket, which may be a call of printf."""

    def __init__(self, name: str, file: str, line: int) -> None:
        self.name, self.file, self.line = name, file, line
        self.place = _CALLS.get(name, -1)
        self.format = ""
        self.literal = True

    def next(self) -> None:
        """Advance to the next argument."""
        self.place -= 1

    def take(self, text: str | None) -> None:
        """Take a token of the argument: a part of the format, or something else."""
        if self.place == 0:
            if text is None:
                self.literal = False
            else:
                self.format += text.partition('"')[2][:-1]

    def refused(self) -> Iterator[tuple[str, int, str, str]]:
        """Yield the conversions of the format that the library does not support."""
        if self.name not in _CALLS or not self.literal:
            return
        for each in _CONVERSION.finditer(_ESCAPE.sub(" ", self.format)):
            length, kind = each["length"] or "", each["kind"] or ""
            known = kind in KNOWN.split() and length not in ("L", "q")
            if not known or (length and kind in "csp%"):
                yield self.file, self.line, self.name, each[0]
