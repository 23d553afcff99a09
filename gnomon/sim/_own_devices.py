"""The code of user-defined devices in a run: C libraries, Python objects, and their errors."""

from __future__ import annotations

import ctypes
import inspect
from collections.abc import Callable, Sequence
from functools import lru_cache
from operator import index
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from gnomon.arch import Architecture
from gnomon.arch.devices import FUNCTIONS, HOST_BYTES, DeviceCode, library_text
from gnomon.base.errors import GnomonError
from gnomon.base.generated import compile_cached
from gnomon.base.loading import import_content_module, locate_errors
from gnomon.base.stateless import describe_own_data

NEVER: Final = (1 << 64) - 1
"""Answer of ``next``: the level does not change without an access."""
_LARGEST: Final = (1 << 32) - 1
_ALIGN: Final = 64
_HOST_CALLS: Final = ("print", "load", "store", "waits")
_STATE, _WORD, _CYCLE = ctypes.c_void_p, ctypes.c_uint32, ctypes.c_uint64
SIGNATURES: Final[dict[str, Any]] = {
    "read": ctypes.CFUNCTYPE(_WORD, _STATE, _WORD, _WORD, _CYCLE),
    "write": ctypes.CFUNCTYPE(None, _STATE, _WORD, _WORD, _WORD, _CYCLE),
    "next": ctypes.CFUNCTYPE(_CYCLE, _STATE, _CYCLE),
    "level": ctypes.CFUNCTYPE(_WORD, _STATE, _CYCLE),
    "step": ctypes.CFUNCTYPE(None, _STATE, _CYCLE),
}


@lru_cache(maxsize=64)
def device_library(code: DeviceCode) -> ctypes.CDLL:
    """Return the library of a device in C; a library that was loaded stays loaded.

    Raises:
        GnomonError: if the C does not compile, or has variables of its own.
    """
    library = compile_cached(library_text(code))
    if what := describe_own_data(library):
        raise GnomonError(f"{code.file}: {what}")
    return library


def make_device(code: DeviceCode, clock_hz: int) -> Any:
    """Return a new object of the class of a device in Python.

    Raises:
        GnomonError: if the class has other parameters, lacks a method, or fails; with its file.
    """
    module = import_content_module(Path(code.folder), Path(code.file).stem)
    made: type = module.Device
    given: dict[str, Any] = dict(code.parameters)
    with locate_errors(Path(code.folder)):
        accepted = inspect.signature(made).parameters
    everything = any(each.kind is each.VAR_KEYWORD for each in accepted.values())
    if "clock_hz" in accepted:
        given["clock_hz"] = clock_hz
    missing = [name for name in given if name not in accepted and not everything]
    if missing:
        raise GnomonError(
            f"{code.file}: Device takes no argument {missing[0]!r}, which is a parameter of its"
            " device.yaml: def __init__(self, "
            f"{', '.join(name for name, _ in code.parameters)})"
        )
    with locate_errors(Path(code.folder)):
        device = made(**given)
    for name in code.functions:
        if not callable(getattr(device, name, None)):
            raise GnomonError(f"{code.file}: class Device has no method {name}")
    return device


class Host:
    """What a device in Python may call: its attribute ``host``."""

    def __init__(self, calls: dict[str, Callable[..., int]]) -> None:
        self._calls = calls

    def print(self, text: str) -> None:
        """Add to the text that the run prints."""
        for byte in text.encode():
            self._calls["print"](byte)

    def load(self, address: int) -> int:
        """Return a word of the memory; within ``step``."""
        return int(self._calls["load"](address))

    def store(self, address: int, value: int, lanes: int = 15) -> None:
        """Write the bytes of a word of the memory that ``lanes`` names; within ``step``."""
        self._calls["store"](address, value & _LARGEST, lanes)

    def waits(self, address: int) -> int:
        """Return the wait states of the memory at an address."""
        return int(self._calls["waits"](address))


