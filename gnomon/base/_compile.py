"""Shared libraries of C: compiled by zig, or GCC where developers look inside; which to trust."""

import ctypes
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gnomon.base.compiler import compiler_output, host_triple, zig_binary, zig_version
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
# zig builds its own libc and run-time parts where they are asked for, which takes it seconds.
_ZIG = ("-O2", "-g0", "-fwrapv", "-fno-sanitize=all", "-fno-stack-protector", "-nostdlib", "-s")
_BASELINE = "-mcpu=baseline"  # computers of several kinds may share one cache

VARIANTS: Final = {
    # Signed overflow is wrong in all our C, so here nothing is said to wrap.
    "sanitize": ("-O1", "-g", "-fno-omit-frame-pointer", "-fsanitize=address,undefined",
                 "-fno-sanitize-recover=undefined", "-Werror"),
    "coverage": ("-O1", "-g", "--coverage", "-Werror"),
}  # fmt: skip
"""Builds for developers, by GCC, by what ``GNOMON_NATIVE`` calls them."""

_ROOM_BYTES = 64 << 20
_SHOWN_LINES = 12
_OTHERS_WRITE = 0o022


@dataclass(frozen=True, slots=True)
class Recipe:
    """How to compile, whatever the sources are."""

    command: tuple[str, ...]  # the compiler, and its flags; sources and output follow
    stamp: tuple[str, ...]  # all that decides what comes out, for digests
    name: str  # of the compiler, for messages


def flags() -> tuple[str, ...]:
    """Those of every build by zig; they belong to what a prebuilt library is built from."""
    return (*_ZIG, _BASELINE, *_LANGUAGE)


def recipe(variant: str = "", triple: str = "", *, quick: bool = False) -> Recipe:
    """The way to compile.

    Args:
        variant: one of :data:`VARIANTS`, or nothing.
        triple: what zig calls the computer it is for; nothing = this one.
        quick: it is to compile fast, not the code to be fast.
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
    """Compile the sources in a folder of their own."""
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
    caches = {f"ZIG_{kind}_CACHE_DIR": str(folder / "zig") for kind in ("GLOBAL", "LOCAL")}
    done = compiler_output(command, folder, TMPDIR=str(folder), **caches)
    if done.returncode or not (folder / name).is_file():
        said = "\n".join((done.stderr or done.stdout).strip().splitlines()[:_SHOWN_LINES])
        raise GnomonError(f"{how.name} cannot compile {name}:\n{said}")
    return folder / name


@contextmanager
def work_folder() -> Iterator[Path]:
    """A private folder to compile in, on a disk with room; gone afterwards."""
    with tempfile.TemporaryDirectory(
        prefix="gnomon-", dir=_place(), ignore_cleanup_errors=True
    ) as name:
        yield Path(name)


def _place() -> str:
    """The usual temporary folder, or memory where that has no room."""
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
    try:
        return ctypes.CDLL(str(library))
    except OSError as error:
        raise GnomonError(f"{library}: cannot be loaded: {error}") from None


def make_private(path: Path) -> None:
    """Where a group may write by default: what is the user's own stays so."""
    mode = path.stat().st_mode
    if hasattr(os, "getuid") and mode & _OTHERS_WRITE:
        with suppress(OSError):
            path.chmod(mode & ~_OTHERS_WRITE)
