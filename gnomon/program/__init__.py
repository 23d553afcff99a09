"""Programs: embedded C and ELF files in, a loaded :class:`Program` out.

What builds programs is imported at its first use: a run of an ELF file does not need it.
"""

from pkgutil import resolve_name
from typing import TYPE_CHECKING

from gnomon.program._elf import load_elf
from gnomon.program._languages import not_built
from gnomon.program._program import NO_FUNCTION, BuildInfo, Program, Symbol

if TYPE_CHECKING:
    from gnomon.program._assembly import ASSEMBLY_TARGETS, Assembly, compile_assembly
    from gnomon.program._build import build, build_host, machine_headers
    from gnomon.program._compile import refusal_of
    from gnomon.program._edit import MARKS, AssemblyEdit, Mark, find_marks
    from gnomon.program._inputs import unchanging_files
    from gnomon.program._objects import embedded_from_outside, sources_digest
    from gnomon.program._toolchain import find_toolchain

_MODULES = {
    "ASSEMBLY_TARGETS": "_assembly", "Assembly": "_assembly", "AssemblyEdit": "_edit",
    "MARKS": "_edit", "Mark": "_edit", "build": "_build", "build_host": "_build",
    "compile_assembly": "_assembly", "embedded_from_outside": "_objects", "find_marks": "_edit",
    "find_toolchain": "_toolchain", "machine_headers": "_build", "refusal_of": "_compile",
    "sources_digest": "_objects", "unchanging_files": "_inputs",
}  # fmt: skip
"""Module of each name that builds."""

__all__ = [
    "ASSEMBLY_TARGETS", "MARKS", "NO_FUNCTION", "Assembly", "AssemblyEdit", "BuildInfo", "Mark",
    "Program", "Symbol", "build", "build_host", "compile_assembly", "embedded_from_outside",
    "find_marks", "find_toolchain", "load_elf", "machine_headers", "not_built", "refusal_of",
    "sources_digest", "unchanging_files",
]  # fmt: skip

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        """Return a name that builds, imported now (PEP 562)."""
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return resolve_name(f"{__name__}.{_MODULES[name]}:{name}")


def __dir__() -> list[str]:
    """Return the names of the package, those included that no use has imported yet."""
    return sorted({*globals(), *__all__})
