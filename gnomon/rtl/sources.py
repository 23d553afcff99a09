"""The files of a design and their languages, read from the source list of its project.

The name of a list determines its kind: IPApproX ``src_files.yml``, tool-neutral ``.f`` lists and
FuseSoC ``.core`` files. Order is preserved; a repeated file counts once. Macros and include
folders, which concern Verilog only, are ignored.

``.f``: a file per line, and the common options of simulators: ``+incdir+A+B``, ``+define+A=1+B``,
``-f LIST`` (paths relative to the working folder of the tool, here the folder of the list),
``-F LIST`` (paths relative to the folder of that list; here both are equal), ``#`` and ``//``
comments, ``$NAME`` and ``${NAME}`` from the environment. Other options are errors, since an ignored
option could change the simulated design.
"""

import os
import re
from pathlib import Path

from gnomon.base.errors import GnomonError, did_you_mean
from gnomon.rtl.listed import Language, Listed, check_folder, read_list_text
from gnomon.rtl.sources_yaml import read_core, read_src_files

_OPTIONS = ("+incdir+", "+define+", "-f", "-F", "-v")
_VARIABLE = re.compile(r"\$(?:\{(\w+)\}|\((\w+)\)|(\w+))")
_COMMENT = re.compile(r"(?:^|\s)(?:#|//).*")


def read_sources(path: Path) -> dict[Path, Language]:
    """Return the sources of a list in order; the ending of its name determines its kind.

    The kinds are ``*.yml``, ``*.yaml``, ``*.f`` and ``*.core``.

    Raises:
        GnomonError: if the kind is unknown, the list is unreadable or invalid, or a source does not
            exist; the message has file and line.
    """
    readers = {".yml": read_src_files, ".yaml": read_src_files, ".core": read_core,
               ".f": read_f, ".flist": read_f}  # fmt: skip
    if path.suffix.lower() not in readers:
        raise GnomonError(f"{path}: not a list of sources (known: src_files.yml, *.f, *.core)")
    found = Listed()
    readers[path.suffix.lower()](found, path)
    if not found.languages:
        raise GnomonError(f"{path}: names no source file")
    return found.languages


def read_f(found: Listed, path: Path, above: tuple[Path, ...] = ()) -> None:
    """Read a ``.f`` list and the lists it includes."""
    if path.resolve() in above:
        raise GnomonError(f"{path}: includes itself")
    nested = (*above, path.resolve())
    for line, raw in enumerate(read_list_text(path).splitlines(), start=1):
        where = f"{path}:{line}"
        words = [_expand(word, where) for word in _COMMENT.sub("", raw).split()]
        while words:
            word = words.pop(0)
            if word in {"-f", "-F", "-v"} and not words:
                raise GnomonError(f"{where}: {word} needs a file after it")
            if word == "-v":
                found.file(words.pop(0), path, line)
            elif word in {"-f", "-F"}:
                name = words.pop(0)
                if not (path.parent / name).is_file():
                    raise GnomonError(f"{where}: {name}: no such file")
                read_f(found, path.parent / name, nested)
            elif word.startswith("+incdir+"):
                for name in filter(None, word.removeprefix("+incdir+").split("+")):
                    check_folder(name, path, line)
            elif word.startswith("+define+"):
                continue
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
