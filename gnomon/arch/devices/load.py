"""User-defined devices from their folders: the files, checked as a whole."""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple

from gnomon.arch.devices._device import DeviceCode, DevicePrice, Language, list_functions
from gnomon.arch.devices.file import DeviceFile
from gnomon.base.content import find
from gnomon.base.digest import digest
from gnomon.base.errors import GnomonError, allowed_hint
from gnomon.base.files import is_file, read_bytes, read_text
from gnomon.base.schema import problems_at, validate_tree
from gnomon.base.tables import shown_path
from gnomon.base.yaml import FileError, Place, read_file, shown

_FILE: Final = "device.yaml"
_COMMENT: Final = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_INCLUDED: Final = re.compile(r"^[ \t]*#[ \t]*(?:include|embed)[ \t]*(\S+)", re.MULTILINE)
_TYPE: Final = re.compile(r"}\s*Device\s*;")
_CLASS: Final = re.compile(r"^class\s+Device\b", re.MULTILINE)
_HEADERS: Final = ("<stdint.h>", "<stdbool.h>", "<stddef.h>")


class _Texts(NamedTuple):
    folder: str
    code: str | None  # None: the file is missing
    files: tuple[tuple[str, bytes], ...]  # all of the folder, by name


def load_device(name: str, given: Mapping[str, int]) -> DeviceCode:
    """Return a device with the parameters that a machine gives; the others have their defaults.

    Raises:
        GnomonError: if the device does not exist, its files are wrong (one line per problem:
            ``file:line: key: problem``), or a parameter does not exist or is out of range.
    """
    folder = find("devices", name).folder
    texts = _read_texts(folder)
    file = _parse(texts)
    parameters = {each: keys.default for each, keys in file.parameters.items()}
    for each, value in given.items():
        if each not in parameters:
            known = allowed_hint(each, parameters) if parameters else "(the device has none)"
            raise GnomonError(f"no parameter of {name} is called {each!r} {known}")
        low, high = file.parameters[each].range
        if type(value) is not int or not low <= value <= high:
            raise GnomonError(f"{each} must be {low} to {high}, not {shown(value)}")
        parameters[each] = value
    price = file.price
    return DeviceCode(
        name=name, title=file.title, folder=str(folder), language=_language_of(file),
        text=texts.code or "", file=f"{folder.name}/{file.code}", size_bytes=int(file.size),
        whole_words=file.width == "word", interrupt=file.interrupt, master=file.master,
        parameters=tuple(parameters.items()),
        price=None if price is None else DevicePrice(price.read, price.write, price.source),
        digest=digest(texts.files),
    )  # fmt: skip


def read_device(name: str) -> DeviceFile:
    """Return the description of a device; its files are checked.

    Raises:
        GnomonError: see :func:`load_device`.
    """
    return _parse(_read_texts(find("devices", name).folder))


def _language_of(file: DeviceFile) -> Language:
    return "python" if file.code.endswith(".py") else "c"


def _read_texts(folder: Path) -> _Texts:
    path = folder / _FILE
    tree, _ = read_file(path, "device", shown_path(path))
    code = tree.at("code")
    name = getattr(code, "value", None)
    there = isinstance(name, str) and Path(name).name == name and is_file(folder / name)
    files = sorted(each for each in folder.iterdir() if is_file(each) and each.suffix != ".pyc")
    return _Texts(
        str(folder),
        read_text(folder / str(name)) if there else None,
        tuple((each.name, read_bytes(each)) for each in files),
    )


@lru_cache(maxsize=64)
def _parse(texts: _Texts) -> DeviceFile:
    path = Path(texts.folder, _FILE)
    tree, twice = read_file(path, "device", shown_path(path))
    file = validate_tree(tree, DeviceFile, twice)
    found = list(_check_code(file, texts))
    if found:
        raise FileError(problems_at(tree, found))
    return file


def _check_code(file: DeviceFile, texts: _Texts) -> Iterator[tuple[Place, str]]:
    if texts.code is None:
        yield ("code",), f"no such file in {texts.folder}: {file.code}"
        return
    needed = list_functions(interrupt=file.interrupt, master=file.master)
    if _language_of(file) == "python":
        if not _CLASS.search(texts.code):
            yield ("code",), f"{file.code} has no class Device"
        return
    code = _COMMENT.sub(" ", texts.code)
    if not _TYPE.search(code):
        yield ("code",), f"{file.code} has no type Device (typedef struct {{ ... }} Device;)"
    for name in needed:
        if not re.search(rf"\bdevice_{name}\s*\(", code):
            why = {"next": "interrupt or master", "level": "interrupt", "step": "master"}.get(name)
            because = f", which {why}: true needs" if why else ""
            yield ("code",), f"{file.code} has no function device_{name}{because}"
    for name in ("level", "step"):
        if name not in needed and re.search(rf"\bdevice_{name}\s*\(", code):
            key = "interrupt" if name == "level" else "master"
            yield (key,), f"must be true for {file.code}, which has a function device_{name}"
    for header in _INCLUDED.findall(code):
        if header not in _HEADERS:
            yield ("code",), f"{file.code} includes {header} {allowed_hint(header, _HEADERS)}"
