"""The zig that comes as a wheel, and how a compiler is run: by nothing that changes its result."""

import importlib.util
import os
import platform
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Final

from gnomon.base.errors import GnomonError

MISSING: Final = "the cross-compiler is not installed: python -m pip install ziglang"


def zig_binary() -> Path:
    """The compiler.

    Raises:
        GnomonError: it is not installed; says how to install it.
    """
    found = importlib.util.find_spec("ziglang")
    if found is None or not found.submodule_search_locations:
        raise GnomonError(MISSING)
    folder = Path(found.submodule_search_locations[0])
    return folder / ("zig.exe" if sys.platform == "win32" else "zig")


@cache
def zig_version() -> str:
    """Its version, such as ``0.17.0``.

    Raises:
        GnomonError: it is not installed.
    """
    # The name of the folder says it; asking the importer takes longer than a small run.
    for notes in zig_binary().parent.parent.glob("ziglang-*.dist-info"):
        return notes.name.removeprefix("ziglang-").removesuffix(".dist-info")
    return version("ziglang")


def host_triple() -> str:
    """This computer, such as ``x86_64-linux-gnu``.

    Raises:
        GnomonError: nothing can be built for it.
    """
    systems = {"linux": "linux", "darwin": "macos", "win32": "windows"}
    if sys.platform not in systems:
        raise GnomonError(f"nothing can be built for this computer: unknown {sys.platform}")
    machine = platform.machine().lower()
    machine = {"amd64": "x86_64", "arm64": "aarch64"}.get(machine, machine)
    # A triple, not "native": zig then brings its own headers, so none need be installed.
    libraries = {"linux": "-gnu" if platform.libc_ver()[0] == "glibc" else "-musl"}
    return f"{machine}-{systems[sys.platform]}{libraries.get(sys.platform, '')}"


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
    for name in ("TMPDIR", "TEMP"):
        if (place := os.environ.get(name)) and not os.path.isdir(place):  # noqa: PTH112 - any text
            raise GnomonError(f"{name} names {place!r}, which is no folder: the compiler needs one")
    needed = {name: os.environ[name] for name in _NEEDED if name in os.environ}
    try:
        return subprocess.run(
            command, cwd=folder, env={**needed, "LC_ALL": "C", **variables}, check=False,
            stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
        )  # fmt: skip
    except OSError as error:
        raise GnomonError(f"{command[0]}: cannot be run: {error.strerror}") from None
