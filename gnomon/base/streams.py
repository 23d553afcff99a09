"""Characters that standard output cannot encode: written as ASCII, never an error."""

import codecs
import sys
from typing import Final

_HANDLER: Final = "gnomon.written-out"
_PLAIN: Final = {
    chr(number): text
    for text, numbers in {
        "u": (0xB5, 0x3BC), "x": (0xD7,), "*": (0xB7,), "+-": (0xB1,), "^2": (0xB2,),
        "^3": (0xB3,), "-": (0x2212, 0x2013, 0x2014, 0x2500), "<=": (0x2264,), ">=": (0x2265,),
        "~": (0x2248,), "->": (0x2192,), "...": (0x2026,), "'": (0x2018, 0x2019),
        '"': (0x201C, 0x201D),
    }.items()
    for number in numbers
}  # fmt: skip
"""ASCII texts for the other characters that gnomon prints."""


def _handle_encode_error(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    part = error.object[error.start : error.end]
    escaped = (_PLAIN.get(each) or _escape(each) for each in part)
    return "".join(escaped), error.end


def _escape(character: str) -> str:
    """Return a character as a backslash and its number; for an undecodable byte, its value."""
    number = ord(character)
    if 0xDC80 <= number <= 0xDCFF:
        return f"\\x{number - 0xDC00:02x}"
    return character.encode("ascii", "backslashreplace").decode("ascii")


def write_what_fits() -> None:
    """Let stdout and stderr write characters that their encoding lacks as ASCII, such as units."""
    codecs.register_error(_HANDLER, _handle_encode_error)
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors=_HANDLER)
