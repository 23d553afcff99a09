"""The command line. One file per command; heavy imports stay inside the functions."""

from __future__ import annotations

import sys

from gnomon.errors import GnomonError


def main() -> None:
    """Run the command line; user errors end with one message and their exit code."""
    from gnomon.cli._app import app

    try:
        app()
    except GnomonError as error:
        print(f"gnomon: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
