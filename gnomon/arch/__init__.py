"""Machines: YAML files in, checked and frozen descriptions out."""

from __future__ import annotations

from gnomon.arch._chain import list_architectures
from gnomon.arch._core import Core
from gnomon.arch._divider import DividerTable
from gnomon.arch._dump import dump_architecture
from gnomon.arch._keys import key_paths
from gnomon.arch._latency import Latency
from gnomon.arch._loader import Described, describe_architecture, load_architecture
from gnomon.arch._memory import Memory, Region
from gnomon.arch._problems import ArchitectureError, Origin, Problem
from gnomon.arch._quirks import CoreQuirks, MorphQuirks, VcuQuirks
from gnomon.arch._schema import Architecture
from gnomon.arch._vcu import Scratchpads, Vcu

__all__ = [
    "Architecture",
    "ArchitectureError",
    "Core",
    "CoreQuirks",
    "Described",
    "DividerTable",
    "Latency",
    "Memory",
    "MorphQuirks",
    "Origin",
    "Problem",
    "Region",
    "Scratchpads",
    "Vcu",
    "VcuQuirks",
    "describe_architecture",
    "dump_architecture",
    "key_paths",
    "list_architectures",
    "load_architecture",
]
