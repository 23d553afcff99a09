"""The files of a design, from the list that its project keeps: which files, in which language.

Three kinds of list are read, told apart by name: IPApproX ``src_files.yml``, tool-neutral ``.f``
lists and FuseSoC ``.core`` files. Order is kept; a file that is named twice counts once.

``.f``: a file per line, and the options that simulators agree on: ``+incdir+A+B``,
``+define+A=1+B``, ``-f LIST`` (paths as from where the tool starts, here the folder of the list),
``-F LIST`` (paths as from the folder of that list; here both are the same), ``#`` and ``//``
comments, ``$NAME`` and ``${NAME}`` from the environment. Other options are errors: one that was
skipped could change what is simulated.
"""

import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from gnomon.base.errors import GnomonError, did_you_mean
from gnomon.base.files import read_text

Language = Literal["vhdl", "verilog", "systemverilog"]
"""What a source is written in, by its ending."""

_LANGUAGES: dict[str, Language] = {
    ".vhd": "vhdl", ".vhdl": "vhdl", ".v": "verilog", ".vh": "verilog", ".sv": "systemverilog",
    ".svh": "systemverilog",
}  # fmt: skip
_OPTIONS = ("+incdir+", "+define+", "-f", "-F", "-v")
_VARIABLE = re.compile(r"\$(?:\{(\w+)\}|\((\w+)\)|(\w+))")
_COMMENT = re.compile(r"(?:^|\s)(?:#|//).*")


@dataclass(frozen=True, slots=True)
class Source:
    """One file, and the line of the list that names it."""

    path: Path
    language: Language
    list_path: Path
    line: int


@dataclass(frozen=True, slots=True)
class SourceList:
    """What a list says. ``include_folders`` and ``defines`` are for Verilog."""

    path: Path
    sources: tuple[Source, ...]
    include_folders: tuple[Path, ...] = ()
    defines: tuple[tuple[str, str], ...] = ()

    def of(self, *languages: Language) -> tuple[Path, ...]:
        return tuple(source.path for source in self.sources if source.language in languages)


@dataclass(slots=True)
class Listed:
    """What has been read of a list so far; each file counts where it is named first."""

    sources: dict[Path, Source] = field(default_factory=dict)  # by what it is
    folders: dict[Path, None] = field(default_factory=dict)
    defines: dict[str, str] = field(default_factory=dict)

    def file(self, name: str, path: Path, line: int) -> None:
        """Take a source; paths are as from the folder of the list."""
        source = path.parent / name
        language = _LANGUAGES.get(source.suffix.lower())
        if language is None:
            known = ", ".join(_LANGUAGES)
            raise GnomonError(
                f"{path}:{line}: {name}: unknown kind of source (known endings: {known})"
            )
        if not source.is_file():
            near = f" (no folder {source.parent})"
            if source.parent.is_dir():
                near = did_you_mean(source.name, [each.name for each in source.parent.iterdir()])
            raise GnomonError(f"{path}:{line}: {name}: no such file{near}")
        self.sources.setdefault(source.resolve(), Source(source, language, path, line))

    def folder(self, name: str, path: Path, line: int) -> None:
        if not (path.parent / name).is_dir():
            raise GnomonError(f"{path}:{line}: {name}: no such folder")
        self.folders[path.parent / name] = None

    def define(self, text: str) -> None:
        """Take a macro, ``NAME`` or ``NAME=VALUE``."""
        name, _, value = text.partition("=")
        self.defines[name] = value


def read_sources(path: Path) -> SourceList:
    """Read a list of sources, by its name: ``*.yml``, ``*.yaml``, ``*.f`` or ``*.core``.

    Raises:
        GnomonError: another kind of file, one that cannot be read or understood, or a source that
            is not there; with file and line.
    """
    from gnomon.rtl._sources_yaml import read_core, read_src_files  # uses what is here

    readers = {".yml": read_src_files, ".yaml": read_src_files, ".core": read_core,
               ".f": read_f, ".flist": read_f}  # fmt: skip
    if path.suffix.lower() not in readers:
        raise GnomonError(f"{path}: not a list of sources (known: src_files.yml, *.f, *.core)")
    found = Listed()
    readers[path.suffix.lower()](found, path)
    if not found.sources:
        raise GnomonError(f"{path}: names no source file")
    return SourceList(
        path, tuple(found.sources.values()), tuple(found.folders), tuple(found.defines.items())
    )


def read_list_text(path: Path) -> str:
    if path.is_dir():
        raise GnomonError(f"{path}: is a folder; give the list of sources in it")
    return read_text(path)


def read_f(found: Listed, path: Path, above: tuple[Path, ...] = ()) -> None:
    """Read a ``.f`` list and those that it includes."""
    if path.resolve() in above:
        raise GnomonError(f"{path}: includes itself")
    nested = (*above, path.resolve())
    for line, raw in enumerate(read_list_text(path).splitlines(), start=1):
        where = f"{path}:{line}"
        words = [_expand(word, where) for word in _COMMENT.sub("", raw).split()]
        while words:
            word = words.pop(0)
            if word in {"-f", "-F", "-v"} and not words:
                raise GnomonError(f"{where}: {word} needs a file behind it")
            if word == "-v":
                found.file(words.pop(0), path, line)
            elif word in {"-f", "-F"}:
                name = words.pop(0)
                if not (path.parent / name).is_file():
                    raise GnomonError(f"{where}: {name}: no such file")
                read_f(found, path.parent / name, nested)
            elif word.startswith("+incdir+"):
                for name in filter(None, word.removeprefix("+incdir+").split("+")):
                    found.folder(name, path, line)
            elif word.startswith("+define+"):
                for each in filter(None, word.removeprefix("+define+").split("+")):
                    found.define(each)
            elif word[0] in "+-":
                known = f"{', '.join(_OPTIONS)}){did_you_mean(word, _OPTIONS)}"
                raise GnomonError(f"{where}: unknown option {word!r} (known: {known}")
            else:
                found.file(word, path, line)


def _expand(word: str, where: str) -> str:
    def value(match: re.Match[str]) -> str:
        name = match[1] or match[2] or match[3]
        if name not in os.environ:
            raise GnomonError(f"{where}: ${name} is not set in the environment")
        return os.environ[name]

    return _VARIABLE.sub(value, word)
