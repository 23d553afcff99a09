"""Compilers: the zig of the wheel, running one reproducibly, and C compiled to shared libraries."""

import ctypes
import importlib.util
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final, NamedTuple

from gnomon.base.errors import GnomonError

INCLUDE: Final = Path(__file__).with_name("include")

_LANGUAGE = (
    "-std=gnu17",
    "-ffreestanding",
    "-fPIC",
    "-shared",
    "-fvisibility=hidden",
    "-fno-strict-aliasing",
    "-ffp-contract=off",  # a fused multiply-add rounds once, two instructions twice
    "-Wall",
    "-Wextra",
)
# zig builds its own libc and run-time parts if they are used, which takes seconds.
_ZIG = ("-O2", "-g0", "-fwrapv", "-fno-sanitize=all", "-fno-stack-protector", "-nostdlib", "-s")
_BASELINE = "-mcpu=baseline"  # hosts of several kinds may share one cache

VARIANTS: Final = {
    # Signed overflow is an error in all of gnomon's C, so these builds do not use -fwrapv.
    "sanitize": ("-O1", "-g", "-fno-omit-frame-pointer", "-fsanitize=address,undefined",
                 "-fno-sanitize-recover=undefined", "-Werror"),
    "coverage": ("-O1", "-g", "--coverage", "-Werror"),
}  # fmt: skip
"""Developer builds with GCC, by the value of ``GNOMON_NATIVE``."""

_ROOM_BYTES = 64 << 20
_SHOWN_LINES = 20
_NEEDED = ("PATH", "TMPDIR", "TEMP", "SYSTEMROOT")

MISSING: Final = "the cross-compiler is not installed: python -m pip install ziglang"


def zig_binary() -> Path:
    """Return the path of zig.

    Raises:
        GnomonError: if it is not installed; says how to install it.
    """
    found = importlib.util.find_spec("ziglang")
    if found is None or not found.submodule_search_locations:
        raise GnomonError(MISSING)
    folder = Path(found.submodule_search_locations[0])
    return folder / ("zig.exe" if sys.platform == "win32" else "zig")


@cache
def zig_version() -> str:
    """Return the version of zig, such as ``0.17.0``.

    Raises:
        GnomonError: if it is not installed.
    """
    try:
        return version("ziglang")
    except PackageNotFoundError:
        raise GnomonError(MISSING) from None


def host_triple() -> str:
    """Return zig's name of the host, such as ``x86_64-linux-gnu``.

    Raises:
        GnomonError: if the host is unsupported.
    """
    systems = {"linux": "linux", "darwin": "macos", "win32": "windows"}
    if sys.platform not in systems:
        raise GnomonError(f"the host is not supported: unknown {sys.platform}")
    machine = platform.machine().lower()
    machine = {"amd64": "x86_64", "arm64": "aarch64"}.get(machine, machine)
    # A triple, not "native": zig then brings its own headers, so none need be installed.
    libraries = {"linux": "-gnu" if platform.libc_ver()[0] == "glibc" else "-musl"}
    return f"{machine}-{systems[sys.platform]}{libraries.get(sys.platform, '')}"


