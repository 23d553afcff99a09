"""``--path``: further content folders; their studies become commands."""

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from gnomon.base.content import PATH_VARIABLE


def look_in(folders: Iterable[Path]) -> None:
    """Add content folders for this process and its child processes."""
    there = list(filter(None, os.environ.get(PATH_VARIABLE, "").split(os.pathsep)))
    added = [str(each.resolve()) for each in folders]
    places = [*there, *(each for each in added if each not in there)]
    if places:
        os.environ[PATH_VARIABLE] = os.pathsep.join(places)


def leading_paths(words: Sequence[str]) -> Iterator[Path]:
    """Yield the folders of each ``--path`` before the command; their studies add commands."""
    rest = iter(words)
    for word in rest:
        if not word.startswith("-"):
            return
        name, equals, folder = word.partition("=")
        if name == "--path":
            yield Path(folder if equals else next(rest, ""))
