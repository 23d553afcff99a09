"""Programs on the command line: an ELF file, or sources with build options."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from gnomon.base.errors import GnomonError
from gnomon.cli._ending import clean
from gnomon.cli._options import Machine, Overrides, argument, option

if TYPE_CHECKING:
    from gnomon.arch import Architecture
    from gnomon.program import Program

SOURCES = (".c", ".S", ".s")
MOST_CYCLES = 2_000_000_000


@dataclass(frozen=True, slots=True)
class Flags:
    """Compiler options of a build."""

    optimization: str | None = option(
        "-O --optimization LEVEL",
        "Compiler optimization level: 0, 1, 2, 3, s or z.",
        None,
        shown="2",
    )
    defines: list[str] | None = option(
        "-D --define NAME=VALUE", "Macro to define; NAME alone gets the value 1.", None
    )
    include: list[Path] | None = option("-I --include FOLDER", "Header search folder.", None)
    harts: int | None = option(
        "--harts N", "Number of harts that run main; the others are parked.", None, shown="1"
    )

    def given(self) -> dict[str, Any]:
        """Return the given options as arguments of :func:`gnomon.program.build`."""
        level = self.optimization
        options = {
            "optimization": None if level is None else f"-O{level.removeprefix('-O')}",
            "defines": dict(_parse_define(text) for text in self.defines) if self.defines else None,
            "include": tuple(self.include) if self.include else None,
            "active_harts": self.harts,
        }
        return {name: value for name, value in options.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Build(Flags):
    """Compiler and compiler options of a build."""

    compiler: str | None = option(
        "--compiler zig|gcc", "Compiler; gcc: a RISC-V GCC on PATH.", None, shown="zig"
    )

    def given(self) -> dict[str, Any]:
        named = {} if self.compiler is None else {"compiler": self.compiler}
        return Flags.given(self) | named


@dataclass(frozen=True, slots=True)
class Target:
    """A program and the machine that runs it."""

    elf: Annotated[
        list[Path], argument("FILE", "RV32 executable, or C and assembly sources to build first.")
    ]
    arch: Machine
    overrides: Overrides = None
    build: Build = Build()

    def machine(self, settings: Sequence[str] = ()) -> Architecture:
        """Load the machine, with further settings."""
        from gnomon.arch import load_architecture

        return load_architecture(self.arch, [*(self.overrides or ()), *settings])

    def load(self, architecture: Architecture, **options: Any) -> Program:
        """Build or load the program; see :func:`load_program`."""
        return load_program(self.elf, architecture, self.build.given(), **options)


def _parse_define(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII):
        raise GnomonError(f"-D takes NAME=VALUE, such as -D N=32, not {text!r}")
    return name, value if equals else "1"


def are_sources(files: Sequence[Path]) -> bool:
    """Return whether the files are sources to build.

    Raises:
        GnomonError: if a file is neither a source nor an executable, or both kinds are mixed.
    """
    from gnomon.program import not_built

    built = [file for file in files if file.suffix not in SOURCES]
    other = next(filter(None, map(not_built, built)), "")
    if other:
        raise GnomonError(other)
    if built and len(files) > 1:
        raise GnomonError(
            f"{built[0]}: not a source ({', '.join(SOURCES)}); a program is one executable or"
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
    """Build sources or load an executable; print the compiler's warnings to stderr.

    Raises:
        GnomonError: if a file cannot be built or loaded, or an executable comes with build options.
    """
    if not are_sources(files):
        if options:
            names = {"defines": "-D", "include": "-I", "active_harts": "--harts",
                     "optimization": "-O", "compiler": "--compiler"}  # fmt: skip
            raise GnomonError(
                f"{files[0]}: is built already, so {names[next(iter(options))]} has no effect;"
                " name its sources instead"
            )
        from gnomon.program import load_elf

        return load_elf(files[0])
    from gnomon.base.units import counted
    from gnomon.program import build

    harts = (options or {}).get("active_harts", 1)
    if not 1 <= harts <= architecture.core.harts:
        raise GnomonError(
            f"--harts is {harts}, but {architecture.name} has"
            f" {counted(architecture.core.harts, 'hart')}"
        )
    program = build(files, architecture, debug=debug, **(options or {}))
    assert program.build is not None
    if not quiet:
        print(clean(program.build.warnings), end="", file=sys.stderr)
    return program