def compiler_output(
    command: Sequence[str | Path], folder: Path, zig_cache: Path, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run a compiler in ``folder``, and return its exit code and output.

    Its environment is reduced to what it needs, so that variables such as ``CPATH`` cannot change
    the result. ``variables`` are added.

    Args:
        command: the compiler and its arguments.
        folder: where it runs; also holds what zig caches of this build.
        zig_cache: folder in which zig caches its own libraries; other compilers ignore it.
        variables: of its environment.

    Raises:
        GnomonError: if it cannot be run.
    """
    for name in ("TMPDIR", "TEMP"):
        if (place := os.environ.get(name)) and not os.path.isdir(place):  # noqa: PTH112 - any text
            raise GnomonError(
                f"{name} names {place!r}, which is not a folder: the compiler needs one"
            )
    needed = {name: os.environ[name] for name in _NEEDED if name in os.environ}
    caches = {"ZIG_GLOBAL_CACHE_DIR": str(zig_cache), "ZIG_LOCAL_CACHE_DIR": str(folder / "zig")}
    try:
        return subprocess.run(
            command, cwd=folder, env={**needed, **caches, "LC_ALL": "C", **variables}, check=False,
            stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
        )  # fmt: skip
    except OSError as error:
        raise GnomonError(f"{command[0]}: cannot be run: {error.strerror}") from None


def shorten_output(output: str) -> str:
    """Return the first lines of a compiler's output, and how many more there are."""
    lines = output.strip().splitlines()
    if len(lines) > _SHOWN_LINES:
        lines = [*lines[:_SHOWN_LINES], f"... ({len(lines) - _SHOWN_LINES} more lines)"]
    return "\n".join(lines)


class Recipe(NamedTuple):
    """How to compile a shared library, whatever its sources are."""

    command: tuple[str, ...]  # the compiler and its flags; sources and output follow
    stamp: tuple[str, ...]  # everything that decides the result besides the sources, for digests
    name: str  # of the compiler, for messages


def flags() -> tuple[str, ...]:
    """Return the flags of every build by zig; prebuilt libraries record them as an input."""
    return (*_ZIG, _BASELINE, *_LANGUAGE)


def recipe(variant: str = "", triple: str = "", *, quick: bool = False) -> Recipe:
    """Return how to compile a shared library.

    Args:
        variant: one of :data:`VARIANTS`, or empty.
        triple: zig's name of the computer that the library is for; empty = the host.
        quick: compile quickly, without optimization.

    Raises:
        GnomonError: if the compiler is missing.
    """
    if variant:
        found = shutil.which("gcc")
        if found is None:
            raise GnomonError(f"GNOMON_NATIVE={variant} needs GCC: there is no gcc on PATH")
        options = (*VARIANTS[variant], *_LANGUAGE)
        return Recipe((found, *options), ("gcc", found, *options), "gcc")
    options = ("-target", triple or host_triple(), *flags(), *(("-O0",) if quick else ()))
    version = zig_version()
    return Recipe((str(zig_binary()), "cc", *options), ("zig", version, *options), f"zig {version}")


def compile_library(
    how: Recipe, sources: tuple[Path, ...], generated: Mapping[str, str], folder: Path, name: str
) -> Path:
    """Compile sources in a private folder, and return the path of the library.

    Raises:
        GnomonError: if the folder cannot be written, or the compiler fails; with its output.
    """
    try:
        for header, text in generated.items():
            (folder / header).write_text(text, encoding="utf-8")
    except OSError as error:
        raise GnomonError(f"{folder}: cannot be written: {error.strerror}") from None
    seen = dict.fromkeys([folder, INCLUDE, *(source.parent for source in sources)])
    command = [
        *how.command,
        *(f"-I{place}" for place in seen),
        *map(str, sources),
        "-o",
        name,  # macOS writes this name into the file: a temporary one would not be the same twice
    ]
    done = compiler_output(command, folder, folder / "zig", TMPDIR=str(folder))
    if done.returncode or not (folder / name).is_file():
        output = shorten_output(done.stderr or done.stdout)
        raise GnomonError(f"{how.name} cannot compile {name}:\n{output}")
    return folder / name


@contextmanager
def work_folder() -> Iterator[Path]:
    """Make a private folder to compile in, on a disk with room, and delete it afterwards."""
    with tempfile.TemporaryDirectory(
        prefix="gnomon-", dir=_choose_temporary_folder(), ignore_cleanup_errors=True
    ) as name:
        yield Path(name)


def _choose_temporary_folder() -> str:
    """Return the usual temporary folder, or one in memory if that has no room."""
    places = ["/dev/shm"]  # noqa: S108 - the folder made in it is private
    try:
        places.insert(0, tempfile.gettempdir())
    except OSError as error:
        if not os.access(places[0], os.W_OK):
            raise GnomonError(
                f"there is no temporary folder to compile in: {error.strerror} (TMPDIR names one)"
            ) from None
    writable = (place for place in places if os.access(place, os.W_OK))
    roomy = (place for place in writable if shutil.disk_usage(place).free >= _ROOM_BYTES)
    return next(roomy, places[0])


def open_library(library: Path) -> ctypes.CDLL:
    """Load a library.

    Raises:
        GnomonError: if it cannot be loaded.
    """
    try:
        return ctypes.CDLL(str(library))
    except OSError as error:
        raise GnomonError(f"{library}: cannot be loaded: {error}") from None
