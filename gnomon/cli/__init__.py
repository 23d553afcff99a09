"""The command line. One file per command; heavy imports stay inside the functions."""

import os
import sys
from typing import NoReturn

from gnomon.base.interrupt import exit_code, listen
from gnomon.base.loading import users_mistake
from gnomon.base.streams import write_what_fits
from gnomon.cli._ending import PIPE, end
from gnomon.cli._path import leading_paths, look_in

_CTRL_C = 130  # what Typer returns after Ctrl-C
# Variables that set the number of threads of NumPy's linear algebra. One thread is enough: a sweep
# starts as many processes as there are processors.
_THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "GOTO_NUM_THREADS")


def main() -> NoReturn:
    """Run the command line; an error ends it with one message and its exit code."""
    listen()
    write_what_fits()
    if not any(name in os.environ for name in _THREADS):
        os.environ[_THREADS[0]] = "1"
    look_in(leading_paths(sys.argv[1:]))
    try:
        from gnomon.cli.app import app  # lists the studies of --path as commands

        code = app(sys.argv[1:] or ["--help"], standalone_mode=False)
        sys.stdout.flush()
    except SystemExit as leaving:
        if users_mistake(leaving) is not None:
            end(leaving)
        # If the reader of stdout is gone, Typer ends with code 1 and silences stdout.
        if type(sys.stdout).__name__ == "PacifyFlushWrapper":
            sys.exit(PIPE)
        raise
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - the last resort
        end(error)
    if code == _CTRL_C:  # Typer has caught it and prints nothing
        print("gnomon: interrupted", file=sys.stderr)
        code = exit_code()
    sys.exit(code if isinstance(code, int) else 0)
