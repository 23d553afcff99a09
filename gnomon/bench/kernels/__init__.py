"""Kernels: fixed-point operations in C, each with models, input generators and error bounds."""

from __future__ import annotations

from gnomon.bench.kernels._bound import CycleBound, cycle_bound
from gnomon.bench.kernels._fixed import FixedPoint
from gnomon.bench.kernels._host import HostRun, run_on_host
from gnomon.bench.kernels._kernel import Kernel, Status, Variant
from gnomon.bench.kernels._measure import KernelRun, build_kernel, check_size, measure
from gnomon.bench.kernels._registry import KERNELS, find_kernel
from gnomon.bench.kernels._sources import kernel_include, kernel_source

__all__ = [
    "KERNELS",
    "CycleBound",
    "FixedPoint",
    "HostRun",
    "Kernel",
    "KernelRun",
    "Status",
    "Variant",
    "build_kernel",
    "check_size",
    "cycle_bound",
    "find_kernel",
    "kernel_include",
    "kernel_source",
    "measure",
    "run_on_host",
]
