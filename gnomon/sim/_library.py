"""The C engine as Python calls it: ``engine/*.c``, compiled into one library.

Its headers are generated here from the numbers, tables and structs that Python and C share.
"""

import ctypes
import re
import sys
from collections.abc import Mapping
from functools import cache, partial
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from gnomon import isa
from gnomon.arch import Architecture, dividers, operands
from gnomon.arch.operands import PROPERTIES
from gnomon.base import structs
from gnomon.base.keys import section_at
from gnomon.base.native import Native, load_native
from gnomon.base.structs import constants
from gnomon.isa import CSR_ADDRESS, INSTRUCTIONS, STANDARD_CSRS, operations_header
from gnomon.sim import _codes, _ops, _structs, _texts
from gnomon.sim._structs import FOLDER, QUIRKS, STRUCTS

_CSRS: Final = CSR_ADDRESS | {
    name: STANDARD_CSRS[name]
    for name in (
        "misa", "mie", "mstatush", "mscratch", "cycle", "instret", "cycleh", "instreth",
        "mvendorid", "marchid", "mconfigptr", "mcountinhibit",
    )
}  # fmt: skip
"""Control and status registers: of the T13, and the last ones only of ISA-clean cores
(RISC-V privileged specification, machine mode), whose mtval is mbadaddr."""


def _generate_headers(further: bool) -> Mapping[str, str]:
    numbers = _collect_numbers(_codes)
    for prefix, names, first in (
        ("CLASS_", _codes.CLASSES, 0), ("", _codes.SHARING, 0), ("PROPERTY_", PROPERTIES, 0),
        ("RARE_", _codes.RARE, 1), ("FAULT_", _texts.FAULTS, 1), ("BUS_", _codes.BUSES, 0),
    ):  # fmt: skip
        numbers |= {_to_c_name(prefix + name): k for k, name in enumerate(names, first)}
    numbers |= {f"WARN_{name}": 1 << bit for bit, name in enumerate(_texts.WARNINGS)}
    numbers |= {f"T13_EXTRA_{name.upper()}": n for name, n in _ops.T13_EXTRA_CYCLES.items()}
    own = {
        name: value for name, value in _collect_numbers(_ops).items() if value >= len(INSTRUCTIONS)
    }
    numbers |= {f"OP_{name.removeprefix('OP_')}": value for name, value in own.items()}
    numbers |= {f"CSR_{name.upper()}": address for name, address in _CSRS.items()}
    numbers |= {
        "START_UP_CYCLES": dividers.Divider.START_UP_CYCLES,
        "STEP_OVERHEAD_CYCLES": dividers.Divider.STEP_OVERHEAD_CYCLES,
        "TRIVIAL_STEP_CYCLES": dividers.Divider.TRIVIAL_STEP_CYCLES,
        "INSTRUCTION_COUNT": _ops.NOP,  # with the vector instructions of units
        "USE_ROW": _ops.USE_ROW,
        "BUSES": len(_codes.BUSES),
        "CLASSES": len(_codes.CLASSES),
        "FURTHER_LOOPS": int(further),
    }
    numbers |= {each.upper(): 1 << bit for bit, each in enumerate(_codes.VECTOR_PARTS)}
    numbers |= {f"REFUSED_{name}": k for k, name in enumerate(_texts.REFUSALS, 1)}
    tables = {"CLASS_OF": _ops.CLASS_OF, "INTERRUPTIBLE": _ops.INTERRUPTIBLE.astype(int),
              "READS": _ops.READS}  # fmt: skip
    by_operation = [
        f"static const uint8_t {name}[] = {{{', '.join(map(str, values.tolist()))}}};"
        for name, values in tables.items()
    ]
    properties = "".join(
        f" \\\n    X({_to_c_name(name)}, {each.in_c})" for name, each in PROPERTIES.items()
    )
    parts = [
        "/* Made by gnomon/sim/_library.py. */", "#ifndef STATE_H", "#define STATE_H",
        '#include "native.h"', constants(numbers), f"#define PROPERTIES(X){properties}",
        *(each.declaration() for each in QUIRKS),
        '#include "hot.h"', '#include "structs.h"', '#include "path_structs.h"',
        *(each.size_check() for each in STRUCTS.values() if each not in QUIRKS),
        *by_operation, "#endif",
    ]  # fmt: skip
    return {"state.h": "\n".join(parts) + "\n", "ops.h": operations_header()}


def _to_c_name(name: str) -> str:
    return name.upper().replace("-", "_")


def _collect_numbers(module: ModuleType) -> dict[str, int]:
    return {
        name: value
        for name, value in vars(module).items()
        if name.isupper() and isinstance(value, int)
    }


def _list_sources(*modules: ModuleType) -> tuple[Path, ...]:
    """Return the files of modules; of a package, all its files."""
    files = [Path(str(module.__file__)) for module in modules]
    return tuple(
        path
        for file in files
        for path in (sorted(file.parent.glob("*.*")) if file.name == "__init__.py" else [file])
    )


def _describe_library(name: str, title: str, *, further: bool) -> Native:
    section = section_at(Architecture, ("vcu", "quirks"))
    assert section is not None
    quirks = sys.modules[section.__module__]
    made_by = _list_sources(
        quirks, dividers, operands, isa, structs, _codes, _ops, _structs, _texts
    )
    return Native(
        name=name,
        title=title,
        sources=tuple(sorted(FOLDER.glob("*.c"))),
        headers=(*sorted(FOLDER.glob("*.h")), *made_by),
        generate=partial(_generate_headers, further),
    )


ENGINE: Final = _describe_library("engine", "the engine", further=False)
FURTHER: Final = _describe_library(
    "engine-further", "the engine for operand toggles or compressed instructions", further=True
)
"""Other loops, compiled separately: few runs need them, and others need not wait for them."""

_TYPES: Final[dict[str, Any]] = {
    "i64": ctypes.c_int64, "u32": ctypes.c_uint32, "s32": ctypes.c_int32, "bool": ctypes.c_bool,
    "void": None,
}  # fmt: skip
_EXPORTED: Final = re.compile(r"^EXPORT (\w+) (\w+)\(([^)]*)\);", re.MULTILINE)


@cache
def _read_exports() -> dict[str, tuple[Any, list[Any]]]:
    """Return the result and argument types of exported functions, from the headers."""
    text = "".join((FOLDER / name).read_text("utf-8") for name in ("engine.h", "path.h"))
    return {
        name: (_TYPES[result], [ctypes.c_void_p if "*" in each else _TYPES[each.split()[0]]
                                for each in arguments.split(",")])
        for result, name, arguments in _EXPORTED.findall(text)
    }  # fmt: skip


def load_engine() -> None:
    """Load the engine, compiled if necessary; a run does this automatically.

    Raises:
        GnomonError: if the compiler is missing or fails.
    """
    load_native(ENGINE)


@cache
def function(name: str, *, further: bool = False) -> Any:
    """Return a function of the engine, which is compiled at the first call."""
    found = getattr(load_native(FURTHER if further else ENGINE), name)
    found.restype, found.argtypes = _read_exports()[name]
    return found
