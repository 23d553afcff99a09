"""Machines: YAML files in, checked and frozen descriptions out."""

from __future__ import annotations

from gnomon.arch._core import DIVIDER_CYCLES, Core
from gnomon.arch._divider import DividerTable
from gnomon.arch._latency import Latency
from gnomon.arch._loader import (
    Described,
    describe_architecture,
    list_architectures,
    load_architecture,
    machine_beside,
)
from gnomon.arch._memory import Memory, Region
from gnomon.arch._quirks import CoreQuirks, MorphQuirks, VcuQuirks
from gnomon.arch._schema import Architecture
from gnomon.arch._vcu import Scratchpads, Vcu
from gnomon.arch.keys import dump_architecture, key_paths, optional_sections

__all__ = [
    "DIVIDER_CYCLES",
    "Architecture",
    "Core",
    "CoreQuirks",
    "Described",
    "DividerTable",
    "Latency",
    "Memory",
    "MorphQuirks",
    "Region",
    "Scratchpads",
    "Vcu",
    "VcuQuirks",
    "describe_architecture",
    "dump_architecture",
    "key_paths",
    "list_architectures",
    "load_architecture",
    "machine_beside",
    "optional_sections",
]
