"""Kernels: fixed-point operations in C, each with models, input generators and error bounds.

Models take the pieces of arithmetic that they share from :mod:`gnomon.bench.kernels.fixed`.
"""

from gnomon.bench.kernels._bench import KernelBench
from gnomon.bench.kernels._description import (
    KernelFile,
    include_folders,
    kernel_files,
    kernel_source,
)
from gnomon.bench.kernels._kernel import Kernel
from gnomon.bench.kernels._loader import find_kernel
from gnomon.bench.kernels._run import KernelRun
from gnomon.bench.kernels.contract import check_kernel
from gnomon.bench.kernels.fixed import FixedPoint
from gnomon.bench.kernels.work import cycle_bound

__all__ = [
    "FixedPoint", "Kernel", "KernelBench", "KernelFile", "KernelRun", "check_kernel",
    "cycle_bound", "find_kernel", "include_folders", "kernel_files", "kernel_source",
]  # fmt: skip
