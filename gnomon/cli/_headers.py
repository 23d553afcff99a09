"""``gnomon headers``: the headers that programs see, where an editor finds them."""

from pathlib import Path

from gnomon.base.errors import GnomonError
from gnomon.cli._answer import Answer, answers
from gnomon.cli._options import Machine, Overrides, argument
from gnomon.cli._program import SOURCES, Flags


@answers()
def headers(
    folder: Path = argument("FOLDER", "Where they go; clangd looks in one called build."),
    sources: list[Path] | None = argument(
        "SOURCE", "C and assembly.", None, shown="those beside FOLDER"
    ),
    *,
    arch: Machine,
    overrides: Overrides = None,
    flags: Flags,
) -> Answer:
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
    machine = load_architecture(arch, overrides or ())
    texts = editor_files(folder, chosen, machine, **flags.given())
    written = [str(path) for path in write_files(folder, texts)]
    yield {"files": written}, written
