"""The command line. One file per command; heavy imports stay inside the functions."""

import os
import sys
from typing import NoReturn

from gnomon.base.interrupt import describe, exit_code, listen
from gnomon.base.loading import user_content_error
from gnomon.base.streams import write_what_fits
from gnomon.cli._ending import PIPE, end
from gnomon.cli._path import leading_paths, look_in

_CTRL_C = 130  # what Typer returns after Ctrl-C
# Linear algebra of NumPy runs on one thread unless one of these is set: its sums depend on
# the number of threads, and the processes of a sweep use all processors already.
_THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "GOTO_NUM_THREADS")


def main() -> NoReturn:
    """Run the command line; an error ends it with one message and its exit code."""
    listen()
    write_what_fits()
    if not any(name in os.environ for name in _THREADS):
        # Read when NumPy is imported, here and in processes that this one starts.
        os.environ |= {"OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
        if "numpy" in sys.modules:  # another program calls this function
            from threadpoolctl import threadpool_limits

            threadpool_limits(1, "blas")
    # Files are checked by pydantic alone; it searches installed packages for plug-ins otherwise.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "1")
    look_in(leading_paths(sys.argv[1:]))
    try:
        from gnomon.cli._commands import command_line, named

        name = named(sys.argv[1:])
        if name is None:
            from gnomon.cli.app import app  # lists the studies of --path as commands
        else:
            app = command_line([name])
        code = app(sys.argv[1:] or ["--help"], standalone_mode=False)
        sys.stdout.flush()
    except SystemExit as leaving:
        if user_content_error(leaving) is not None:
            end(leaving)
        # If the reader of stdout is gone, Typer ends with code 1 and silences stdout.
        if type(sys.stdout).__name__ == "PacifyFlushWrapper":
            sys.exit(PIPE)
        raise
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - the last resort
        end(error)
    if code == _CTRL_C:  # Typer has caught it and prints nothing
        print(f"gnomon: {describe()}", file=sys.stderr)
        code = exit_code()
    sys.exit(code if isinstance(code, int) else 0)
