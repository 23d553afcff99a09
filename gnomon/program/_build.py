"""Builds of C and assembly: programs for a machine or libraries for the host, each built once."""

from __future__ import annotations  # the reference shows them as they are written

import re
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from gnomon import isa
from gnomon.arch import Architecture
from gnomon.arch.units import UNITS_HEADER, units_header
from gnomon.base.cache import Store
from gnomon.base.cache_entry import Entry
from gnomon.base.errors import GnomonError, allowed_hint
from gnomon.base.units import counted
from gnomon.program._compile import Compiler
from gnomon.program._edit import AssemblyEdit
from gnomon.program._elf import load_elf
from gnomon.program._inputs import (
    MACHINE_HEADER,
    OPTIMIZATIONS,
    Inputs,
    build_key,
    check_inputs,
    hashed_files,
    only_read,
    texts,
    without_host_part,
)
from gnomon.program._library import HEADERS
from gnomon.program._linker import (
    RUNTIME,
    TEXT_ASSERTION,
    MemoryLayout,
    check_placement,
    check_sizes,
    layout,
    linker_script,
    machine_header,
)
from gnomon.program._objects import reached_files
from gnomon.program._program import BuildInfo, Program
from gnomon.program._toolchain import find_toolchain

_NOTHING: Mapping[str, str | int] = MappingProxyType({})
_NOTHING_ELSE: Mapping[str, str] = MappingProxyType({})
_RUNTIME_SOURCES = ("start.S", "memory.c")


def build(
    sources: Sequence[Path | str],
    architecture: Architecture,
    *,
    defines: Mapping[str, str | int] = _NOTHING,
    include: Sequence[Path | str] = (),
    optimization: str = "-O2",
    compiler: str = "zig",
    active_harts: int = 1,
    stack_size_bytes: int | None = None,
    debug: bool = False,
    optimization_of: Mapping[str, str] = _NOTHING_ELSE,
    edit: AssemblyEdit | None = None,
) -> Program:
    """Compile and link C (``.c``) and assembly (``.S``, ``.s``) for a machine.

    The program starts at the machine's reset address, calls ``int main(int hart)``, or
    ``int main(void)``, on harts ``0 .. active_harts - 1`` and parks the others. Headers
    ``gnomon.h``, ``machine.h`` and ``vcu.h`` are always found. The same input gives the same bytes,
    wherever the files are. Results are cached. ``machine.h`` has only the macros that some source
    names.

    Args:
        sources: files to compile; the first one gives the program its name.
        architecture: the machine.
        defines: macros for the compiler.
        include: folders for headers; every file in them is part of the cache key.
        optimization: one of ``-O0 -O1 -O2 -O3 -Os -Oz``.
        compiler: ``zig``, or ``gcc`` for a RISC-V GCC on PATH.
        active_harts: number of harts that run ``main``.
        stack_size_bytes: stack of each active hart; 16 KiB or less by default, see ``layout``.
        debug: keep line numbers; the instructions stay the same.
        optimization_of: other levels for single files by name, including ``memory.c`` of the
            run-time library, as if they had been compiled separately.
        edit: change of the assembly text of each of these C sources before it is assembled; the
            run-time library stays as it is.

    Raises:
        GnomonError: if input is invalid, the compiler is missing, source does not compile, or the
            program does not fit the machine.
    """
    if not 1 <= active_harts <= architecture.core.harts:
        raise GnomonError(
            f"active_harts is {active_harts}, but {architecture.name} has"
            f" {counted(architecture.core.harts, 'hart')}"
        )
    place = layout(architecture, active_harts, stack_size_bytes)
    generated = machine_headers(architecture, place)
    inputs = check_inputs(sources, include, defines, optimization, _list_macros(generated))
    _check_levels(optimization_of, inputs)
    toolchain = find_toolchain(compiler, architecture.core.isa)
    flags = toolchain.flags(inputs.optimization, "-g" if debug else "-g0")
    files = hashed_files(inputs)
    generated = _drop_unread_macros(generated, inputs, files, without_host_part(generated["vcu.h"]))
    parts = {
        "compiler": toolchain.title,
        "flags": flags,
        **({"levels": sorted(optimization_of.items())} if optimization_of else {}),
        **({"edit": edit.key} if edit is not None else {}),
        "link": [toolchain.link, toolchain.libraries],
        "scripts": [linker_script(place, above=above, debug=debug) for above in (False, True)],
        "generated": generated,
    }
    key, entry = _build_cached(
        Store("program", ".elf"),
        parts,
        Compiler(toolchain, inputs, flags, files, (HEADERS,), optimization_of, generated, edit),
        lambda work: _build_program(work, architecture, place, debug=debug),
    )
    info = BuildInfo(
        compiler=toolchain.name,
        version=toolchain.version,
        flags=(*flags, *(f"-D{define}" for define in inputs.defines)),
        sources=tuple(source.name for source in inputs.sources),
        architecture=architecture.name,
        active_harts=active_harts,
        key=key,
        warnings=entry.note["warnings"],
        paths=inputs.sources,
    )
    return replace(load_elf(entry.data, inputs.name), build=info)


