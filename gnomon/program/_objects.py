"""What the object of one source depends on: less than what its program does.

Of all files that a build may read these are the source and what it can include, directly or not,
whether the compiler comes by or skips it; and of all macros those that these files name. Programs
that agree in that share the object.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from gnomon.base.digest import digest
from gnomon.base.files import read_any_text
from gnomon.program._inputs import EMBEDS, MACHINE_HEADER, Inputs, named_in, once, only_read
from gnomon.program._linker import RUNTIME

_INCLUDES = re.compile(
    r"""(?:\#[ \t]*include(?:_next)?|\.include)\b[ \t]*(?P<words>[^\n]*)
      | \b__has_(?:include|include_next|embed)[ \t]*\([ \t]*(?P<asked>[^\n)]*)""",
    re.VERBOSE,
)
_QUOTED = re.compile(r"""\\?["<]([^"<>\\\n]+)\\?[">]""")  # in inline assembly quotes are escaped
# Those that a compiler brings for programs without a system name nothing but reserved macros.
_FREESTANDING = frozenset(
    f"{name}.h"
    for name in ("float", "iso646", "limits", "stdalign", "stdarg", "stdbool", "stddef", "stdint",
                 "stdnoreturn")
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Reach:
    """What one source of a build can include."""

    paths: frozenset[Path]  # the source and the files
    names: frozenset[str]  # of files, generated ones too, without their folders
    foreign: bool  # a header is not among the files, so it may name any macro

    @classmethod
    def of(cls, source: Path, files: Iterable[Path], generated: Mapping[str, str]) -> _Reach:
        """Follow the names, from the source on."""
        by_name: dict[str, list[Path]] = {name: [] for name in generated}
        for path in files:
            by_name.setdefault(path.name, []).append(path)
        found, names, texts = {source}, set[str](), [_text(source)]
        while texts:
            wanted = _included(texts.pop())
            new = (by_name.keys() if wanted is None else wanted) - names
            names |= new
            texts += [generated[name] for name in new if name in generated]
            more = {path for name in new for path in by_name.get(name, ())} - found
            found |= more
            texts += map(_text, more)
        foreign = not names <= by_name.keys() | _FREESTANDING
        return cls(frozenset(found), frozenset(names), foreign)

    def places(self, inputs: Inputs, files: Mapping[Path, str]) -> list[tuple[object, ...]]:
        """Each file wherever folders are, in the order in which these are searched."""
        searched, shown = (RUNTIME, *inputs.include), inputs.shown_folders(files)
        roots = dict.fromkeys((*searched, *(source.parent for source in inputs.sources)))
        paths = sorted(self.paths)
        inside = [  # one file may be in several folders
            (shown[root], root in searched, path.relative_to(root).as_posix(), files[path])
            for root in roots
            for path in paths
            if path.is_relative_to(root)
        ]
        return [*inside, tuple(sorted(files[path] for path in paths))]


def _text(path: Path) -> str:
    return read_any_text(path)


@lru_cache(maxsize=256)
def _included(text: str) -> frozenset[str] | None:
    """Names of files without their folders; None if one is computed, so that it may be any."""
    names = {each["name"] for each in EMBEDS.finditer(text)}
    for directive in _INCLUDES.finditer(text.replace("\\\n", "")):
        quoted = _QUOTED.match(directive["words"] or directive["asked"] or "")
        names.add(quoted and quoted[1])
    return None if None in names else frozenset(name.rpartition("/")[2] for name in names)


def object_key(
    source: Path,
    inputs: Inputs,
    files: Mapping[Path, str],
    how: Sequence[str],
    defines: Sequence[str],
    generated: Mapping[str, str],
) -> tuple[str, frozenset[Path]]:
    """SHA-256 of all that decides an object, and the files that its source can include."""
    following = {name: _included(text) for name, text in generated.items()}
    reach: _Reach = once(
        f"reach {source} {following}", inputs, lambda: _Reach.of(source, files, generated)
    )
    read = {name: text for name, text in generated.items() if name in reach.names}
    texts = [_text(path) for path in sorted(reach.paths)]
    texts += [f"#define {define.replace('=', ' ', 1)}\n" for define in defines]
    texts += [text for name, text in read.items() if name != MACHINE_HEADER]
    if MACHINE_HEADER in read:
        read[MACHINE_HEADER] = only_read(read[MACHINE_HEADER], texts)
        texts.append(read[MACHINE_HEADER])
    named, beginnings = named_in(tuple(texts))
    kept = [
        define
        for define, name in ((each, each.partition("=")[0]) for each in defines)
        if reach.foreign or name in named or name.startswith(("_", *beginnings))
    ]
    places = once(f"places {source}", inputs, lambda: reach.places(inputs, files))
    return digest((how, source.name, places, kept, read)), reach.paths
