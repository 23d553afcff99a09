"""Which sources a result comes from, found by reading them: a digest that changes when they do.

What counts for a module, and for what counts itself:

* the modules that it imports, also inside functions; ``from gnomon.x import Name`` is followed
  through ``__init__`` files to the module that defines ``Name``. Imports for type checkers and
  packages outside gnomon do not count;
* C, YAML and linker files in its folder, tables (CSV) too in gnomon itself, and what
  ``content("models", ...)`` names in it;
* shipped and found content that it names: a string that is the name of a kernel, a learner or a
  machine. Kernels and learners count with the modules in their folders and with the C files and
  names of content that those and their YAML mention.
"""

import hashlib
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from functools import cache
from pathlib import Path

from gnomon.base._facts import Facts, facts, keep_facts
from gnomon.base.content import content_root, found, found_machines, roots
from gnomon.base.digest import digest, inside_of

_PACKAGE = Path(__file__).resolve().parents[1]
_CONTENT = "gnomon.content."
_READ = frozenset((".c", ".h", ".S", ".ld", ".yaml"))
_BY_NAME = ("kernels", "algorithms")
_INCLUDED = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
_WORD = re.compile(r"[\w.-]+")
_PATH = re.compile(r"[\w./-]+")


def source_digest(*modules: str, names: Iterable[str] = ()) -> str:
    """SHA-256 (hexadecimal) of the sources that results of some modules come from.

    Args:
        modules: such as ``__name__``.
        names: of content that is used besides; a word that names none is ignored.
    """
    return _digest(frozenset(modules), frozenset(names) & frozenset(_members()))


def source_files(*modules: str, names: Iterable[str] = ()) -> tuple[Path, ...]:
    """The files that :func:`source_digest` is of, sorted."""
    return tuple(sorted(_reached(frozenset(modules), frozenset(names) & frozenset(_members()))))


def mentioned(value: object) -> tuple[set[str], set[str]]:
    """Modules of the dataclasses, sections and enumerations in a value, and the strings in it."""
    modules: set[str] = set()
    strings: set[str] = set()
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, str):
            strings.add(str(each))
        inside = inside_of(each)
        if isinstance(each, Enum) or inside is not None:
            modules.add(type(each).__module__)
        if isinstance(each, Mapping):
            waiting += [*each, *each.values()]
        elif isinstance(each, tuple | list):
            waiting += each
        elif inside is not None:
            waiting += inside.values()
    return modules, strings


@cache
def _digest(modules: frozenset[str], names: frozenset[str]) -> str:
    files = sorted((_shown(path), path) for path in _reached(modules, names))
    keep_facts()
    return digest([(name, hashlib.sha256(path.read_bytes()).digest()) for name, path in files])


def _shown(path: Path) -> str:
    """A path that is the same wherever gnomon lies."""
    for above in (_PACKAGE.parent, content_root(), *(root.folder for root in roots())):
        if path.is_relative_to(above):
            return path.relative_to(above).as_posix()
    return path.name


def _reached(modules: frozenset[str], names: frozenset[str]) -> set[Path]:
    files: set[Path] = set()
    done: set[str] = set()
    used: set[Path] = set()
    waiting = list(modules)
    told = set(names)
    while waiting or told:
        while waiting:
            module = waiting.pop()
            read = None if module in done else _read(module)
            done.add(module)
            if read is None:
                continue
            path, said = read
            files |= {path, *_beside(path.parent)}
            files = files.union(*map(_shipped, said["content"]))
            told |= _members().keys() & said["strings"]
            waiting += [home for module, name in said["imports"] if (home := _home(module, name))]
        for member in {_members()[name] for name in told} - used:
            used.add(member)
            own = _content_files(member)
            files |= own
            told |= _named_in(own)
            waiting += [
                f"{_CONTENT}{path.parent.parent.name}.{path.parent.name}.{path.stem}"
                for path in own
                if path.suffix == ".py"
            ]
        told = {name for name in told if _members()[name] not in used}
    return files


