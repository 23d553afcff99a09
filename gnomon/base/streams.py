"""Standard output that cannot hold a character: it is written in another way, never an error."""

import codecs
import sys
from typing import Final

_HANDLER: Final = "gnomon.written-out"
_PLAIN: Final = {
    "µ": "u", "μ": "u", "×": "x", "·": "*", "±": "+-", "−": "-", "–": "-", "—": "-", "─": "-",
    "²": "^2", "³": "^3", "≤": "<=", "≥": ">=", "≈": "~", "→": "->", "…": "...", "°": "deg ",
    "‘": "'", "’": "'", "“": '"', "”": '"',
}  # fmt: skip
"""What gnomon itself prints besides ASCII, as ASCII."""


def _written_out(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    part = error.object[error.start : error.end]
    escaped = (_PLAIN.get(each) or _escaped(each) for each in part)
    return "".join(escaped), error.end


def _escaped(character: str) -> str:
    """Return a character as a backslash and its number; of a byte that is no text, its value."""
    number = ord(character)
    if 0xDC80 <= number <= 0xDCFF:
        return f"\\x{number - 0xDC00:02x}"
    return character.encode("ascii", "backslashreplace").decode("ascii")


def write_what_fits() -> None:
    """Let stdout and stderr write what their encoding lacks in ASCII: names of files, units."""
    codecs.register_error(_HANDLER, _written_out)
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors=_HANDLER)