class OwnDevices:
    """The code of the user-defined devices of one run."""

    def __init__(self, architecture: Architecture) -> None:
        """Compile C, and make objects of Python, if the machine has such devices.

        Raises:
            GnomonError: if the code of a device is wrong.
        """
        mapped = [name for name, each in architecture.devices.items() if each.base is not None]
        self.codes = {
            number: code
            for number, name in enumerate(mapped)
            if (code := architecture.devices[name].code) is not None
        }
        self.names = {number: mapped[number] for number in self.codes}
        self.objects: dict[int, Any] = {}
        self._failed: tuple[int, BaseException] | None = None
        self._fail_engine: Callable[[int], None] = lambda _: None
        self._callbacks: list[Any] = []
        self._states: dict[int, npt.NDArray[np.uint8]] = {}
        for number, code in self.codes.items():
            if code.language == "python":
                self.objects[number] = make_device(code, int(architecture.clock))
            else:
                library = device_library(code)
                size = ctypes.c_int64.in_dll(library, "device_bytes").value
                self._states[number] = np.zeros(2 * _ALIGN + HOST_BYTES + size, dtype=np.uint8)

    @property
    def in_c(self) -> tuple[str, ...]:
        """Names of the devices in C, whose code may not end."""
        return tuple(self.names[number] for number in self._states)

    def fill(self, records: npt.NDArray[np.void]) -> None:
        """Set the functions and states in the records of the devices of a machine."""
        for number, code in self.codes.items():
            record = records[number]
            if number in self._states:
                table = (ctypes.c_uint64 * len(FUNCTIONS)).in_dll(
                    device_library(code), "device_table"
                )
                record["state"] = self._place(number) + HOST_BYTES
                functions = dict(zip(FUNCTIONS, table, strict=True))
            else:
                functions = self._wrap(number, code)
            for name in code.functions:
                record[name] = functions[name]

    def connect(self, pointer: int, function: Callable[[str], Any]) -> None:
        """Let the code of devices call the engine.

        Args:
            pointer: of the machine.
            function: returns a function of the engine by name.
        """
        if not self.codes:
            return
        calls = {name: function(f"engine_device_{name}") for name in _HOST_CALLS}
        fail = function("engine_device_fail")
        self._fail_engine = lambda number: fail(pointer, number)
        for number, state in self._states.items():
            start = self._place(number) - state.ctypes.data
            addresses = [ctypes.cast(calls[name], ctypes.c_void_p).value for name in _HOST_CALLS]
            header = np.array([pointer, number, *addresses], dtype=np.uint64).view(np.uint8)
            state[start : start + len(header)] = header
        for number, device in self.objects.items():
            bound = {
                name: (lambda *values, call=call, number=number: call(pointer, number, *values))
                for name, call in calls.items()
            }
            device.host = Host(bound)

    def _place(self, number: int) -> int:
        """Return the address of what precedes the state of a device, which is aligned."""
        address = self._states[number].ctypes.data
        return -(-address // _ALIGN) * _ALIGN

    def _wrap(self, number: int, code: DeviceCode) -> dict[str, int]:
        """Return addresses of functions that call the methods of a device in Python."""
        device, found = self.objects[number], {}
        makers: dict[str, Callable[..., Callable[..., int | None]]] = {
            "read": _wrap_read, "write": _wrap_order, "next": _wrap_next, "level": _wrap_level,
            "step": _wrap_order,
        }  # fmt: skip

        def fail(error: BaseException) -> None:
            if self._failed is None:
                self._failed = number, error
            self._fail_engine(number)

        for name in code.functions:
            called = SIGNATURES[name](makers[name](getattr(device, name), fail, code.file))
            self._callbacks.append(called)
            found[name] = ctypes.cast(called, ctypes.c_void_p).value or 0
        return found

    def raise_error(self) -> None:
        """Raise the error of a device in Python, if there was one.

        Raises:
            GnomonError: with file and line of the code.
        """
        if self._failed is None:
            return
        number, error = self._failed
        with locate_errors(Path(self.codes[number].folder)):
            raise error

    def results(self) -> dict[str, dict[str, Any]]:
        """Return what devices in Python report at the end of a run, by name.

        Raises:
            GnomonError: if the code of a device fails.
        """
        found = {}
        for number, device in self.objects.items():
            if not callable(getattr(device, "results", None)):
                continue
            with locate_errors(Path(self.codes[number].folder)):
                found[self.names[number]] = dict(device.results())
        return found


Fail = Callable[[BaseException], None]


def _wrap_read(read: Callable[[int, int, int], int], fail: Fail, file: str) -> Callable[..., int]:
    def run(_: int | None, offset: int, lanes: int, cycle: int) -> int:
        try:
            value = index(read(offset, lanes, cycle))
        except BaseException as error:  # noqa: BLE001 - raised again when the engine has returned
            fail(error)
            return 0
        if 0 <= value <= _LARGEST:
            return value
        fail(GnomonError(f"{file}: read({offset}) returned {value}, not 0 to 2^32 - 1"))
        return 0

    return run


def _wrap_order(act: Callable[..., None], fail: Fail, _: str) -> Callable[..., None]:
    def run(_: int | None, *values: int) -> None:
        try:
            act(*values)
        except BaseException as error:  # noqa: BLE001 - raised again when the engine has returned
            fail(error)

    return run


def _wrap_next(find: Callable[[int], int | None], fail: Fail, _: str) -> Callable[..., int]:
    def run(_: int | None, cycle: int) -> int:
        try:
            found = find(cycle)
            return NEVER if found is None else min(max(int(found), 0), NEVER)
        except BaseException as error:  # noqa: BLE001 - raised again when the engine has returned
            fail(error)
            return NEVER

    return run


def _wrap_level(level: Callable[[int], bool], fail: Fail, _: str) -> Callable[..., int]:
    def run(_: int | None, cycle: int) -> int:
        try:
            return 1 if level(cycle) else 0
        except BaseException as error:  # noqa: BLE001 - raised again when the engine has returned
            fail(error)
            return 0

    return run


def explain_own_devices(names: Sequence[str]) -> str:
    """Return why the engine may not return, for a message."""
    return (
        "the simulator does not return: the C of a device may not end (devices:"
        f" {', '.join(names)}; gnomon check DEVICE)"
    )
