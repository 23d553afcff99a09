"""Machines that were checked before: kept by their files, so that a start need not check again."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from pydantic import VERSION

from gnomon.arch._schema import Architecture
from gnomon.base.content import content, found_machines
from gnomon.base.prepared import code_of, file_digest, prepared

_Kept = tuple[dict[str, Any], tuple[tuple[str, str], ...]]
"""The values of a machine; the files that it extends, with their digests."""


def prepared_machine(
    path: Path, overrides: Sequence[str], check: Callable[[], tuple[Architecture, Sequence[Path]]]
) -> Architecture:
    """A machine as ``check`` gives it, from where it is kept if nothing has changed.

    Once this process has checked one, the models that check are made, and checking takes no longer
    than looking for what is kept. ``check`` gives the files that the machine extends as well.
    """
    if Architecture.__pydantic_complete__:
        return check()[0]

    def make() -> _Kept:
        machine, parents = check()
        return machine.to_dict(), tuple((str(each), file_digest(each)) for each in parents)

    names = sorted((name, str(each)) for name, each in found_machines().items())
    code = (*code_of(Path(__file__).parent), content("models", "dividers", "laws.yaml"))
    what = ("machine", VERSION, names, str(path.absolute()), tuple(overrides))
    values, _ = prepared(what, (path, *code), make, _unchanged)
    return Architecture.of_dict(values)


def _unchanged(kept: _Kept) -> bool:
    try:
        return all(file_digest(Path(path)) == digest for path, digest in kept[1])
    except OSError:
        return False
