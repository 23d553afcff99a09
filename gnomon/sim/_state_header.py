"""The state of the engine as a header for C."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.arch.dividers import LAWS, Divider
from gnomon.base.structs import constants
from gnomon.isa import INSTRUCTIONS
from gnomon.sim import _codes, _csr_numbers, _ops
from gnomon.sim._classes import CLASS_OF, INTERRUPTIBLE, T13_EXTRA_CYCLES
from gnomon.sim._codes import CLASSES
from gnomon.sim._state import FUNCTIONAL_UNITS, LATE_WORDS, STRUCTS

if TYPE_CHECKING:
    from types import ModuleType


def state_header() -> str:
    """The text of ``state.h``: constants, then structs."""
    numbers = _numbers(_codes) | {f"CLASS_{name.upper()}": k for k, name in enumerate(CLASSES)}
    numbers |= {f"T13_EXTRA_{name.upper()}": n for name, n in T13_EXTRA_CYCLES.items()}
    own = {name: value for name, value in _numbers(_ops).items() if value >= len(INSTRUCTIONS)}
    numbers |= {f"OP_{name.removeprefix('OP_')}": value for name, value in own.items()}
    numbers |= {f"CSR_{name}": value for name, value in _numbers(_csr_numbers).items()}
    numbers |= {f"LAW_{name.upper().replace('-', '_')}": number for number, name in enumerate(LAWS)}
    numbers |= {
        "START_UP_CYCLES": Divider.START_UP_CYCLES,
        "TRIVIAL_STEP_CYCLES": Divider.TRIVIAL_STEP_CYCLES,
        "INSTRUCTION_COUNT": len(INSTRUCTIONS),
        "FUNCTIONAL_UNITS": FUNCTIONAL_UNITS,
        "LATE_WORDS": LATE_WORDS,
    }
    lines = [
        "/* Made by gnomon/sim/_state_header.py. */",
        "#ifndef STATE_H",
        "#define STATE_H",
        '#include "native.h"',
        constants(numbers),
        *(struct.declaration() for struct in STRUCTS),
        _table("CLASS_OF", CLASS_OF.tolist()),
        _table("INTERRUPTIBLE", INTERRUPTIBLE.astype(int).tolist()),
        "#endif",
    ]
    return "\n".join(lines) + "\n"


def _numbers(module: ModuleType) -> dict[str, int]:
    """The numbers that a module names."""
    return {
        name: value
        for name, value in vars(module).items()
        if name.isupper() and isinstance(value, int)
    }


def _table(name: str, values: list[int]) -> str:
    """A table of small numbers by operation."""
    return f"static const uint8_t {name}[] = {{{', '.join(map(str, values))}}};"
