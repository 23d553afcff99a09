"""``gnomon`` in this process: its exit code and what it says, as a user would see them.

A start of Python takes half a second. Tests start a process of its own only for facts of processes:
signals, encodings, pipes, limits, the environment at the start.
"""

from __future__ import annotations

import contextlib
import functools
import io
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from unittest import mock

import typer.main

from gnomon import cli
from gnomon.base import content
from gnomon.cli import app

if TYPE_CHECKING:
    from collections.abc import Iterator


assert app.app  # made here, before a test is in a project
_USUAL = {
    name: sys.modules[name]
    for name in ("gnomon.cli.app", "gnomon.cli._report", "gnomon.cli._studies")
}
"""Modules with the groups of commands to which studies are added."""


@dataclass(frozen=True)
class Ended:
    """How a command ended, with the names of ``subprocess.CompletedProcess``."""

    returncode: int
    stdout: str
    stderr: str


def gnomon(*words: str, folder: Path | str | None = None, **variables: str) -> Ended:
    """Run ``gnomon WORDS`` in a folder, with more variables; nothing of it stays."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", "backslashreplace") for _ in range(2))
    code: object = 0
    with (
        mock.patch.dict(os.environ, variables),
        contextlib.chdir(Path.cwd() if folder is None else folder),
        mock.patch.object(sys, "argv", ["gnomon", *words]),
        _application(words),
        mock.patch("gnomon.cli.listen"),  # signals are facts of processes
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # or main would limit this process
        try:
            cli.main()
        except SystemExit as end:
            code = end.code
    said = []
    for stream in (out, err):
        stream.flush()
        said.append(stream.buffer.getvalue().decode("utf-8"))  # type: ignore[attr-defined]
    return Ended(code if isinstance(code, int) else 0, *said)


@functools.cache
def _made_once() -> object:
    """Return what makes a command line out of functions, once: it takes as long as a command."""
    return functools.cache(typer.main.get_command)


@contextlib.contextmanager
def _application(words: tuple[str, ...]) -> Iterator[None]:
    """Use the application of all tests, or a new one where studies of a user become commands.

    What is remembered of a user's folders is forgotten, before and after.
    """
    places = list(_users_folders(words))
    if not any((place / "reports").is_dir() for place in places):
        with mock.patch("typer.main.get_command", _made_once()), _forgotten(bool(places)):
            yield
        return
    for name in _USUAL:
        del sys.modules[name]
    try:
        with _forgotten(True):
            yield
    finally:
        for name, module in _USUAL.items():
            sys.modules[name] = module
            setattr(cli, name.rpartition(".")[2], module)


def _users_folders(words: tuple[str, ...]) -> Iterator[Path]:
    """Yield the project and the folders of the path, without those that other users installed."""
    if (project := content.project_folder()) is not None:
        yield project
    yield from map(Path, filter(None, os.environ.get(content.PATH_VARIABLE, "").split(os.pathsep)))
    for word, after in zip(words, [*words, ""][1:], strict=True):
        option, equals, folder = word.partition("=")
        if option == "--path":
            yield Path(folder if equals else after)


@contextlib.contextmanager
def _forgotten(needed: bool) -> Iterator[None]:
    if needed:
        _forget()
    yield
    if needed:
        _forget()


def _forget() -> None:
    """Forget what was found in folders of content, and modules that gnomon does not ship."""
    for cached in (content._list_roots, content._find_all):
        cached.cache_clear()
    for name in [each for each in sys.modules if each.startswith("gnomon.content.")]:
        module = sys.modules[name]
        file = getattr(module, "__file__", None)
        places = [file] if file else list(module.__path__)
        if any(not Path(place).is_relative_to(content.content_root()) for place in places):
            del sys.modules[name]
