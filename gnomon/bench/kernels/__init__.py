"""Kernels: fixed-point operations in C, each with models, input generators and error bounds.

Models take the pieces of arithmetic that they share from :mod:`gnomon.bench.kernels.fixed`.
"""

from __future__ import annotations

from gnomon.bench.kernels._description import (
    KernelFile,
    find_kernel,
    kernel_include,
    kernel_source,
    kernels,
)
from gnomon.bench.kernels._kernel import Kernel, Variant
from gnomon.bench.kernels._measure import (
    KernelRun,
    build_kernel,
    check_size,
    measure,
    record_kernel,
    retimed_kernel,
)
from gnomon.bench.kernels.contract import kernel_checks
from gnomon.bench.kernels.fixed import FixedPoint

__all__ = [
    "FixedPoint",
    "Kernel",
    "KernelFile",
    "KernelRun",
    "Variant",
    "build_kernel",
    "check_size",
    "find_kernel",
    "kernel_checks",
    "kernel_include",
    "kernel_source",
    "kernels",
    "measure",
    "record_kernel",
    "retimed_kernel",
]
