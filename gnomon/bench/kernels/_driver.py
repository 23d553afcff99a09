"""The C that calls a kernel, from what its ``kernel.yaml`` says about its parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gnomon.bench.kernels._kernel import Kernel, Variant


def prototype(kernel: Kernel, variant: Variant) -> str:
    """The declaration of its function: operands, result, workspace if any, numbers."""
    extents = kernel.square(1)
    types = ["const fx_t *"] * len(kernel.operand_names) + ["fx_t *"]
    types += ["fx_t *"] * bool(kernel.work_words(extents))
    types += ["uint32_t"] * len(kernel.arguments(extents))
    kind = "void" if variant.status is None else "enum fx_status"
    return f"{kind} {variant.function}({', '.join(types)});"


def driver(kernel: Kernel, variant: Variant) -> str:
    """A program of one call, in the frame of ``measure.h``."""
    pointers = prototype(kernel, variant).count("*")
    arguments = [f"MEASURE_OPERAND({i})" for i in range(pointers)]
    arguments += [f"MEASURE_ARGUMENT({i})" for i in range(len(kernel.arguments(kernel.square(1))))]
    frame = "MEASURE" if variant.status is None else "MEASURE_STATUS"
    header = f"{kernel.folder.name}/{kernel.folder.name}.h"
    lines = ['#include "measure.h"', prototype(kernel, variant)]
    if (kernel.folder.parent / header).is_file():
        lines.insert(0, f'#include "{header}"')  # what it declares must be the same
    if variant.helper is not None:
        lines.append(f"void {variant.helper}(uint32_t hart);")
    return "\n".join([*lines, f"{frame}({variant.function}({', '.join(arguments)}))", ""])
