"""``gnomon build``: C and assembly in, an executable for a machine out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

from gnomon.base.options import Json, Machine, Overrides, option
from gnomon.cli._sources import (
    CompilerName,
    Defines,
    Harts,
    Include,
    Optimization,
    SourceFiles,
    build_options,
)

Output = Annotated[Path | None, option("-o --output FILE", "The executable.", "FIRST.elf")]
Lines = Annotated[bool, option("--debug", "Keep line numbers; the instructions stay the same.")]


def build(
    sources: SourceFiles,
    arch: Machine,
    *,
    overrides: Overrides = None,
    output: Output = None,
    optimization: Optimization = None,
    defines: Defines = None,
    include: Include = None,
    harts: Harts = None,
    compiler: CompilerName = None,
    debug: Lines = False,
    as_json: Json = False,
) -> None:
    """Build sources for a machine; the same input gives the same bytes."""
    from gnomon.arch import load_architecture
    from gnomon.base.errors import GnomonError
    from gnomon.base.files import write_file
    from gnomon.cli._sources import SOURCES, load_program

    others = [str(each) for each in sources if each.suffix not in SOURCES]
    if others:
        raise GnomonError(f"{others[0]}: not a source (allowed: {', '.join(SOURCES)})")
    options = build_options(optimization, defines, include, harts, compiler)
    program = load_program(sources, load_architecture(arch, overrides or ()), options, debug=debug)
    assert program.build is not None
    path = write_file(output or Path(f"{program.name}.elf"), program.elf)
    text_bytes = sum(each.size_bytes for each in program.segments if each.executable)
    data_bytes = sum(each.size_bytes for each in program.segments if not each.executable)
    if as_json:
        info = program.build
        answer = {
            "elf": str(path),
            "arch": info.architecture,
            "text_bytes": text_bytes,
            "data_bytes": data_bytes,
            "active_harts": info.active_harts,
            "compiler": f"{info.compiler} {info.version}",
            "flags": list(info.flags),
            "warnings": info.warnings,
        }
        print(json.dumps(answer))
        return
    print(f"{path}: {text_bytes:,} bytes of text, {data_bytes:,} bytes of data")
