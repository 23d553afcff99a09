"""Builds ``vcu.h`` for this computer and calls its functions through ctypes."""

from __future__ import annotations

import ctypes
import subprocess
import sys
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from gnomon.isa import list_instructions, vcu_header
from gnomon.isa._instruction import OPTIONAL_EXTENSIONS

SPM_BASE = 0x1000_0000
SPM_BYTES = 4096
SPM_COUNT = 4
WARNINGS = ("-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror")
SIZES = (
    f"-DVCU_SPM_COUNT={SPM_COUNT}",
    f"-DVCU_SPM_BYTES={SPM_BYTES}",
    f"-DVCU_SPM_BASE={SPM_BASE:#x}",
)
HAS_ALL = ("-DVCU_HAS_DIVIDE=1", "-DVCU_HAS_POSTSCALE=1", "-DVCU_HAS_DIVIDE_PRESHIFT=1")
# A second translation unit: it does not see the header, and replaces the fault hook.
HOOK = """
#include <stdint.h>
uint32_t test_fault;
void vcu_host_fault(uint32_t code);
void vcu_host_fault(uint32_t code) { test_fault = code; }
"""
# A third one: it must share the registers and scratchpads of the first.
SETTERS = """
#include "vcu.h"
void test_set(uint32_t mvsize, uint32_t mvtype, uint32_t mpsclfac);
void test_set(uint32_t mvsize, uint32_t mvtype, uint32_t mpsclfac)
{
    vcu_set_mvsize(mvsize);
    vcu_set_mvtype((enum vcu_type)mvtype);
    vcu_set_mpsclfac(mpsclfac);
}
"""


def compile_c(
    folder: Path, sources: dict[str, str], *flags: str
) -> subprocess.CompletedProcess[str]:
    """Write the sources and the header, and compile them in that folder."""
    (folder / "vcu.h").write_text(vcu_header(), encoding="utf-8")
    for name, text in sources.items():
        (folder / name).write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "ziglang", "cc", *WARNINGS, *flags, *sources]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def spm(index: int, offset: int = 0) -> int:
    return SPM_BASE + index * SPM_BYTES + offset


def _wrappers() -> str:
    """Give every instruction a function of three numbers; unused ones are dropped."""
    text = ['#include "vcu.h"\n']
    for row in list_instructions(("kmem", "kdsp", *OPTIONAL_EXTENSIONS)):
        arguments = ["rd", *(field for field in row.reads if field != "rd")]
        for field, role in (("rd", row.rd), ("rs1", row.rs1)):
            if role == "memory_address":
                arguments[arguments.index(field)] = f"(void *){field}"
        unused = "" if row.rs2 else "(void)rs2; "
        signature = f"void test_{row.mnemonic}(uintptr_t rd, uintptr_t rs1, uintptr_t rs2)"
        # The cast to uint32_t is what a program with 32-bit addresses would have passed.
        shown = [a if a.startswith("(void") else f"(uint32_t){a}" for a in arguments]
        text.append(
            f"{signature};\n{signature} {{ {unused}{row.mnemonic}({', '.join(shown)}); }}\n"
        )
    return "".join(text)


@cache
def vcu_of(simd: int, *settings: str) -> Vcu:
    """Return the library of some settings; those who share it set what they depend on."""
    with TemporaryDirectory() as folder:
        return Vcu(Path(folder), simd, *settings)


class Vcu:
    """The emulation as one shared library, for one SIMD."""

    def __init__(self, folder: Path, simd: int, *settings: str) -> None:
        sources = {"wrappers.c": _wrappers(), "hook.c": HOOK, "setters.c": SETTERS}
        flags = (*SIZES, *HAS_ALL, *settings, f"-DVCU_SIMD={simd}")
        flags = (*flags, "-O2", "-shared", "-fPIC", "-o", "vcu.so")
        built = compile_c(folder, sources, *flags)
        assert built.returncode == 0, built.stderr
        self._library = ctypes.CDLL(str(folder / "vcu.so"))
        words = ctypes.c_uint32 * (SPM_BYTES // 4) * SPM_COUNT
        self.words = words.in_dll(self._library, "vcu_host_spm")
        self._fault = ctypes.c_uint32.in_dll(self._library, "test_fault")

    def set(self, mvsize_bytes: int, bits: int = 32, mpsclfac: int = 0) -> None:
        self._library.test_set(mvsize_bytes, {8: 0, 16: 1, 32: 2}.get(bits, 3), mpsclfac)

    def run(self, mnemonic: str, rd: int, rs1: int, rs2: int = 0) -> int:
        """Execute one instruction and return its fault code, 0 if it ran."""
        self._fault.value = 0
        function = getattr(self._library, f"test_{mnemonic}")
        function(ctypes.c_size_t(rd), ctypes.c_size_t(rs1), ctypes.c_size_t(rs2))
        return self._fault.value
