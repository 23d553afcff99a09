"""``python -m gnomon.report.bundle._recorder LIST WORD...``: gnomon, and the files that it reads.

Each file that Python opens for reading is a line of LIST. Compilers read sources and headers that
gnomon has read before, for their digests.
"""

import os
import runpy
import sys
from pathlib import Path
from typing import Any


def main() -> None:
    """Run gnomon with the words after the first and write what it reads into the first."""
    listed, *words = sys.argv[1:]
    seen = set[str]()
    with Path(listed).open("w", encoding="utf-8") as file:

        def note(event: str, args: tuple[Any, ...]) -> None:
            if event != "open" or not isinstance(args[0], str | bytes | os.PathLike):
                return
            if args[2] & (os.O_WRONLY | os.O_RDWR):
                return
            path = str(Path(os.fsdecode(args[0])).absolute())
            if path not in seen:
                seen.add(path)
                file.write(path.replace("\n", "\0") + "\n")
                file.flush()  # the command may end in any way

        sys.addaudithook(note)
        sys.argv = ["gnomon", *words]
        runpy.run_module("gnomon", run_name="__main__", alter_sys=False)


if __name__ == "__main__":
    main()
