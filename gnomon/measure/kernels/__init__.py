"""Kernels: fixed-point operations in C, each with models, input generators and error bounds.

Models use the shared arithmetic of :mod:`gnomon.measure.kernels.fixed`.
"""

from gnomon.measure.kernels._bench import KernelBench
from gnomon.measure.kernels._description import (
    KernelFile,
    include_folders,
    kernel_files,
    kernel_source,
)
from gnomon.measure.kernels._kernel import Kernel, cycle_bound
from gnomon.measure.kernels._loader import find_kernel
from gnomon.measure.kernels._run import KernelRun
from gnomon.measure.kernels.contract import check_kernel
from gnomon.measure.kernels.fixed import FixedPoint

__all__ = [
    "FixedPoint", "Kernel", "KernelBench", "KernelFile", "KernelRun", "check_kernel",
    "cycle_bound", "find_kernel", "include_folders", "kernel_files", "kernel_source",
]  # fmt: skip
