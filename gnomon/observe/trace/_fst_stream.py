"""Converter from an FST file to VCD on standard output, for a separate process.

``python _fst_stream.py FILE``; it imports no gnomon module. A separate process, because a damaged
file can crash the C library. A stream, because the library then writes the text block by block.
"""

import os
import sys

CANNOT_OPEN = 3
CANNOT_READ = 4


def main() -> int:
    """Convert the file and return an exit code."""
    # The library is optional and has no type information.
    from _libfstapi import ffi, lib

    context = lib.fstReaderOpen(os.fsencode(sys.argv[1]))
    if context == ffi.NULL:
        return CANNOT_OPEN
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as out:
        file = ffi.cast("FILE *", out)
        good = lib.fstReaderProcessHier(context, file)
        lib.fstReaderSetFacProcessMaskAll(context)
        good = good and lib.fstReaderIterBlocks(context, ffi.NULL, ffi.NULL, file)
    lib.fstReaderClose(context)
    return 0 if good else CANNOT_READ


if __name__ == "__main__":
    sys.exit(main())
