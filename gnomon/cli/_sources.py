"""Programs on the command line: an ELF file, or sources and how they are built."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from gnomon.base.errors import GnomonError
from gnomon.base.options import argument, option

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gnomon.arch import Architecture
    from gnomon.program import Program

SOURCES = (".c", ".S", ".s")

Files = Annotated[
    list[Path], argument("FILE", "An RV32 executable; or C and assembly, built first.")
]
SourceFiles = Annotated[
    list[Path], argument("SOURCE", "C (.c) and assembly (.S, .s); the first one names.")
]
Optimization = Annotated[
    str | None, option("-O --optimization LEVEL", "Of the compiler: 0, 1, 2, 3, s or z.", "2")
]
Defines = Annotated[
    list[str] | None, option("-D --define NAME=VALUE", "Define a macro; NAME alone is 1.")
]
Include = Annotated[list[Path] | None, option("-I --include FOLDER", "Look for headers there.")]
Harts = Annotated[
    int | None, option("--harts N", "How many harts run main; the others are parked.", "1")
]
CompilerName = Annotated[
    str | None, option("--compiler zig|gcc", "gcc: a RISC-V GCC on PATH.", "zig")
]


def build_options(
    optimization: str | None,
    defines: Sequence[str] | None,
    include: Sequence[Path] | None,
    harts: int | None,
    compiler: str | None,
) -> dict[str, Any]:
    """What :func:`gnomon.program.build` takes, of the options that were given.

    Raises:
        GnomonError: a macro without a name.
    """
    given: dict[str, Any] = {}
    if optimization is not None:
        given["optimization"] = f"-O{optimization.removeprefix('-O')}"
    if defines:
        given["defines"] = dict(_define(text) for text in defines)
    if include:
        given["include"] = tuple(include)
    if harts is not None:
        given["active_harts"] = harts
    if compiler is not None:
        given["compiler"] = compiler
    return given


def _define(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII):
        raise GnomonError(f"-D takes NAME=VALUE, such as -D N=32, not {text!r}")
    return name, value if equals else "1"


def are_sources(files: Sequence[Path]) -> bool:
    """Whether a program is to be built of these files.

    Raises:
        GnomonError: there are several, and one is an executable.
    """
    built = [file for file in files if file.suffix not in SOURCES]
    if built and len(files) > 1:
        raise GnomonError(
            f"{built[0]}: not a source ({', '.join(SOURCES)}); a program is one executable, or"
            " sources"
        )
    return not built


def load_program(
    files: Sequence[Path],
    architecture: Architecture,
    options: dict[str, Any] | None = None,
    *,
    debug: bool = False,
    quiet: bool = False,
) -> Program:
    """Build sources, or load an executable; the compiler's warnings go to stderr.

    Raises:
        GnomonError: what cannot be built or loaded; options of a compiler for an executable.
    """
    if not are_sources(files):
        if options:
            names = {"defines": "-D", "include": "-I", "active_harts": "--harts",
                     "optimization": "-O", "compiler": "--compiler"}  # fmt: skip
            raise GnomonError(
                f"{files[0]}: is built already, so {names[next(iter(options))]} says nothing;"
                " name its sources instead"
            )
        from gnomon.program import load_elf

        return load_elf(files[0])
    from gnomon.program import build

    program = build(files, architecture, debug=debug, **(options or {}))
    assert program.build is not None
    if not quiet:
        print(program.build.warnings, end="", file=sys.stderr)
    return program
