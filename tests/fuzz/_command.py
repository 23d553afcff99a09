"""One command in this process: its exit code and what it says, as a user would see them."""

from __future__ import annotations

import contextlib
import functools
import io
import os
import sys
from unittest import mock


@functools.cache
def _made_once() -> object:
    """Return what makes a command line out of functions, once: it takes as long as a command."""
    import typer.main

    return functools.cache(typer.main.get_command)


def command(arguments: list[str]) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of ``gnomon ARGUMENTS``."""
    from gnomon.cli import main

    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", "backslashreplace") for _ in range(2))
    code: object = 0
    with (
        mock.patch("typer.main.get_command", _made_once()),
        mock.patch.object(sys, "argv", ["gnomon", *arguments]),
        mock.patch.dict(os.environ),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            main()
        except SystemExit as end:
            code = end.code
    said = []
    for stream in (out, err):
        stream.flush()
        said.append(stream.buffer.getvalue().decode("utf-8"))  # type: ignore[attr-defined]
    return (code if isinstance(code, int) else 0), said[0], said[1]
