"""The engine in C as Python calls it: ``engine/*.c``, compiled into one library."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from gnomon.arch import dividers
from gnomon.base import structs
from gnomon.base.native import Native, load
from gnomon.sim import (
    _classes,
    _codes,
    _config_state,
    _csr_numbers,
    _events,
    _hot_state,
    _ops,
    _rows,
    _state,
    _state_header,
)

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import ModuleType

_FOLDER = Path(__file__).with_name("engine")


def _headers() -> Mapping[str, str]:
    from gnomon.isa import operations_header

    return {
        "state.h": _state_header.state_header(),
        "ops.h": operations_header(),
        "events.h": _events.events_header(),
    }


def _sources_of(*modules: ModuleType) -> tuple[Path, ...]:
    """The files of modules; of a package all of its own."""
    files = [Path(str(module.__file__)) for module in modules]
    return tuple(
        path
        for file in files
        for path in (sorted(file.parent.glob("*.py")) if file.name == "__init__.py" else [file])
    )


def _engine() -> Native:
    from gnomon import isa

    made_by = _sources_of(
        dividers, isa, structs, _classes, _codes, _config_state, _csr_numbers, _events,
        _hot_state, _ops, _rows, _state, _state_header,
    )  # fmt: skip
    return Native(
        name="engine",
        title="the engine",
        sources=tuple(sorted(_FOLDER.glob("*.c"))),
        headers=(*sorted(_FOLDER.glob("*.h")), *made_by),
        generate=_headers,
    )


ENGINE: Final = _engine()

_POINTER = ctypes.c_void_p
_NUMBER = ctypes.c_int64
_WORD = ctypes.c_uint32
_ISSUE = (_POINTER, _NUMBER, _NUMBER, _WORD, _WORD, _WORD, _NUMBER)
_FUNCTIONS: Final[dict[str, tuple[Any, tuple[Any, ...]]]] = {
    "engine_run": (_NUMBER, (_POINTER,)),
    "engine_operands_ready": (_NUMBER, (_POINTER, _POINTER)),
    "engine_issued": (_NUMBER, (_POINTER, _NUMBER)),
    "engine_own_cycles": (_NUMBER, (_POINTER, _NUMBER)),
    "engine_settle": (None, (_POINTER,)),
    "engine_wake_slots": (None, (_POINTER,)),
    "engine_follow_calls": (None, (_POINTER, _POINTER)),
    "engine_record": (_NUMBER, (_POINTER, _POINTER)),
    "engine_lane_cycles": (None, (_POINTER, _POINTER)),
    "engine_retime": (_NUMBER, (_POINTER, _POINTER)),
    "scalar_divide_cycles": (_NUMBER, (_POINTER, _WORD, _WORD, ctypes.c_bool)),
    "lane_cycles": (_NUMBER, (_POINTER, ctypes.c_int32, ctypes.c_int32, _NUMBER)),
    "divide_vector": (
        _NUMBER,
        (_POINTER, *[_NUMBER] * 5, ctypes.c_int32, _NUMBER, ctypes.c_bool, _POINTER),
    ),
    "scaled_products": (
        None,
        (_POINTER, *[_NUMBER] * 6, ctypes.c_int32, _NUMBER, ctypes.c_bool, ctypes.c_bool),
    ),
    "vector_issue": (_NUMBER, _ISSUE),
    "transfer_issue": (_NUMBER, _ISSUE),
}
"""Result and arguments of what the library exports; ``engine.h`` says what they do."""


def function(name: str) -> Any:
    """A function of the engine, which is compiled at the first use of one.

    Raises:
        GnomonError: there is no compiler, or it says no.
    """
    found = getattr(load(ENGINE), name)
    if found.argtypes is None:
        found.restype, found.argtypes = _FUNCTIONS[name]
    return found
