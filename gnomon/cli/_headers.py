"""``gnomon headers``: the headers that programs see, where an editor finds them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

from gnomon.base.errors import GnomonError
from gnomon.base.options import Json, Machine, Overrides, argument
from gnomon.cli._sources import SOURCES, Defines, Harts, Include, Optimization, build_options

Folder = Annotated[Path, argument("FOLDER", "Where they go; clangd looks in one called build.")]
Sources = Annotated[list[Path] | None, argument("SOURCE", "C and assembly.", "those beside FOLDER")]


def headers(
    folder: Folder,
    sources: Sources = None,
    *,
    arch: Machine,
    overrides: Overrides = None,
    optimization: Optimization = None,
    defines: Defines = None,
    include: Include = None,
    harts: Harts = None,
    as_json: Json = False,
) -> None:
    """Write the headers of a machine and compile_commands.json, so that editors know them.

    Builds do not read these files: each makes the headers of its own machine.
    """
    from gnomon.arch import load_architecture
    from gnomon.base.files import write_files
    from gnomon.program.editor import editor_files

    beside = folder.resolve().parent
    chosen = sources or sorted(path for path in beside.glob("*") if path.suffix in SOURCES)
    if not chosen:
        raise GnomonError(f"no sources in {beside}; name them: gnomon headers {folder} SOURCE ...")
    texts = editor_files(
        folder,
        chosen,
        load_architecture(arch, overrides or ()),
        **build_options(optimization, defines, include, harts, None),
    )
    written = [str(path) for path in write_files(folder, texts)]
    if as_json:
        print(json.dumps({"files": written}))
        return
    for name in written:
        print(name)
