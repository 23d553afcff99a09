"""Which macros of a generated header a build can read: the others are left out of it.

A program that does not ask for the clock is the same at any clock. The header that the compiler
gets holds only what some source can name, so builds for machines that differ in other things
share one cache entry, and nothing has to be proved: the key is of what was compiled.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_WORD = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_DEFINE = re.compile(r"\s*#\s*define\s+(\w+)(.*)", re.ASCII)
_HOST_PART = re.compile(r"#else /\* host \*/.*?#endif /\* host \*/", re.DOTALL)


class _Words(NamedTuple):
    """The words of a text: those outside definitions, and those of each definition."""

    outside: frozenset[str]
    defined: tuple[tuple[str, frozenset[str]], ...]


@lru_cache(maxsize=512)
def _words(text: str) -> _Words:
    outside: set[str] = set()
    defined = []
    for line in _COMMENT.sub(" ", text.replace("\\\n", " ")).splitlines():
        match = _DEFINE.match(line)
        if match:
            defined.append((match[1], frozenset(_WORD.findall(match[2]))))
        else:
            outside.update(_WORD.findall(line))
    return _Words(frozenset(outside), tuple(defined))


def without_host_part(vcu_header: str) -> str:
    """``vcu.h`` as a compiler for the machine sees it."""
    return _HOST_PART.sub("", vcu_header)


def only_read(header: str, texts: Iterable[str]) -> str:
    """The header without the macros that no text can name.

    A macro is named where its word stands outside a definition, or in the definition of a macro
    that is named. One that ``##`` may put together, from a word that ends in ``_``, is kept too.
    """
    named, beginnings = _named(tuple(texts))
    lines = []
    for line in header.splitlines(keepends=True):
        match = _DEFINE.match(line)
        if match is None or match[1] in named or match[1].startswith(beginnings):
            lines.append(line)
    return "".join(lines)


@lru_cache(maxsize=16)
def _named(texts: tuple[str, ...]) -> tuple[frozenset[str], tuple[str, ...]]:
    """Words that are named, and those of them that may be the first half of another."""
    found = [_words(text) for text in texts]
    bodies: dict[str, set[str]] = {}
    for words in found:
        for name, body in words.defined:
            bodies.setdefault(name, set()).update(body)
    named: set[str] = set()
    new = {word for words in found for word in words.outside}
    while new:
        named |= new
        new = {word for name in new for word in bodies.get(name, ())} - named
    return frozenset(named), tuple(sorted(word for word in named if word.endswith("_")))
