"""The files of a design, from the list that its project keeps: which files, in which language.

Three kinds of list are read, told apart by name: IPApproX ``src_files.yml``, tool-neutral ``.f``
lists and FuseSoC ``.core`` files. Order is kept; a file that is named twice counts once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from gnomon.base.errors import GnomonError, did_you_mean

if TYPE_CHECKING:
    from pathlib import Path

Language = Literal["vhdl", "verilog", "systemverilog"]
"""What a source is written in, by its ending."""

_LANGUAGES: dict[str, Language] = {
    ".vhd": "vhdl",
    ".vhdl": "vhdl",
    ".v": "verilog",
    ".vh": "verilog",
    ".sv": "systemverilog",
    ".svh": "systemverilog",
}


@dataclass(frozen=True, slots=True)
class Source:
    """One file, and the line of the list that names it."""

    path: Path
    language: Language
    list_path: Path
    line: int

    @property
    def where(self) -> str:
        """``list:line``, as messages name it."""
        return f"{self.list_path}:{self.line}"


@dataclass(frozen=True, slots=True)
class SourceList:
    """What a list says. ``include_folders`` and ``defines`` are for Verilog."""

    path: Path
    sources: tuple[Source, ...]
    include_folders: tuple[Path, ...] = ()
    defines: tuple[tuple[str, str], ...] = ()

    def of(self, *languages: Language) -> tuple[Path, ...]:
        """The paths of the files in these languages."""
        return tuple(source.path for source in self.sources if source.language in languages)


def read_sources(path: Path) -> SourceList:
    """Read a list of sources, by its name: ``*.yml``, ``*.yaml``, ``*.f`` or ``*.core``.

    Raises:
        GnomonError: another kind of file, one that cannot be read or understood, or a source that
            is not there; with file and line.
    """
    # Each reader imports what is here.
    from gnomon.rtl._sources_core import read_core
    from gnomon.rtl._sources_f import read_f
    from gnomon.rtl._sources_yml import read_src_files

    ending = path.suffix.lower()
    if ending in {".yml", ".yaml"}:
        found = read_src_files(path)
    elif ending in {".f", ".flist"}:
        found = read_f(path)
    elif ending == ".core":
        found = read_core(path)
    else:
        raise GnomonError(f"{path}: not a list of sources (known: src_files.yml, *.f, *.core)")
    if not found.sources:
        raise GnomonError(f"{path}: names no source file")
    return found


def make_source(name: str, folder: Path, list_path: Path, line: int) -> Source:
    """A source of a list, checked to be there.

    Raises:
        GnomonError: the file is not there, or its ending is that of no known language.
    """
    path = folder / name
    language = _LANGUAGES.get(path.suffix.lower())
    if language is None:
        known = ", ".join(_LANGUAGES)
        raise GnomonError(
            f"{list_path}:{line}: {name}: unknown kind of source (known endings: {known})"
        )
    if not path.is_file():
        near = (
            did_you_mean(path.name, [each.name for each in path.parent.iterdir()])
            if path.parent.is_dir()
            else f" (no folder {path.parent})"
        )
        raise GnomonError(f"{list_path}:{line}: {name}: no such file{near}")
    return Source(path, language, list_path, line)


def unique(sources: list[Source]) -> tuple[Source, ...]:
    """The sources in order, each path once."""
    first: dict[Path, Source] = {}
    for source in sources:
        first.setdefault(source.path.resolve(), source)
    return tuple(first.values())


def read_list_text(path: Path) -> str:
    """The text of a list.

    Raises:
        GnomonError: it cannot be read or is not text.
    """
    from gnomon.base.files import read_text

    if path.is_dir():
        raise GnomonError(f"{path}: is a folder; give the list of sources in it")
    return read_text(path)
