"""Tool-neutral ``.f`` lists: a file per line, and the options that simulators agree on.

``+incdir+A+B``, ``+define+A=1+B``, ``-f LIST`` (paths as from where the tool starts, here the
folder of the list), ``-F LIST`` (paths as from the folder of that list; here both are the same),
``#`` and ``//`` comments, ``$NAME`` and ``${NAME}`` from the environment. Other options are errors:
one that was skipped could change what is simulated.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from gnomon.base.errors import GnomonError, did_you_mean
from gnomon.rtl._sources import Source, SourceList, make_source, read_list_text, unique

if TYPE_CHECKING:
    from pathlib import Path

_OPTIONS = ("+incdir+", "+define+", "-f", "-F", "-v")
_VARIABLE = re.compile(r"\$(?:\{(\w+)\}|\((\w+)\)|(\w+))")
_COMMENT = re.compile(r"(?:^|\s)(?:#|//).*")


def read_f(path: Path) -> SourceList:
    """Read a ``.f`` list and those that it includes.

    Raises:
        GnomonError: with file and line; also for a list that includes itself.
    """
    reader = _Reader()
    reader.read(path, ())
    return SourceList(
        path,
        unique(reader.sources),
        tuple(dict.fromkeys(reader.include_folders)),
        tuple(dict(reader.defines).items()),
    )


class _Reader:
    def __init__(self) -> None:
        self.sources: list[Source] = []
        self.include_folders: list[Path] = []
        self.defines: list[tuple[str, str]] = []

    def read(self, path: Path, above: tuple[Path, ...]) -> None:
        if path.resolve() in above:
            raise GnomonError(f"{path}: includes itself")
        text = read_list_text(path)
        nested = (*above, path.resolve())
        for line, raw in enumerate(text.splitlines(), start=1):
            words = _COMMENT.sub("", raw).split()
            where = f"{path}:{line}"
            words = [_expand(word, where) for word in words]
            while words:
                self._word(words, path, line, nested)

    def _word(self, words: list[str], path: Path, line: int, above: tuple[Path, ...]) -> None:
        where = f"{path}:{line}"
        word = words.pop(0)
        if word in {"-f", "-F", "-v"}:
            if not words:
                raise GnomonError(f"{where}: {word} needs a file behind it")
            name = words.pop(0)
            if word == "-v":
                self.sources.append(make_source(name, path.parent, path, line))
                return
            if not (path.parent / name).is_file():
                raise GnomonError(f"{where}: {name}: no such file")
            self.read(path.parent / name, above)
        elif word.startswith("+incdir+"):
            for name in filter(None, word.removeprefix("+incdir+").split("+")):
                folder = path.parent / name
                if not folder.is_dir():
                    raise GnomonError(f"{where}: {name}: no such folder")
                self.include_folders.append(folder)
        elif word.startswith("+define+"):
            for each in filter(None, word.removeprefix("+define+").split("+")):
                name, _, value = each.partition("=")
                self.defines.append((name, value))
        elif word[0] in "+-":
            known = did_you_mean(word, _OPTIONS)
            raise GnomonError(
                f"{where}: unknown option {word!r} (known: {', '.join(_OPTIONS)}){known}"
            )
        else:
            self.sources.append(make_source(word, path.parent, path, line))


def _expand(word: str, where: str) -> str:
    def value(match: re.Match[str]) -> str:
        name = match[1] or match[2] or match[3]
        found = os.environ.get(name)
        if found is None:
            raise GnomonError(f"{where}: ${name} is not set in the environment")
        return found

    return _VARIABLE.sub(value, word)
