"""Assembly text of the same C for another core, for instruction counts, not for execution."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType

from gnomon.base.errors import GnomonError, allowed_hint
from gnomon.program._linker import RUNTIME
from gnomon.program._toolchain import find_toolchain, run_compiler

_NOTHING: Mapping[str, str | int] = MappingProxyType({})


ASSEMBLY_TARGETS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "rv32im": ("riscv32-freestanding-none", "generic_rv32+m"),
        "thumb cortex-m4": ("thumb-freestanding-eabi", "cortex_m4"),
        "arm cortex-a72": ("arm-freestanding-eabihf", "cortex_a72"),
        "aarch64 cortex-a72": ("aarch64-freestanding-none", "cortex_a72"),
    }
)
"""Instruction set and core of each target, as the compiler spells them."""


@dataclass(frozen=True, slots=True)
class Assembly:
    """Assembly text that zig generates for one C file."""

    text: str

    def instructions_by_function(self) -> dict[str, int]:
        """Return the number of instructions of each function, in the order of the text."""
        counts: dict[str, int] = {}
        function = None
        for line in self.text.splitlines():
            label = re.match(r"([A-Za-z_]\w*):", line)
            if label:
                function = label[1]
                counts[function] = 0
            elif re.match(r"\.L(func_end|_end)", line):
                function = None
            elif function and re.match(r"\s+[a-z]", line):
                counts[function] += 1
        return {name: count for name, count in counts.items() if count}


def compile_assembly(
    source: Path,
    target: str,
    *,
    defines: Mapping[str, str | int] = _NOTHING,
    optimization: str = "-O2",
    include: Sequence[Path] = (),
) -> Assembly:
    """Compile C to the assembly text of a target, with the flags of :func:`build`.

    ``gnomon.h`` is found; machine and vector unit are absent.

    Raises:
        GnomonError: if the target is unknown, or the C does not compile.
    """
    if target not in ASSEMBLY_TARGETS:
        raise GnomonError(
            f"there is no target {target!r} for assembly {allowed_hint(target, ASSEMBLY_TARGETS)}"
        )
    triple, cpu = ASSEMBLY_TARGETS[target]
    toolchain = replace(find_toolchain("zig"), target=("-target", triple, f"-mcpu={cpu}"))
    with tempfile.TemporaryDirectory(prefix="gnomon-") as temporary:
        folder = Path(temporary).resolve()
        (folder / "machine.h").write_text("", "utf-8")
        arguments = [
            *toolchain.flags(optimization),
            *(f"-D{name}={value}" for name, value in defines.items()),
            *(f"-I{each}" for each in (folder, RUNTIME, *include)),
            *("-S", str(source), "-o", "out.s"),
        ]
        result = run_compiler(toolchain, arguments, folder)
        if result.returncode:
            raise GnomonError(f"{source}: does not compile for {target}:\n{result.stderr.strip()}")
        return Assembly((folder / "out.s").read_text("utf-8"))
