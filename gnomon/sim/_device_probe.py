"""A user-defined device without a machine: its functions, called one by one."""

import ctypes
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from gnomon.arch.devices import FUNCTIONS, HOST_BYTES, DeviceCode
from gnomon.base.errors import CheckFailed
from gnomon.base.loading import locate_errors
from gnomon.sim._own_devices import NEVER, SIGNATURES, Host, device_library, make_device

_GUARD: Final = 0xA5
_GUARD_BYTES: Final = 256
_ALIGN: Final = 64
_WORD: Final = ctypes.c_uint32
_CALLS: Final[dict[str, Any]] = {
    "print": ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, _WORD),
    "load": ctypes.CFUNCTYPE(_WORD, ctypes.c_void_p, ctypes.c_int64, _WORD),
    "store": ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, _WORD, _WORD, _WORD),
    "waits": ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64, _WORD),
}


class DeviceProbe:
    """A device at reset. Its memory holds a number at each address, which depends on that alone.

    ``done``: what the device has printed and stored, in order.
    """

    def __init__(self, code: DeviceCode, clock_hz: int) -> None:
        """Compile or make the device.

        Raises:
            GnomonError: if its code is wrong.
        """
        self.code, self.done = code, list[tuple[int, ...]]()
        self._memory: npt.NDArray[np.uint8] | None = None
        self._kept: list[Any] = []
        if code.language == "python":
            device = make_device(code, clock_hz)
            device.host = Host({name: getattr(self, f"_{name}") for name in _CALLS})
            self._functions: dict[str, Callable[..., Any]] = {
                name: getattr(device, name) for name in code.functions
            }
        else:
            self._functions = self._functions_of_c(code)

    def _functions_of_c(self, code: DeviceCode) -> dict[str, Callable[..., Any]]:
        library = device_library(code)
        size = ctypes.c_int64.in_dll(library, "device_bytes").value
        memory = np.full(2 * _ALIGN + HOST_BYTES + size + _GUARD_BYTES, _GUARD, dtype=np.uint8)
        start = -memory.ctypes.data % _ALIGN
        self._memory = memory[start : start + HOST_BYTES + size + _GUARD_BYTES]
        self._memory[HOST_BYTES : HOST_BYTES + size] = 0
        self._end = HOST_BYTES + size
        calls = [
            kind(lambda _machine, _number, *values, name=name: getattr(self, f"_{name}")(*values))
            for name, kind in _CALLS.items()
        ]
        self._kept += calls
        addresses = [ctypes.cast(call, ctypes.c_void_p).value for call in calls]
        header = np.array([0, 0, *addresses], dtype=np.uint64).view(np.uint8)
        self._memory[: len(header)] = header
        self._header = self._memory[:HOST_BYTES].copy()
        table = (ctypes.c_uint64 * len(FUNCTIONS)).in_dll(library, "device_table")
        state = self._memory.ctypes.data + HOST_BYTES
        found: dict[str, Callable[..., Any]] = {}
        for name, address in zip(FUNCTIONS, table, strict=True):
            if address:
                call = SIGNATURES[name](address)
                found[name] = lambda *values, call=call: call(state, *values)
        return found

    def _print(self, byte: int) -> None:
        self.done.append((0, byte))

    def _load(self, address: int) -> int:
        return address * 2_654_435_761 % (1 << 32)

    def _store(self, address: int, value: int, lanes: int) -> None:
        self.done.append((1, address, value, lanes))

    def _waits(self, address: int) -> int:
        return address >> 28

    def call(self, name: str, *values: int) -> int:
        """Call a function of the device; ``next`` and ``level`` answer as in C.

        Raises:
            GnomonError: if it fails, with file and line.
        """
        with locate_errors(Path(self.code.folder)):
            found = self._functions[name](*values)
            if name == "next":
                return NEVER if found is None else int(found)
            return int(bool(found)) if name == "level" else 0 if found is None else int(found)

    def check_state(self) -> None:
        """Check that C has written nothing besides its state.

        Raises:
            CheckFailed: if it has.
        """
        if self._memory is None:
            return
        if (self._memory[self._end :] != _GUARD).any():
            raise CheckFailed(f"{self.code.file}: writes after the end of its type Device")
        if (self._memory[:HOST_BYTES] != self._header).any():
            raise CheckFailed(f"{self.code.file}: writes before its type Device")
