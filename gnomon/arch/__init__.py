"""Machines: YAML files in, checked and frozen descriptions out."""

from gnomon.arch._devices import MOST_DEVICES, SHIPPED_KINDS
from gnomon.arch._loader import Described, list_architectures, load_architecture, variants
from gnomon.arch._power import is_gate_level, power_kind, power_table, power_table_names
from gnomon.arch._rtl_parameters import rtl_parameters
from gnomon.arch._schema import Architecture

__all__ = [
    "MOST_DEVICES", "SHIPPED_KINDS", "Architecture", "Described", "is_gate_level",
    "list_architectures", "load_architecture",
    "power_kind", "power_table", "power_table_names", "rtl_parameters", "variants",
]  # fmt: skip
