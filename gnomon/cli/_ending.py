"""How the command line ends when something goes wrong: one clean message, an exit code."""

import os
import sys
import tempfile
import traceback
from contextlib import suppress
from pathlib import Path
from typing import Final, NoReturn

from gnomon.base.errors import GnomonError, visible
from gnomon.base.interrupt import exit_code, interrupted
from gnomon.base.loading import user_content_error

BUG: Final = 70  # EX_SOFTWARE of sysexits.h
PIPE: Final = 141  # what a shell reports of a program that SIGPIPE ended
_LONGEST: Final = 2_000  # characters of a message


def end(error: BaseException) -> NoReturn:
    """Say what went wrong and end the process with the exit code of its kind."""
    if isinstance(error, BrokenPipeError):
        # Nobody reads on; Python would complain again when it closes stdout.
        with suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(PIPE)
    if isinstance(error, GnomonError):
        _stop(str(error), exit_code() if interrupted(error) else error.exit_code)
    if interrupted(error) or type(error).__name__ == "Abort":
        _stop("interrupted", exit_code())
    # Typer has carried its error classes in several places; all of them can do this.
    message = getattr(error, "format_message", None)
    if message is not None:
        names: list[str] = []
        context = getattr(error, "ctx", None)
        while context is not None and context.parent is not None:
            names.insert(0, context.info_name)
            context = context.parent
        command = " ".join(["gnomon", *names])
        _stop(f"{message()} (see `{command} --help`)", GnomonError.exit_code)
    if isinstance(error, OSError) and error.strerror:
        where = f"{error.filename}: " if error.filename else ""
        _stop(f"{where}{error.strerror}", GnomonError.exit_code)
    if isinstance(error, MemoryError):
        _stop("the computer has not enough memory for this", GnomonError.exit_code)
    mistake = user_content_error(error)
    if mistake is not None:
        _stop(f"{mistake} (traceback: {_kept()})", mistake.exit_code)
    _stop(
        f"a mistake in gnomon: {type(error).__name__}: {error} (please report it with {_kept()})",
        BUG,
    )


def clean(text: str) -> str:
    """Text for a terminal: no control characters, and not longer than a screen or so."""
    safe = visible(text)
    if len(safe) <= _LONGEST:
        return safe
    half = _LONGEST // 2 - 50
    return f"{safe[:half]} ... ({len(safe) - 2 * half:,} characters left out) ... {safe[-half:]}"


def _stop(message: str, code: int) -> NoReturn:
    with suppress(OSError):
        sys.stdout.flush()
    print(f"gnomon: {clean(message)}", file=sys.stderr)
    sys.exit(code)


def _kept() -> str:
    """Where the traceback is."""
    try:
        with tempfile.NamedTemporaryFile(
            "w", prefix="gnomon-", suffix=".txt", delete=False, encoding="utf-8",
            errors="backslashreplace",
        ) as file:  # fmt: skip
            traceback.print_exc(file=file)
    except OSError as error:
        return f"its traceback, which cannot be written: {error.strerror}"
    return str(Path(file.name))
