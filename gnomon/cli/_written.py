"""Check of the output files of a command: none is also an input, and none is written twice.

The check uses the declared options and runs before the command does anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from inspect import Parameter
from pathlib import Path
from typing import Any

from gnomon.base.errors import GnomonError
from gnomon.base.files import is_file
from gnomon.cli._options import writes


def check_output_files(parameters: Iterable[Parameter], given: Mapping[str, Any]) -> None:
    """Check that no output file is also an input file or another output file.

    Args:
        parameters: parameters of the command.
        given: their values, by name.

    Raises:
        GnomonError: if a file is named twice; the message names option and file.
    """
    written: dict[Path, str] = {}
    read = []
    for each in parameters:
        option = writes(each)
        for path in _list_paths(given.get(each.name), formats=option is not None):
            if option is None:
                read.append(path)
            elif written.setdefault(path.resolve(), option) != option:
                raise GnomonError(f"{written[path.resolve()]} and {option} both write {path}")
    for path, option in written.items() if read else ():
        same = next((each for each in read if _is_same(each, path)), None)
        if same is not None:
            raise GnomonError(
                f"{option} would overwrite {same}, which this command reads; name another file"
                " (nothing was written)"
            )


def _list_paths(value: Any, *, formats: bool) -> Iterator[Path]:
    """Yield the files of a value: paths, and text that looks like one.

    With ``formats``, text has the form FORMAT=FILE,...
    """
    for each in value if isinstance(value, list | tuple) else [value]:
        if isinstance(each, Path):
            yield each
        elif isinstance(each, str) and formats:
            yield from (Path(part.partition("=")[2]) for part in each.split(",") if "=" in part)
        elif isinstance(each, str) and ("/" in each or Path(each).suffix):
            yield Path(each)


def _is_same(one: Path, other: Path) -> bool:
    return is_file(one) and is_file(other) and one.samefile(other)
