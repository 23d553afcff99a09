"""The inputs of a build: checked, and reduced to one digest that names the result."""

import hashlib
import json
import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from gnomon.base.content import content_root
from gnomon.base.errors import GnomonError, did_you_mean
from gnomon.base.files import is_file, read_any_text, read_bytes, why_no_file
from gnomon.program._languages import SOURCE_SUFFIXES, not_built
from gnomon.program._linker import RUNTIME

T = TypeVar("T")

MACHINE_HEADER = "machine.h"
OPTIMIZATIONS = ("-O0", "-O1", "-O2", "-O3", "-Os", "-Oz")
_HEADER_SUFFIXES = (".h", ".inc", ".def", ".c", ".S", ".s")
_NEVER_INCLUDED = (".md", ".py", ".pyc", ".yaml")  # files next to the C of kernels
_INCLUDE_LIMIT_FILES = 4096
_INCLUDE_LIMIT_BYTES = 64 << 20
# Directives of assembly, inline assembly and C23; in a string, the quotes of the name are escaped.
EMBEDS = re.compile(
    r"""(?P<how>\.incbin|\#[ \t]*embed)\b[ \t]*(?:\\?["<](?P<name>[^"<>\\\n]+)\\?[">])?"""
)
_INCLUDES = re.compile(
    r"""^[ \t]*(?:\#[ \t]*(?:include(?:_next)?|import)\b|\.include\b)[ \t]*["<]([^"<>\n]+)[">]""",
    re.MULTILINE,
)
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Inputs:
    """The user's part of a build. Paths are absolute; defines are ``NAME=VALUE``, sorted."""

    sources: tuple[Path, ...]
    include: tuple[Path, ...]
    defines: tuple[str, ...]
    optimization: str

    @property
    def name(self) -> str:
        return self.sources[0].stem

    def read_by_start_up(self) -> tuple[str, ...]:
        """Return the defines that the runtime sees: only its own, so no other can break it."""
        return tuple(define for define in self.defines if define.startswith("GNOMON_"))

    def shown_folders(self, files: Iterable[Path]) -> dict[Path, str]:
        """Return the names of folders in ``__FILE__`` and in debug information.

        The result must not depend on the location of the sources. Shipped files keep their path
        from the content root. User files have their file name, or their path if files of two
        folders had the same name. That path starts at the working folder if it contains all such
        folders, else at their nearest common folder.
        """
        return once("shown", self, lambda: self._shown(tuple(files)))

    def _shown(self, files: Sequence[Path]) -> dict[Path, str]:
        folders = {RUNTIME: "runtime"}
        for folder in [*self.include, *(source.parent for source in self.sources)]:
            inside = folder.is_relative_to(content_root())
            folders[folder] = folder.relative_to(content_root()).as_posix() if inside else "."
        deepest = sorted(folders, key=lambda folder: -len(folder.parts))
        homes = {path: next(filter(path.is_relative_to, deepest), None) for path in files}
        alike: set[Path] = set()
        while True:
            shown: dict[str, list[Path]] = {}
            for path, home in homes.items():
                if home is not None:
                    rest = path.relative_to(home).as_posix()
                    shown.setdefault(f"{folders[home]}/{rest}", []).append(home)
            new = {home for homes in shown.values() if len(homes) > 1 for home in homes} - alike
            if not new:
                return folders
            alike |= new
            top = Path.cwd()
            if not all(folder.is_relative_to(top) for folder in alike):
                top = Path(os.path.commonpath(alike))
            for folder in alike:
                rest = folder.relative_to(top).as_posix()
                folders[folder] = "." if rest == "." else f"./{rest}"


def check_inputs(
    sources: Sequence[Path | str],
    include: Sequence[Path | str],
    defines: Mapping[str, str | int],
    optimization: str,
    reserved: Iterable[str],
) -> Inputs:
    if not sources:
        raise GnomonError("no source to build")
    if optimization not in OPTIMIZATIONS:
        is_level = optimization[:2] == "-O" and len(optimization) == 3  # no other is near it
        hint = "" if is_level else did_you_mean(optimization, OPTIMIZATIONS)
        allowed = ", ".join(OPTIMIZATIONS)
        raise GnomonError(f"unknown optimization {optimization!r} (allowed: {allowed}){hint}")
    paths = once(
        "paths",
        (*sources, None, *include),
        lambda: (tuple(map(_check_source, sources)), tuple(map(_check_folder, include))),
    )
    return Inputs(*paths, _check_defines(defines, frozenset(reserved)), optimization)


def _check_source(given: Path | str) -> Path:
    path = Path(given)
    if path.suffix not in SOURCE_SUFFIXES:
        allowed = ", ".join(SOURCE_SUFFIXES)
        unknown = f"{path}: not a source that can be built (allowed: {allowed})"
        raise GnomonError(not_built(path) or unknown)
    if not is_file(path):
        raise GnomonError(f"{path}: {why_no_file(path)}")
    return path.resolve()


