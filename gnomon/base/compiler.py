"""Run a compiler in a folder, with nothing of the environment that changes its result."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

from gnomon.base.errors import GnomonError

_NEEDED = ("PATH", "TMPDIR", "TEMP", "SYSTEMROOT")


def compiler_output(
    command: Sequence[str | Path], folder: Path, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run a compiler in ``folder``; its exit code and what it said.

    Its environment is reduced to what it needs, so that variables such as ``CPATH`` cannot
    change what is built. ``variables`` are added.

    Raises:
        GnomonError: it cannot be run.
    """
    needed = {name: os.environ[name] for name in _NEEDED if name in os.environ}
    try:
        return subprocess.run(
            command,
            cwd=folder,
            env={**needed, "LC_ALL": "C", **variables},
            check=False,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
        )
    except OSError as error:
        raise GnomonError(f"{command[0]}: cannot be run: {error.strerror}") from None
