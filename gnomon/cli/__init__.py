"""The command line. One file per command; heavy imports stay inside the functions."""

import atexit
import gc
import os
import sys
from contextlib import suppress
from typing import NoReturn

from gnomon.base.interrupt import exit_code, listen
from gnomon.base.streams import write_what_fits

_CTRL_C = 130  # what Typer returns of it
# How many threads NumPy's linear algebra starts when it is imported. As many as there are
# processors take longer to start than a short run takes, and what runs here is too small for two.
_THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "GOTO_NUM_THREADS")


# An import makes many objects and no garbage; looking for it at every 700th takes a tenth of a run.
_OBJECTS = 50_000


def command() -> NoReturn:
    """Be the process: ``gnomon``.

    It ends without taking apart what it is made of, which would take a fifth of a short run, if
    nothing else is to be ended: no thread, no process, no counters of lines in C.
    """
    gc.set_threshold(_OBJECTS)
    code: object = None
    try:
        main()
    except SystemExit as end:
        code = end.code
    alone = not {"multiprocessing.process", "concurrent.futures.thread"} & sys.modules.keys()
    if alone and isinstance(code, int | None) and "GNOMON_NATIVE" not in os.environ:
        atexit._run_exitfuncs()  # noqa: SLF001 - the one way to end these and nothing else
        with suppress(OSError, ValueError):
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code or 0)
    sys.exit(code)  # type: ignore[arg-type]


def main() -> None:
    """Run the command line; what goes wrong ends with one message and its exit code."""
    listen()
    write_what_fits()
    if not any(name in os.environ for name in _THREADS):
        os.environ[_THREADS[0]] = "1"
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")  # looked for in all packages
    try:
        from gnomon.cli.app import app

        if len(sys.argv) == 1:
            app(["--help"])
        code = app(standalone_mode=False)
        sys.stdout.flush()
    except SystemExit as leaving:
        from gnomon.base.loading import users_mistake
        from gnomon.cli._ending import PIPE, end

        if users_mistake(leaving) is not None:
            end(leaving)
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