def _check_folder(given: Path | str) -> Path:
    path = Path(given)
    if not path.is_dir():
        raise GnomonError(f"{path}: no such include folder")
    return path.resolve()


def _check_defines(defines: Mapping[str, str | int], reserved: frozenset[str]) -> tuple[str, ...]:
    for name, value in defines.items():
        if not _NAME.fullmatch(name):
            raise GnomonError(f"{name!r} is not a macro name (letters, digits and '_')")
        if name in reserved:
            raise GnomonError(f"{name} is set by the machine and cannot be defined")
        if "\n" in str(value) or "\0" in str(value):
            raise GnomonError(f"the value of macro {name} must be one line, not {value!r}")
    return tuple(f"{name}={defines[name]}" for name in sorted(defines))


Known = dict[tuple[object, ...], Any]
"""Data read from the files of builds."""

_known: ContextVar[Known | None] = ContextVar("known", default=None)


@contextmanager
def unchanging_files(known: Known) -> Iterator[None]:
    """Read each file once for many builds; no source may change meanwhile.

    Args:
        known: empty at first; receives the data read, for the next time.
    """
    token = _known.set(known)
    try:
        yield
    finally:
        _known.reset(token)


def once(what: str, of: Inputs | tuple[object, ...], make: Callable[[], T]) -> T:
    """Return data that depends only on the files of a build; cached in ``unchanging_files``."""
    known = _known.get()
    if known is None:
        return make()
    key = (what, of.sources, of.include) if isinstance(of, Inputs) else (what, of)
    if key not in known:
        known[key] = make()
    found: T = known[key]
    return found


def texts(inputs: Inputs, files: Mapping[Path, str]) -> tuple[str, ...]:
    return once("texts", inputs, lambda: tuple(map(read_if_there, files)))


def hashed_files(inputs: Inputs) -> dict[Path, str]:
    """Return every file a build may read, with its SHA-256, as :func:`hashed_now`."""
    return once("files", inputs, lambda: hashed_now(inputs))


def hashed_now(inputs: Inputs, wanted: Callable[[Path], bool] = lambda _: True) -> dict[Path, str]:
    """Return every file a build may read, with its SHA-256; one digest of all keys the cache.

    These are the sources, all files of the include folders, the headers next to the sources, the
    runtime, and the files that ``.incbin`` and ``#embed`` of them name. Files that vanish
    meanwhile, as when an editor saves them, are omitted; a source must exist. Files that are not
    ``wanted`` are omitted too, and not read.
    """
    paths = set(inputs.sources)
    for folder in (*inputs.include, RUNTIME):
        paths |= _list_files(folder)
    for folder in {source.parent for source in inputs.sources}:
        paths |= {p for p in folder.iterdir() if p.suffix in _HEADER_SUFFIXES and p.is_file()}
    for source in inputs.sources:
        _check_text(source)
        check_embeds(source)
    found: dict[Path, str] = {}
    regular: set[str] = set()
    for path in sorted(filter(wanted, paths)):
        paths |= _find_embedded(path, inputs, regular)
    for path in sorted(filter(wanted, paths)):
        try:
            found[path] = hashlib.sha256(read_bytes(path)).hexdigest()
        except GnomonError:
            if path in inputs.sources or path.exists():
                raise
    return found


def _check_text(path: Path) -> None:
    """Reject a source with zero bytes, for which compilers name no line."""
    zero = read_bytes(path).find(b"\0")
    if zero >= 0:
        raise GnomonError(f"{path}: is no text: byte {zero} is zero")


def check_embeds(path: Path) -> None:
    """Reject a text whose embedded files have names that only a compiler can evaluate.

    Raises:
        GnomonError: if ``.incbin`` or ``#embed`` names its file other than by a string.
    """
    for directive in EMBEDS.finditer(read_if_there(path)):
        if directive["name"] is None:
            raise GnomonError(
                f"{path}: {directive['how']} must name its file by a string, or a change of that"
                " file would not be seen"
            )


def read_if_there(path: Path) -> str:
    """Return the text of a file; an empty one while an editor has moved the file away.

    Raises:
        GnomonError: if it exists but cannot be read.
    """
    try:
        return read_any_text(path)
    except GnomonError:
        if path.exists():
            raise
        return ""


def _find_embedded(path: Path, inputs: Inputs, regular: set[str]) -> set[Path]:
    """Return the files that a text embeds; compilers do not report all of them.

    Args:
        path: the text.
        inputs: of the build.
        regular: places that are neither pipes nor devices; receives those of this text.

    Raises:
        GnomonError: if it includes or embeds a pipe or device, which a compiler may read forever.
    """
    found: set[Path] = set()
    text = read_if_there(path)
    folders = (path.parent, *inputs.include)
    for at, name in _list_read(text):
        for folder in folders:
            place = os.path.join(folder, name)  # noqa: PTH118 - many, most of which do not exist
            if place not in regular:
                _check_regular(path, text, at, place)
                regular.add(place)
    for directive in EMBEDS.finditer(text):
        if directive["name"] is None:
            continue
        places = [folder / directive["name"] for folder in folders]
        # The last part stays as it is, so that a link is found by the requested name.
        found |= {place.parent.resolve() / place.name for place in places if place.is_file()}
    return found


