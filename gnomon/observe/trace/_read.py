"""Reader of any recording as a stream; the content determines the format.

A separate process converts FST to VCD. The VCD reader therefore defines the semantics, memory stays
constant, and a damaged file that crashes the C library cannot crash gnomon. The converter is the
library pylibfst, or fst2vcd of GTKWave.
"""

from __future__ import annotations

import importlib.util
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import BinaryIO, cast

from gnomon.base.errors import GnomonError
from gnomon.base.units import Hertz
from gnomon.observe.trace._activity import NetActivity
from gnomon.observe.trace._saif_read import read_saif
from gnomon.observe.trace._selection import parse_selection
from gnomon.observe.trace._source import STANDARD_INPUT, RecordingStream, open_source, sniff
from gnomon.observe.trace._vcd import read_vcd

INSTALL = "pip install 'gnomon[fst]'"
_LIBRARY = "_libfstapi"
_CONVERTER = "fst2vcd"
# CPU time of a converter; more means that damage made the C library loop. Recordings of clocks
# are the smallest for their length: pylibfst 0.2.1 converts 22 kB of them per second (62 MB of
# VCD in 0.37 s), and 33 MB of random words. The limit leaves a factor of 20.
_START_SECONDS = 2
_BYTES_PER_SECOND = 1_000


def read_fst(path: str | Path, read: Callable[[RecordingStream], NetActivity]) -> NetActivity:
    """Convert an FST file to VCD in a separate process and read the stream with ``read``.

    Raises:
        GnomonError: if the file is damaged, standard input, or no converter is installed.
    """
    if str(path) == STANDARD_INPUT:
        raise GnomonError("standard input: FST is read from a file, not from a pipe")
    seconds = _START_SECONDS + Path(path).stat().st_size // _BYTES_PER_SECOND
    with (
        tempfile.TemporaryFile() as messages,
        subprocess.Popen(
            _choose_command(Path(path), seconds),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=messages,
        ) as process,
    ):
        assert process.stdout is not None
        failure: GnomonError | None = None
        activity = None
        try:
            activity = read(RecordingStream(str(path), cast("BinaryIO", process.stdout)))
        except GnomonError as error:
            failure = error
        if process.stdout.read(1):  # the reader stopped early: end of the window, or an error
            process.kill()
        elif process.wait() == -signal.SIGXCPU:
            raise GnomonError(
                f"{path}: is damaged: its reader did not finish within {seconds} s of CPU time"
            ) from None
        elif process.returncode != 0:
            # A failing converter ends its stream early, so its failure is the root cause.
            messages.seek(0)
            reason = " ".join(messages.read(400).decode(errors="replace").split())
            raise GnomonError(
                f"{path}: is damaged, or not an FST file: its reader stopped with exit code "
                f"{process.returncode}{f': {reason}' if reason else ''}"
            ) from None
    if failure is not None:
        raise failure
    assert activity is not None
    return activity


def _choose_command(path: Path, seconds: int) -> list[str]:
    # Run the file, not the module: importing the package takes longer than reading most files.
    # -P prevents files next to it from hiding modules of the standard library.
    convert = [sys.executable, "-P", str(Path(__file__).with_name("_fst_stream.py")), str(seconds)]
    if importlib.util.find_spec(_LIBRARY) is not None:
        return [*convert, str(path)]
    converter = shutil.which(_CONVERTER)
    if converter is not None:
        return [*convert, str(path), converter]
    raise GnomonError(
        f"{path}: reading FST needs a library that is not installed: {INSTALL} "
        f"({_CONVERTER} of GTKWave on PATH serves as well)"
    )


def read_activity(
    path: str | Path,
    *,
    scope: str | None = None,
    from_: str | None = None,
    to: str | None = None,
    clock: Hertz | None = None,
    clock_net: str | None = None,
    timescale: str | None = None,
) -> NetActivity:
    """Read the toggles and times of every bit of a VCD, FST or SAIF file, optionally gzipped.

    Args:
        path: the file, or ``-`` for standard input (not FST).
        scope: path of patterns that selects instances, each with all instances below it.
        from_: first moment counted, such as ``12.5 us`` or, with a clock, ``500 cycles``. A SAIF
            file holds totals only, so it cannot be combined with ``from_`` and ``to``.
        to: first moment not counted.
        clock: expected clock frequency. If exactly one outermost net has the name of a clock, it
            is taken as the clock.
        clock_net: path of the clock net.
        timescale: unit of time, such as ``1 ns``, of a VCD that states none.

    Raises:
        GnomonError: if the file cannot be read or is malformed (with file and line), an option
            does not fit its content, or the library for FST is not installed.
    """
    selection = parse_selection(scope, from_, to, clock, clock_net, timescale)
    with open_source(path) as source:
        form = sniff(source)
        if form == "saif":
            if not selection.whole:
                raise GnomonError(
                    f"{source.name}: --from and --to need a VCD or FST; SAIF holds totals only"
                )
            return read_saif(source, selection)
        read = partial(read_vcd, selection=selection, origin=form)
        return read(source) if form == "vcd" else read_fst(path, read)
