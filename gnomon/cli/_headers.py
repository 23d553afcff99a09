"""``gnomon headers``: write the headers of programs to a folder that an editor reads."""

from pathlib import Path

from gnomon.base.errors import GnomonError
from gnomon.cli._answer import CommandOutput, with_json_output
from gnomon.cli._options import Machine, Overrides, argument
from gnomon.cli._program import SOURCES, Flags


@with_json_output()
def headers(
    folder: Path = argument("FOLDER", "Output folder; clangd searches a folder named build."),
    sources: list[Path] | None = argument(
        "SOURCE", "C or assembly sources.", None, shown="the sources next to FOLDER"
    ),
    *,
    arch: Machine,
    overrides: Overrides = None,
    flags: Flags,
) -> CommandOutput:
    """Write the headers of a machine and compile_commands.json for an editor.

    Builds do not read these files: each build generates the headers of its machine.
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
