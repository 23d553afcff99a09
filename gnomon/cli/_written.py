"""What a command writes is none of the files that it reads, nor written twice.

It is refused before the command does anything: for all commands, by their options.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from inspect import Parameter
from pathlib import Path
from typing import Any

from gnomon.base.errors import GnomonError
from gnomon.base.files import is_file
from gnomon.cli._options import writes


def check_written(parameters: Iterable[Parameter], given: Mapping[str, Any]) -> None:
    """Refuse a file to write that an argument or option names as well.

    Args:
        parameters: of the command.
        given: what it was called with, by parameter.

    Raises:
        GnomonError: naming option and file.
    """
    written: dict[Path, str] = {}
    read = []
    for each in parameters:
        option = writes(each)
        for path in _paths(given.get(each.name), formats=option is not None):
            if option is None:
                read.append(path)
            elif written.setdefault(path.resolve(), option) != option:
                raise GnomonError(f"{written[path.resolve()]} and {option} both write {path}")
    for path, option in written.items() if read else ():
        same = next((each for each in read if _is_same(each, path)), None)
        if same is not None:
            raise GnomonError(
                f"{option} would write over {same}, which this command reads; name another file"
                " (nothing was written)"
            )


def _paths(value: Any, *, formats: bool) -> Iterator[Path]:
    """The files of a value: paths, and words that are no names, or with ``formats`` FORMAT=FILE."""
    for each in value if isinstance(value, list | tuple) else [value]:
        if isinstance(each, Path):
            yield each
        elif isinstance(each, str) and formats:
            yield from (Path(part.partition("=")[2]) for part in each.split(",") if "=" in part)
        elif isinstance(each, str) and ("/" in each or Path(each).suffix):
            yield Path(each)


def _is_same(one: Path, other: Path) -> bool:
    return is_file(one) and is_file(other) and one.samefile(other)
