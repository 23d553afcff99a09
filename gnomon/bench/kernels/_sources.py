"""Where the C of kernels is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.base.content import content

if TYPE_CHECKING:
    from pathlib import Path


def kernel_source(name: str) -> Path:
    """A C file: of a kernel, such as ``matvec/vector.c``, or shared, such as ``fx_divide.c``."""
    return content("kernels", *(name.split("/") if "/" in name else ("common", name)))


def kernel_include() -> list[Path]:
    """Folders of headers, for ``#include "fx.h"`` and ``#include "matvec/matvec.h"``."""
    return [content("kernels", "common"), content("kernels")]
