"""The command line. One file per command; heavy imports stay inside the functions."""

from __future__ import annotations

import sys

from gnomon.base.errors import GnomonError, Interrupted
from gnomon.base.interrupt import interrupted, listen


def main() -> None:
    """Run the command line; user errors end with one message and their exit code."""
    listen()
    try:
        from gnomon.cli.app import app

        if len(sys.argv) == 1:
            app(["--help"])
        code = app(standalone_mode=False)
    except Interrupted as error:
        _stop(str(error), error.exit_code)
    except Exception as error:
        if interrupted(error):
            _stop("interrupted", Interrupted.exit_code)
        if isinstance(error, GnomonError):
            _stop(str(error), error.exit_code)
        # Typer has carried its error classes in several places; all of them can do this.
        message = getattr(error, "format_message", None)
        if message is not None:
            _stop(f"{message()} (see `gnomon --help`)", 2)
        if type(error).__name__ == "Abort":
            _stop("interrupted", Interrupted.exit_code)
        raise
    except KeyboardInterrupt:
        _stop("interrupted", Interrupted.exit_code)
    if code == Interrupted.exit_code:  # Typer has caught Ctrl-C and says nothing
        _stop("interrupted", code)
    sys.exit(code if isinstance(code, int) else 0)


def _stop(message: str, exit_code: int) -> None:
    print(f"gnomon: {message}", file=sys.stderr)
    sys.exit(exit_code)
