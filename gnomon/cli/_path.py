"""``--path``: further folders of content, which also have studies and so commands."""

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from gnomon.base.content import PATH_VARIABLE


def look_in(folders: Iterable[Path]) -> None:
    """Add folders to the places of content of this process and of those that it starts."""
    there = list(filter(None, os.environ.get(PATH_VARIABLE, "").split(os.pathsep)))
    added = [str(each.resolve()) for each in folders]
    places = [*there, *(each for each in added if each not in there)]
    if places:
        os.environ[PATH_VARIABLE] = os.pathsep.join(places)


def leading_paths(words: Sequence[str]) -> Iterator[Path]:
    """Return the folders of ``--path`` before the command: they decide which commands there are."""
    rest = iter(words)
    for word in rest:
        if not word.startswith("-"):
            return
        name, equals, folder = word.partition("=")
        if name == "--path":
            yield Path(folder if equals else next(rest, ""))
