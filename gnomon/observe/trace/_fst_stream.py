"""Converter from an FST file to VCD on standard output, for a separate process.

``python _fst_stream.py SECONDS FILE [FST2VCD]``; it imports no gnomon module. A separate process,
because a damaged file can crash the C library, or make it loop: SECONDS of CPU time end it. A
stream, because the library then writes the text block by block. FST2VCD is the path of GTKWave's
program, which takes the place of the library.
"""

import os
import resource
import sys

CANNOT_OPEN = 3
CANNOT_READ = 4


def main() -> int:
    """Convert the file and return an exit code."""
    seconds, file, *converter = sys.argv[1:]
    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), resource.RLIM_INFINITY))
    if converter:
        os.execv(converter[0], [converter[0], "-f", file])  # noqa: S606 - no shell is wanted
    # The library is optional and has no type information.
    from _libfstapi import ffi, lib

    context = lib.fstReaderOpen(os.fsencode(file))
    if context == ffi.NULL:
        return CANNOT_OPEN
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as out:
        stream = ffi.cast("FILE *", out)
        good = lib.fstReaderProcessHier(context, stream)
        lib.fstReaderSetFacProcessMaskAll(context)
        good = good and lib.fstReaderIterBlocks(context, ffi.NULL, ffi.NULL, stream)
    lib.fstReaderClose(context)
    return 0 if good else CANNOT_READ


if __name__ == "__main__":
    sys.exit(main())
