"""Files that let an editor complete and check programs: headers and compile commands."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from gnomon.arch import Architecture
from gnomon.arch.units import UNITS_HEADER
from gnomon.program._build import machine_headers
from gnomon.program._inputs import check_inputs
from gnomon.program._library import HEADERS
from gnomon.program._linker import RUNTIME, layout
from gnomon.program._toolchain import find_toolchain

_NOTHING: Mapping[str, str | int] = MappingProxyType({})
# In clang's own spelling of zig's target, for clangd and other tools that are based on clang.
_CLANG = ("clang", "--target=riscv32-unknown-elf", "-march=rv32im_zicsr_zifencei", "-mabi=ilp32")


def editor_files(
    folder: Path,
    sources: Sequence[Path | str],
    architecture: Architecture,
    *,
    defines: Mapping[str, str | int] = _NOTHING,
    include: Sequence[Path | str] = (),
    optimization: str = "-O2",
    active_harts: int = 1,
) -> dict[str, str]:
    """Return the headers that :func:`build` gives to sources, and ``compile_commands.json``.

    Args:
        folder: destination of the files; the commands look for headers there.
        sources: of the commands.
        architecture: the machine; its scratchpads and extensions are in the headers.
        defines: macros for the compiler.
        include: folders for headers.
        optimization: level of the compiler.
        active_harts: number of harts that run ``main``.

    Raises:
        GnomonError: if input is invalid, as for :func:`build`.
    """
    generated = machine_headers(architecture, layout(architecture, active_harts, None))
    if not architecture.units:
        del generated[UNITS_HEADER]
    inputs = check_inputs(sources, include, defines, optimization, ())
    folder = folder.resolve()
    flags = [
        *_CLANG,
        *(inputs.optimization, *find_toolchain("zig").language),
        *(f"-D{define}" for define in inputs.defines),
        *(word for path in (folder, *inputs.include) for word in ("-I", str(path))),
        *("-isystem", str(folder / "libc")),
    ]
    commands = [
        {
            "directory": str(source.parent),
            "file": str(source),
            "arguments": [*flags, "-c", str(source)],
        }
        for source in inputs.sources
    ]
    own = {path.name: path for path in sorted(RUNTIME.glob("*.h"))}
    own |= {
        f"libc/{path.relative_to(HEADERS).as_posix()}": path
        for path in sorted(HEADERS.rglob("*.h"))
    }
    return {
        **generated,
        **{name: path.read_text("utf-8") for name, path in own.items()},
        "compile_commands.json": json.dumps(commands, indent=1) + "\n",
    }
