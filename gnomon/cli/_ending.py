"""Error exits of the command line: one message without control characters, and an exit code."""

import os
import sys
import tempfile
import traceback
from contextlib import suppress
from pathlib import Path
from typing import Final, NoReturn

from gnomon.base.errors import GnomonError, visible
from gnomon.base.interrupt import describe, exit_code, interrupted
from gnomon.base.loading import user_content_error

BUG: Final = 70  # EX_SOFTWARE of sysexits.h
PIPE: Final = 141  # what a shell reports for a program that SIGPIPE ended
_LONGEST: Final = 2_000  # characters of a message


def end(error: BaseException) -> NoReturn:
    """Print the error and end the process with its exit code."""
    if isinstance(error, BrokenPipeError):
        # The reader of stdout is gone; without this, closing stdout would raise again.
        with suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(PIPE)
    if isinstance(error, GnomonError):
        _stop(str(error), exit_code() if interrupted(error) else error.exit_code)
    if interrupted(error) or type(error).__name__ == "Abort":
        _stop(describe(), exit_code())
    # The module of Typer's error classes depends on the release; all have this method.
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
        _stop("the host has too little memory for this command", GnomonError.exit_code)
    mistake = user_content_error(error)
    if mistake is not None:
        _stop(f"{mistake} (traceback: {_save_traceback()})", mistake.exit_code)
    _stop(
        f"a mistake in gnomon: {type(error).__name__}: {error}"
        f" (please report it with {_save_traceback()})",
        BUG,
    )


def clean(text: str) -> str:
    """Return text for a terminal: without control characters, at most ``_LONGEST`` long."""
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


def _save_traceback() -> str:
    """Write the traceback to a temporary file and return its path, or why there is none."""
    try:
        with tempfile.NamedTemporaryFile(
            "w", prefix="gnomon-", suffix=".txt", delete=False, encoding="utf-8",
            errors="backslashreplace",
        ) as file:  # fmt: skip
            traceback.print_exc(file=file)
    except OSError as error:
        return f"its traceback, which cannot be written: {error.strerror}"
    return str(Path(file.name))