@lru_cache(maxsize=512)
def _list_read(text: str) -> tuple[tuple[int, str], ...]:
    """Return the names that a text includes or embeds, each with the offset of its directive."""
    included = [(each.start(), each[1]) for each in _INCLUDES.finditer(text)]
    embedded = [(each.start(), each["name"]) for each in EMBEDS.finditer(text) if each["name"]]
    return *included, *embedded


def _check_regular(path: Path, text: str, at: int, place: str) -> None:
    try:
        mode = os.stat(place).st_mode  # noqa: PTH116 - as above
    except (OSError, ValueError):  # it does not exist, or no file can have this name
        return
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        line = text.count("\n", 0, at) + 1
        name = Path(place).name
        raise GnomonError(f"{path}:{line}: {name}: {why_no_file(Path(place))}")


def _list_files(folder: Path) -> set[Path]:
    found: set[Path] = set()
    size_bytes = 0
    for path in folder.rglob("*"):
        if path.is_file() and path.suffix not in _NEVER_INCLUDED:
            found.add(path)
            with suppress(FileNotFoundError):  # an editor has just moved it away
                size_bytes += path.stat().st_size
            if len(found) > _INCLUDE_LIMIT_FILES or size_bytes > _INCLUDE_LIMIT_BYTES:
                raise GnomonError(
                    f"{folder}: too large for an include folder"
                    f" (limit: {_INCLUDE_LIMIT_FILES} files, 64 MiB)"
                )
    return found


def build_key(parts: Mapping[str, object], inputs: Inputs, files: Mapping[Path, str]) -> str:
    """Return the SHA-256 of everything that decides the result, without folder locations."""
    roots = [*inputs.include, RUNTIME, *(source.parent for source in inputs.sources)]
    everything = {
        "parts": parts,
        "defines": inputs.defines,
        "optimization": inputs.optimization,
        "shown": [*map(inputs.shown_folders(files).get, roots)],
        "sources": [(source.name, files[source]) for source in inputs.sources],
        "files": once("places", inputs, lambda: _list_places(roots, files)),
    }
    return hashlib.sha256(json.dumps(everything, sort_keys=True).encode()).hexdigest()


def _list_places(roots: Sequence[Path], files: Mapping[Path, str]) -> list[tuple[int, str, str]]:
    """Return each file as the number of its folder, the rest of its path, and its digest."""

    def place(path: Path) -> tuple[int, str, str]:
        # A file may be reachable through several folders; the first one decides. An embedded file
        # may be in none of them.
        inside = ((i, path.relative_to(r)) for i, r in enumerate(roots) if path.is_relative_to(r))
        index, rest = next(inside, (len(roots), Path(path.name)))
        return index, rest.as_posix(), files[path]

    return sorted(place(path) for path in files)


_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_WORD = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_DEFINE = re.compile(r"\s*#\s*define\s+(\w+)(.*)", re.ASCII)
_HOST_PART = re.compile(r"#else /\* host \*/.*?#endif /\* host \*/", re.DOTALL)


@lru_cache(maxsize=512)
def _split_words(text: str) -> tuple[set[str], list[tuple[str, list[str]]]]:
    """Return the words of a text: those outside definitions, and those of each definition."""
    outside: set[str] = set()
    defined = []
    for line in _COMMENT.sub(" ", text.replace("\\\n", " ")).splitlines():
        match = _DEFINE.match(line)
        if match:
            defined.append((match[1], _WORD.findall(match[2])))
        else:
            outside.update(_WORD.findall(line))
    return outside, defined


def without_host_part(vcu_header: str) -> str:
    """Return ``vcu.h`` as a compiler for the machine sees it."""
    return _HOST_PART.sub("", vcu_header)


def only_read(header: str, texts: Iterable[str]) -> str:
    """Return the header without the macros that no text can name.

    A macro is named if its word occurs outside a definition, or in the definition of a named macro.
    A macro that ``##`` may concatenate, from a word that ends in ``_``, is kept too.
    """
    named, beginnings = named_in(tuple(texts))
    return "".join(
        line
        for line in header.splitlines(keepends=True)
        if not (match := _DEFINE.match(line))
        or match[1] in named
        or match[1].startswith(beginnings)
    )


@lru_cache(maxsize=16)
def named_in(texts: tuple[str, ...]) -> tuple[frozenset[str], tuple[str, ...]]:
    """Return the named words, and those of them that may be the first half of another."""
    named: set[str] = set()
    new: set[str] = set()
    bodies: dict[str, set[str]] = {}
    for outside, defined in map(_split_words, texts):
        new |= outside
        for name, body in defined:
            bodies.setdefault(name, set()).update(body)
    while new:
        named |= new
        new = {word for name in new for word in bodies.get(name, ())} - named
    return frozenset(named), tuple(sorted(word for word in named if word.endswith("_")))
