"""The command line. One file per command; heavy imports stay inside the functions."""

from __future__ import annotations

import os
import sys

from gnomon.base.interrupt import exit_code, listen

_CTRL_C = 130  # what Typer returns of it
# How many threads NumPy's linear algebra starts when it is imported. As many as there are
# processors take longer to start than a short run takes, and what runs here is too small for two.
_THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "GOTO_NUM_THREADS")


def main() -> None:
    """Run the command line; what goes wrong ends with one message and its exit code."""
    listen()
    if not any(name in os.environ for name in _THREADS):
        os.environ[_THREADS[0]] = "1"
    try:
        from gnomon.cli.app import app

        if len(sys.argv) == 1:
            app(["--help"])
        code = app(standalone_mode=False)
        sys.stdout.flush()
    except SystemExit:
        from gnomon.cli._ending import PIPE

        # Typer ends with code 1 where nobody reads on, and keeps stdout from complaining.
        if type(sys.stdout).__name__ == "PacifyFlushWrapper":
            sys.exit(PIPE)
        raise
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - the last resort
        from gnomon.cli._ending import end

        end(error)
    if code == _CTRL_C:  # Typer has caught it and says nothing
        print("gnomon: interrupted", file=sys.stderr)
        code = exit_code()
    sys.exit(code if isinstance(code, int) else 0)
