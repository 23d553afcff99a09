"""Programs: embedded C and ELF files in, a loaded :class:`Program` out."""

from __future__ import annotations

from gnomon.program._assembly import ASSEMBLY_TARGETS, compile_to_assembly, instructions_by_function
from gnomon.program._build import build, build_host
from gnomon.program._compile import refusal_of
from gnomon.program._elf import load_elf
from gnomon.program._program import BuildInfo, Program, Segment, Symbol
from gnomon.program._toolchain import find_host_toolchain, find_toolchain

__all__ = [
    "ASSEMBLY_TARGETS", "BuildInfo", "Program", "Segment", "Symbol", "build", "build_host",
    "compile_to_assembly", "find_host_toolchain", "find_toolchain", "instructions_by_function",
    "load_elf", "refusal_of",
]  # fmt: skip
