"""Machines: YAML files in, checked and frozen descriptions out."""

from gnomon.arch._loader import (
    Described,
    describe_architecture,
    list_architectures,
    load_architecture,
    machine_beside,
    variants,
)
from gnomon.arch._quirks import VcuQuirks
from gnomon.arch._schema import Architecture
from gnomon.arch._vcu import Vcu

__all__ = [
    "Architecture", "Described", "Vcu", "VcuQuirks", "describe_architecture",
    "list_architectures", "load_architecture", "machine_beside", "variants",
]  # fmt: skip
