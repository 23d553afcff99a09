"""The words of a SAIF file, as a stream."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NoReturn

from gnomon.base.errors import GnomonError

if TYPE_CHECKING:
    from gnomon.observe.trace._source import Source

_CHUNK_BYTES = 1 << 18
_MAX_WORD = 1 << 20
_LOOKAHEAD_BYTES = 1 << 12  # more than a whole net takes, names of usual length
_SPACE = rb"[ \t\r\n\v\f]"
_PLAIN = rb'(?:\\.|/(?![/*])|[^\s()"\\/])+'
_WORD = re.compile(
    rb"(?P<space>" + _SPACE + rb"+)|(?P<comment>/\*.*?\*/|//[^\n]*)|(?P<mark>[()])"
    rb'|"(?P<quoted>[^"\n]*)"|(?P<plain>' + _PLAIN + rb")",
    re.DOTALL,
)
# A net as nearly all are written, for speed; any other goes word by word.
_NET = re.compile(
    rb"S*\(S*(P)((?:S*\(S*[A-Z][A-Z0-9]S+[0-9]{1,18}S*\))+)S*\)".replace(b"S", _SPACE).replace(
        b"(P)", b"(" + _PLAIN + b")"
    ),
    re.DOTALL,
)
_VALUE = re.compile(rb"([A-Z][A-Z0-9])[ \t\r\n\v\f]+([0-9]+)")
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)


class SaifWords:
    """Words one by one, and whole nets where they are plain. ``line`` is that of the last one."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._buffer = b""
        self._at = 0
        self._final = False
        self.line = 1

    def word(self) -> tuple[str, str] | None:
        """The next word and its kind: mark (``(`` or ``)``), quoted or plain; None at the end.

        Raises:
            GnomonError: there is none, or it does not end.
        """
        while True:
            match = _WORD.match(self._buffer, self._at)
            # A word that touches the end of the buffer may go on behind it.
            if not self._final and (match is None or match.end() >= len(self._buffer) - 1):
                if len(self._buffer) - self._at > _MAX_WORD + _CHUNK_BYTES:
                    self._fail(f"a word or comment of more than {_MAX_WORD} bytes")
                self._refill()
                continue
            if match is None:
                if self._at == len(self._buffer):
                    return None
                self._stuck(self._buffer[self._at : self._at + 40])
            self._at = match.end()
            kind = match.lastgroup
            assert kind is not None
            if kind in {"space", "comment"}:
                self.line += match[0].count(b"\n")
                continue
            return kind, match[kind].decode("utf-8", errors="backslashreplace")

    def net(self) -> tuple[str, dict[str, int]] | None:
        """A whole net, name and attributes, if the next words are one in plain form.

        None leaves everything as it is: :meth:`word` then tells what is there.
        """
        if len(self._buffer) - self._at < _LOOKAHEAD_BYTES and not self._final:
            self._refill()
        match = _NET.match(self._buffer, self._at)
        if match is None:
            return None
        pairs = _VALUE.findall(match[2])
        values = {key.decode(): int(value) for key, value in pairs}
        if len(values) != len(pairs):
            return None
        self.line += match[0].count(b"\n")
        self._at = match.end()
        return unescaped(match[1].decode("utf-8", errors="backslashreplace")), values

    def _refill(self) -> None:
        more = self._source.read(_CHUNK_BYTES)
        self._final = not more
        self._buffer = self._buffer[self._at :] + more
        self._at = 0

    def _stuck(self, rest: bytes) -> NoReturn:
        if rest.startswith(b"/*"):
            self._fail("the file ends inside a comment")
        if rest.startswith(b'"'):
            self._fail('expected the closing " of a text on the same line')
        self._fail(f"expected a word, found {rest[:1]!r}")

    def _fail(self, message: str) -> NoReturn:
        raise GnomonError(f"{self._source.name}:{self.line}: {message}")


def unescaped(text: str) -> str:
    """A name without the backslashes that mark the character behind them."""
    return _ESCAPE.sub(r"\1", text) if "\\" in text else text
