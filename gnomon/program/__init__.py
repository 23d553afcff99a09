"""Programs: embedded C and ELF files in, a loaded :class:`Program` out."""

from gnomon.program._assembly import Assembly
from gnomon.program._build import build, build_host
from gnomon.program._compile import refusal_of
from gnomon.program._elf import load_elf
from gnomon.program._inputs import unchanging_files
from gnomon.program._languages import not_built
from gnomon.program._objects import embedded_from_outside, sources_digest
from gnomon.program._program import BuildInfo, Program, Symbol
from gnomon.program._toolchain import find_toolchain

__all__ = [
    "Assembly", "BuildInfo", "Program", "Symbol", "build", "build_host", "embedded_from_outside",
    "find_toolchain", "load_elf", "not_built", "refusal_of", "sources_digest", "unchanging_files",
]  # fmt: skip
