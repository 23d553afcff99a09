"""The inputs of the object of one source: fewer than those of the whole program.

Among the files that a build may read, these are the source and the files that it can include,
directly or indirectly, even if the preprocessor skips the directive; among the macros, those that
these files name. Programs with the same inputs share the object.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from gnomon import isa
from gnomon.base.content import roots
from gnomon.base.digest import digest
from gnomon.program._inputs import (
    EMBEDS,
    MACHINE_HEADER,
    OPTIMIZATIONS,
    Inputs,
    check_embeds,
    check_inputs,
    hashed_now,
    named_in,
    once,
    only_read,
    read_if_there,
)
from gnomon.program._linker import RUNTIME

_INCLUDES = re.compile(
    r"""(?:\#[ \t]*include(?:_next)?|\.include)\b[ \t]*(?P<words>[^\n]*)
      | \b__has_(?:include|include_next|embed)[ \t]*\([ \t]*(?P<asked>[^\n)]*)""",
    re.VERBOSE,
)
_QUOTED = re.compile(r"""\\?["<]([^"<>\\\n]+)\\?[">]""")  # in inline assembly quotes are escaped
# Headers of compilers for programs without a system name only reserved macros.
_FREESTANDING = frozenset(
    f"{name}.h"
    for name in ("float", "iso646", "limits", "stdalign", "stdarg", "stdbool", "stddef", "stdint",
                 "stdnoreturn")
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Reach:
    """The files that one source of a build can include."""

    paths: frozenset[Path]  # the source and the files
    names: frozenset[str]  # of files, including generated ones, without their folders
    foreign: bool  # a header is not among the files, so it may name any macro

    @classmethod
    def from_source(
        cls, source: Path, files: Iterable[Path], generated: Mapping[str, str]
    ) -> Reach:
        """Follow the include directives from the source on."""
        by_name: dict[str, list[Path]] = {name: [] for name in generated}
        for path in files:
            by_name.setdefault(path.name, []).append(path)
        found, names, texts = {source}, set[str](), [read_if_there(source)]
        while texts:
            wanted = _find_included(texts.pop())
            new = (by_name.keys() if wanted is None else wanted) - names
            names |= new
            texts += [generated[name] for name in new if name in generated]
            more = {path for name in new for path in by_name.get(name, ())} - found
            found |= more
            texts += map(read_if_there, more)
        foreign = not names <= by_name.keys() | _FREESTANDING
        return cls(frozenset(found), frozenset(names), foreign)

    def places(self, inputs: Inputs, files: Mapping[Path, str]) -> list[tuple[object, ...]]:
        """Return each file by its place in the folders, in the order of the search."""
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


@lru_cache(maxsize=256)
def _find_included(text: str) -> frozenset[str] | None:
    """Return file names without folders; None if one is computed, so that it may be any."""
    names = {each["name"] for each in EMBEDS.finditer(text)}
    for directive in _INCLUDES.finditer(text.replace("\\\n", "")):
        quoted = _QUOTED.match(directive["words"] or directive["asked"] or "")
        names.add(quoted and quoted[1])
    return None if None in names else frozenset(name.rpartition("/")[2] for name in names)


def reached_files(
    inputs: Inputs, files: Mapping[Path, str], generated: Mapping[str, str]
) -> dict[Path, str]:
    """Return those of the files that a source can include, and the runtime, with their digests.

    Raises:
        GnomonError: if one of them embeds a file whose name is not a string.
    """

    def reached() -> tuple[Path, ...]:
        found = (Reach.from_source(source, files, generated).paths for source in inputs.sources)
        together = frozenset[Path]().union(*found)
        for path in sorted(together):
            check_embeds(path)
        return tuple(p for p in files if p in together or p.is_relative_to(RUNTIME))

    return {p: files[p] for p in once(f"reached {sorted(generated)}", inputs, reached)}


def sources_digest(sources: Sequence[Path | str], include: Sequence[Path | str] = ()) -> str:
    """Return the SHA-256 of all files that a build can read; equal while none of them changes.

    Raises:
        GnomonError: if a source or a folder does not exist, or a file cannot be read.
    """
    inputs = check_inputs(sources, include, {}, OPTIMIZATIONS[0], ())
    generated = {MACHINE_HEADER: "", "vcu.h": isa.vcu_header()}
    read = reached_files(inputs, hashed_now(inputs), generated)
    return digest(sorted((path.name, each) for path, each in read.items()))


def embedded_from_outside(
    sources: Sequence[Path | str], include: Sequence[Path | str] = ()
) -> tuple[Path, ...]:
    """Return files outside the usual folders that a build embeds.

    The usual folders are the project, the current folder, and the folders of sources and of
    ``include``. Included files always lie in one of them, or the build is rejected.

    Raises:
        GnomonError: as :func:`sources_digest`.
    """
    inputs = check_inputs(sources, include, {}, OPTIMIZATIONS[0], ())
    inside = [Path.cwd(), *inputs.include, RUNTIME, *(each.parent for each in inputs.sources)]
    inside += [root.folder for root in roots()]
    real = [each.resolve() for each in inside]
    files = sorted(path.resolve() for path in hashed_now(inputs))
    return tuple(each for each in files if not any(map(each.is_relative_to, real)))


def object_key(
    source: Path,
    inputs: Inputs,
    files: Mapping[Path, str],
    how: Sequence[str],
    defines: Sequence[str],
    generated: Mapping[str, str],
) -> tuple[str, Reach]:
    """Return the SHA-256 of everything that decides an object, and the reach of its source."""
    following = {name: _find_included(text) for name, text in generated.items()}
    reach: Reach = once(
        f"reach {source} {following}", inputs, lambda: Reach.from_source(source, files, generated)
    )
    read = {name: text for name, text in generated.items() if name in reach.names}
    texts = [read_if_there(path) for path in sorted(reach.paths)]
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
    return digest((how, source.name, places, kept, read)), reach
