"""The C that calls a kernel, from what its ``kernel.yaml`` says about its parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gnomon.bench.kernels._kernel import Kernel, Variant


def driver(kernel: Kernel, variant: Variant) -> str:
    """A program of one call, in the frame of ``measure.h``."""
    pointers = kernel.prototype(variant).count("*")
    arguments = [f"MEASURE_OPERAND({i})" for i in range(pointers)]
    arguments += [f"MEASURE_ARGUMENT({i})" for i in range(len(kernel.arguments(kernel.square(1))))]
    frame = "MEASURE" if variant.status is None else "MEASURE_STATUS"
    header = f"{kernel.folder.name}/{kernel.folder.name}.h"
    lines = ['#include "measure.h"', kernel.prototype(variant)]
    if (kernel.folder.parent / header).is_file():
        lines.insert(0, f'#include "{header}"')  # what it declares must be the same
    if variant.helper is not None:
        lines.append(f"void {variant.helper}(uint32_t hart);")
    return "\n".join([*lines, f"{frame}({variant.function}({', '.join(arguments)}))", ""])
