"""``gnomon build``: compile C and assembly to an executable for a machine."""

from pathlib import Path
from typing import Annotated

from gnomon.cli._answer import CommandOutput, with_json_output
from gnomon.cli._options import Machine, Overrides, argument, option, output_file
from gnomon.cli._program import SOURCES, Build, load_program


@with_json_output()
def build(
    sources: Annotated[
        list[Path],
        argument("SOURCE", "C or assembly sources (.c, .S, .s); the first one names the output."),
    ],
    arch: Machine,
    *,
    overrides: Overrides = None,
    output: Path | None = output_file(
        "-o --output FILE", "Executable to write.", None, shown="FIRST.elf"
    ),
    build: Build,
    debug: bool = option("--debug", "Add line numbers; the instructions stay the same.", False),
) -> CommandOutput:
    """Build sources for a machine; equal inputs give equal bytes."""
    from gnomon.arch import load_architecture
    from gnomon.base.errors import GnomonError
    from gnomon.base.files import write_file
    from gnomon.program import not_built

    others = [str(each) for each in sources if each.suffix not in SOURCES]
    if others:
        unknown = f"{others[0]}: not a source (allowed: {', '.join(SOURCES)})"
        raise GnomonError(not_built(others[0]) or unknown)
    machine = load_architecture(arch, overrides or ())
    program = load_program(sources, machine, build.given(), debug=debug)
    info = program.build
    assert info is not None
    path = write_file(output or Path(f"{program.name}.elf"), program.elf)
    text_bytes = sum(each.size_bytes for each in program.segments if each.executable)
    data_bytes = sum(each.size_bytes for each in program.segments if not each.executable)
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
    yield answer, [f"{path}: {text_bytes:,} bytes of text, {data_bytes:,} bytes of data"]