def build_host(
    sources: Sequence[Path | str],
    *,
    architecture: Architecture | None = None,
    defines: Mapping[str, str | int] = _NOTHING,
    include: Sequence[Path | str] = (),
    optimization: str = "-O2",
) -> Path:
    """Compile the same C for the host and return a shared library, to load with ``ctypes``.

    ``vcu.h`` then is bit-exact C. With an architecture, ``machine.h`` describes it; without one,
    there is no such header, and ``defines`` give the values that ``vcu.h`` needs. The library is
    in the cache folder: do not change it.

    Raises:
        GnomonError: if input is invalid, the compiler is missing, or source does not compile.
    """
    generated = (
        {"vcu.h": isa.vcu_header()} if architecture is None else machine_headers(architecture)
    )
    inputs = check_inputs(sources, include, defines, optimization, _list_macros(generated))
    toolchain = find_toolchain(None)
    flags = toolchain.flags(inputs.optimization)
    files = hashed_files(inputs)
    generated = _drop_unread_macros(generated, inputs, files, generated["vcu.h"])
    parts = {
        "compiler": toolchain.title,
        "flags": flags,
        "link": [toolchain.link, toolchain.no_library],
        "generated": generated,
    }

    def made(work: Compiler) -> tuple[bytes, str]:
        work.write()
        compiled = [work.compile(source, inputs.defines) for source in inputs.sources]
        complaint = work.link([*toolchain.link, *(name for name, _ in compiled)], "host.so")
        if complaint:
            raise work.link_error(complaint)
        return (work.folder / "host.so").read_bytes(), "".join(text for _, text in compiled)

    compiler = Compiler(toolchain, inputs, flags, files, generated=generated)
    return _build_cached(Store("host", ".so"), parts, compiler, made)[1].path


def _build_cached(
    store: Store,
    parts: Mapping[str, object],
    compiler: Compiler,
    make: Callable[[Compiler], tuple[bytes, str]],
) -> tuple[str, Entry]:
    """Return the key of a build and its result: cached, or built in a temporary folder."""
    inputs, files = compiler.inputs, compiler.files
    key = build_key(parts, inputs, reached_files(inputs, files, compiler.generated))
    entry = store.load(key)
    if entry is None:
        with tempfile.TemporaryDirectory(prefix="gnomon-") as temporary:
            work = replace(compiler, folder=Path(temporary).resolve())
            data, warnings = make(work)
            changed = work.changed()
        if changed is not None:
            raise GnomonError(f"{changed}: changed while it was being compiled; build again")
        work.keep()
        entry = store.keep(key, data, {"warnings": warnings})
    return key, entry


def machine_headers(
    architecture: Architecture, place: MemoryLayout | None = None
) -> dict[str, str]:
    """Return the generated headers of a machine, by name; without a layout, those of the host."""
    vcu = isa.vcu_header("" if architecture.vcu is not None else architecture.name)
    return {
        MACHINE_HEADER: machine_header(architecture, place),
        "vcu.h": vcu,
        UNITS_HEADER: units_header(architecture.units),
    }


def _drop_unread_macros(
    generated: dict[str, str], inputs: Inputs, files: Mapping[Path, str], vcu: str
) -> dict[str, str]:
    """Return the headers; ``machine.h`` without the macros that no file can read.

    ``units.h`` is left out if no file names it.
    """
    if MACHINE_HEADER not in generated:
        return generated
    if not any(UNITS_HEADER in text for text in texts(inputs, files)):
        generated = {name: text for name, text in generated.items() if name != UNITS_HEADER}
    named = [*texts(inputs, files), *inputs.defines, vcu]
    return generated | {MACHINE_HEADER: only_read(generated[MACHINE_HEADER], named)}


def _list_macros(generated: Mapping[str, str]) -> list[str]:
    return re.findall(r"(?m)^#define (\w+)", generated.get(MACHINE_HEADER, ""))


def _check_levels(levels: Mapping[str, str], inputs: Inputs) -> None:
    known = [*_RUNTIME_SOURCES, *(source.name for source in inputs.sources)]
    for name, level in levels.items():
        if name not in known:
            raise GnomonError(
                f"optimization_of names {name!r}, which is not compiled {allowed_hint(name, known)}"
            )
        if level not in OPTIMIZATIONS:
            raise GnomonError(
                f"optimization_of gives {name} the level {level!r} (allowed:"
                f" {', '.join(OPTIMIZATIONS)})"
            )


def _build_program(
    work: Compiler, architecture: Architecture, place: MemoryLayout, *, debug: bool
) -> tuple[bytes, str]:
    work.write()
    own = work.inputs.read_by_start_up()
    compiled = [work.compile(RUNTIME / name, own) for name in _RUNTIME_SOURCES]
    compiled += [work.compile(source, work.inputs.defines) for source in work.inputs.sources]
    objects = [name for name, _ in compiled]
    complaint = work.link_program(
        linker_script(place, above=False, debug=debug), objects, architecture
    )
    if complaint and TEXT_ASSERTION in complaint and place.swi:
        complaint = work.link_program(
            linker_script(place, above=True, debug=debug), objects, architecture
        )
    if complaint:
        if "gnomon: " in complaint:  # a size check failed: raise an error with the sizes
            unchecked = linker_script(place, above=bool(place.swi), debug=False, checked=False)
            if work.link_program(unchecked, objects, architecture) is None:
                check_sizes(work.program(), architecture, place)
        raise work.link_error(complaint)
    program = work.program()
    check_placement(program, architecture, place)
    return program.elf, "".join(warnings for _, warnings in compiled)