@cache
def _file(module: str) -> Path | None:
    if not module.startswith("gnomon"):
        loaded = getattr(sys.modules.get(module), "__file__", None)
        return None if loaded is None else Path(loaded)
    below = module.removeprefix("gnomon").strip(".").replace(".", "/")
    places = [_PACKAGE]
    if module.startswith(_CONTENT):
        below = below.removeprefix("content/")
        places = [root.folder for root in roots()]
    for place in places:
        for path in (place / f"{below}.py", place / below / "__init__.py"):
            if path.is_file():
                return path
    return None


@cache
def _read(module: str) -> tuple[Path, Facts] | None:
    """The file of a module, and what it says."""
    path = _file(module)
    if path is None:
        return None
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    return path, facts(path, package)


def _shipped(parts: Sequence[str]) -> set[Path]:
    """Files under ``content(*parts)``."""
    if parts == ["arch"]:  # machines count by name
        return set()
    place = content_root().joinpath(*parts)
    if place.is_file():
        return {place}
    return {path for path in place.rglob("*") if path.is_file() and path.suffix != ".pyc"}


def _home(module: str, name: str) -> str | None:
    """The module that defines a name, which another may only hand on."""
    while name:
        read = _read(module)
        if read is None:
            return f"{module}.{name}" if _file(f"{module}.{name}") else None
        bound = tuple(read[1]["bound"].get(name, (module, name)))
        if bound != (module, name):
            module, name = bound
        elif _file(f"{module}.{name}"):
            return f"{module}.{name}"
        else:
            break
    return module


@cache
def _beside(folder: Path) -> frozenset[Path]:
    """Sources in other languages in a folder of modules, and below it where no modules are."""
    there: set[Path] = set()
    for path in folder.iterdir() if folder.is_dir() else ():
        table = path.suffix == ".csv" and path.is_relative_to(_PACKAGE)  # elsewhere it is a result
        if table or path.suffix in _READ:
            there.add(path)
        elif path.is_dir() and path.is_relative_to(_PACKAGE) and not any(path.glob("*.py")):
            there |= _beside(path)
    return frozenset(there)


@cache
def _members() -> Mapping[str, Path]:
    """Where each kernel, learner and machine is, by the names that it goes by."""
    there = dict(found_machines())
    for kind in _BY_NAME:
        there |= {name: each.folder for name, each in found(kind).items()}
    return there


@cache
def _c_files() -> Mapping[str, Path]:
    """The C files of all kernels and learners, by ``folder/name``; what they share by name too."""
    files: dict[str, Path] = {}
    for root in roots():
        for kind in _BY_NAME:
            for path in sorted((root.folder / kind).rglob("*.[ch]")):
                files.setdefault(path.relative_to(root.folder / kind).as_posix(), path)
                if not (path.parent / "kernel.yaml").is_file():
                    files.setdefault(path.name, path)
    return files


def _c_file(word: str, beside: Path) -> Path | None:
    """A C file by a name in YAML or in an include: in the same folder, else of all."""
    if Path(word).suffix not in {".c", ".h"}:
        return None
    own = beside / word
    return own if own.is_file() else _c_files().get(word, _c_files().get(Path(word).name))


def _content_files(member: Path) -> set[Path]:
    """The files of one kernel, learner or machine, and the C files that they mention."""
    if member.is_file():
        return {member}
    files: set[Path] = set()
    waiting = {path for path in member.iterdir() if path.suffix in _READ | {".py"}}
    while waiting:
        path = waiting.pop()
        files.add(path)
        if path.suffix != ".py":
            text = path.read_text(encoding="utf-8")
            words = (_PATH if path.suffix == ".yaml" else _INCLUDED).findall(text)
            again = {each for word in words if (each := _c_file(word, path.parent))}
            again |= {each.with_suffix(".c") for each in again if each.with_suffix(".c").is_file()}
            waiting |= again - files
    return files


def _named_in(files: Iterable[Path]) -> set[str]:
    """Names of content in YAML, and of the folders that C files lie in."""
    by_folder = {path: name for name, path in _members().items()}
    names = {by_folder[path.parent] for path in files if path.parent in by_folder}
    for path in files:
        if path.suffix == ".yaml":
            words = _WORD.findall(path.read_text(encoding="utf-8"))
            names |= {word.replace("_", "-") for word in words} & _members().keys()
    return names
