"""The host of a program: answers to semihosting calls, and to stores to ``tohost``.

The engine stops at a call, and this module reads its arguments, answers, and lets the run continue.
Answers depend on the program alone: there are no files, no input and no time.
"""

import struct
from collections.abc import Callable
from typing import Final

import numpy as np
import numpy.typing as npt

from gnomon.arch import Architecture
from gnomon.base.errors import GnomonError
from gnomon.program import Program
from gnomon.sim import _codes as at
from gnomon.sim import _ops as op
from gnomon.sim import _texts
from gnomon.sim._machine import Machine

_A0, _A1 = 10, 11
_WORD: Final = 0xFFFF_FFFF
_NO_FILE: Final = 2  # errno of newlib and of Linux: ENOENT
_APPLICATION_EXIT: Final = 0x20026
_MOST_BYTES: Final = 1 << 20  # of one call
_TERMINAL, _FEATURES = ":tt", ":semihosting-features"
_FEATURE_BYTES: Final = b"SHFB\x03"  # exit-extended, and separate stdout and stderr
_INPUT, _OUTPUT, _ERROR = 1, 2, 3
_FIRST_FILE: Final = 4
_HTIF_WRITE, _HTIF_EXIT = 64, 93
_HTIF_PRINT: Final = 0x0101 << 48  # device 1, command 1


class _CallError(Exception):
    """A call that the host cannot answer: a fault of the run."""

    def __init__(self, name: str, value: int) -> None:
        super().__init__(name)
        self.number, self.value = 1 + list(_texts.FAULTS).index(name), value


def find_tohost(program: Program, architecture: Architecture) -> int | None:
    """Return the address of ``tohost``, if the machine has a device of that kind.

    Raises:
        GnomonError: if the program has no such symbol, or stores to it could not be observed.
    """
    names = [name for name, each in architecture.devices.items() if each.kind == "tohost"]
    if not names:
        return None
    found = [symbol.address for symbol in program.symbols if symbol.name == "tohost"]
    if len(found) != 1:
        raise GnomonError(
            f"{program.name}: device {names[0]} of {architecture.name} is a tohost, and the program"
            f" has {len(found) or 'no'} symbol{'s' * (len(found) > 1)} tohost (allowed: one)"
        )
    code = architecture.memory.instruction
    if found[0] % 4 or not code.base <= found[0] <= code.base + code.size - 8:
        raise GnomonError(
            f"{program.name}: tohost is at 0x{found[0]:08X}; device {names[0]} of"
            f" {architecture.name} needs it in the memory of the code (0x{code.base:08X}.."
            f"0x{code.base + code.size - 1:08X}), at a multiple of 4: place the section .tohost"
            " there, or give the machine one memory for code and data"
        )
    return found[0]


class Host:
    """The host of one run."""

    def __init__(self, machine: Machine, program: Program, console: bytearray) -> None:
        self._machine, self._console = machine, console
        self._tohost = find_tohost(program, machine.architecture)
        named = program.symbols if self._tohost is not None else ()
        self._fromhost = next((each.address for each in named if each.name == "fromhost"), None)
        self._files: dict[int, int] = {}  # positions, by handle
        self._errno = 0

    def answer(self) -> int:
        """Answer the call at which the engine stopped; return a STOP code."""
        machine, st = self._machine, self._machine.st
        pc = int(machine.hs["pc"][0])
        try:
            if machine.decoded["op"][machine.word_index(pc)] == op.EBREAK:
                self._answer_call()
            else:
                self._answer_store()
        except _CallError as fault:
            st["fault"], st["fault_address"] = fault.number, fault.value
            return at.STOP_FAULT
        st["host"] = at.HOST_ANSWERED
        return at.STOP_HOST

    def _end_run(self, code: int) -> None:
        st = self._machine.st
        if st["exit_cycle"] < 0:
            st["exit_code"], st["exit_cycle"] = code & _WORD, st["host_cycle"]

    # -- memory ------------------------------------------------------------------------------------

    def _view(self, address: int, size: int, fault: str) -> npt.NDArray[np.uint8]:
        for place in self._machine.places:
            if place.base <= address and address + size <= place.end:
                offset = address - place.base
                return place.bytes_in(self._machine.ram)[offset : offset + size]
        raise _CallError(fault, address)

    def _read(self, address: int, size: int) -> bytes:
        if size > _MOST_BYTES:
            raise _CallError("HOST_BYTES", size)
        return self._view(address, size, "LOAD").tobytes()

    def _write(self, address: int, data: bytes) -> None:
        self._view(address, len(data), "STORE")[:] = np.frombuffer(data, dtype=np.uint8)
        code = self._machine.places[0]
        first, end = max(address, code.base), min(address + len(data), code.end)
        if first < end:
            # An instruction may begin in the halfword before.
            places = range(max(code.base, first - 2), end)
            changed = {self._machine.word_index(place) for place in places}
            self._machine.table["op"][sorted(changed)] = op.STALE
            self._machine.st["text_writes"] += 1

    def _words(self, address: int, count: int) -> tuple[int, ...]:
        return struct.unpack(f"<{count}I", self._read(address, 4 * count))

    # -- semihosting -------------------------------------------------------------------------------

    def _answer_call(self) -> None:
        registers = self._machine.regs[0]
        number, argument = int(registers[_A0]), int(registers[_A1])
        calls: dict[int, Callable[[int], int]] = {
            0x01: self._open, 0x02: self._close, 0x03: self._write_character,
            0x04: self._write_text, 0x05: self._write_bytes, 0x06: self._read_bytes,
            0x07: lambda _: -1, 0x08: self._is_error, 0x09: self._is_terminal, 0x0A: self._seek,
            0x0C: self._length, 0x13: lambda _: self._errno, 0x15: self._arguments,
            0x18: self._exit_with_reason, 0x20: self._exit_with_code,
        }  # fmt: skip
        if number not in calls:
            raise _CallError("HOST", number)
        registers[_A0] = calls[number](argument) & _WORD

    def _fail(self) -> int:
        self._errno = _NO_FILE
        return -1

    def _open(self, block: int) -> int:
        name, mode, length = self._words(block, 3)
        text = self._read(name, length).decode("ascii", "replace")
        if text == _TERMINAL and mode < 12:
            return (_INPUT, _OUTPUT, _ERROR)[mode // 4]
        if text != _FEATURES or mode > 1:
            return self._fail()
        handle = _FIRST_FILE
        while handle in self._files:
            handle += 1
        self._files[handle] = 0
        return handle

    def _close(self, block: int) -> int:
        (handle,) = self._words(block, 1)
        if handle in (_INPUT, _OUTPUT, _ERROR):
            return 0
        return self._fail() if self._files.pop(handle, None) is None else 0

    def _write_character(self, address: int) -> int:
        self._console += self._read(address, 1)
        return 0

    def _write_text(self, address: int) -> int:
        end = address
        while self._read(end, 1) != b"\0":
            end += 1
        self._console += self._read(address, end - address)
        return 0

    def _write_bytes(self, block: int) -> int:
        """Return the number of bytes that were not written."""
        handle, address, size = self._words(block, 3)
        if handle not in (_OUTPUT, _ERROR):
            self._fail()
            return size
        self._console += self._read(address, size)
        return 0

    def _read_bytes(self, block: int) -> int:
        """Return the number of bytes that were not read."""
        handle, address, size = self._words(block, 3)
        if handle not in self._files:
            return size
        at_byte = self._files[handle]
        data = _FEATURE_BYTES[at_byte : at_byte + size]
        self._write(address, data)
        self._files[handle] += len(data)
        return size - len(data)

    def _is_error(self, block: int) -> int:
        return self._words(block, 1)[0] >> 31

    def _is_terminal(self, block: int) -> int:
        return int(self._words(block, 1)[0] in (_INPUT, _OUTPUT, _ERROR))

    def _seek(self, block: int) -> int:
        handle, position = self._words(block, 2)
        if handle not in self._files or position > len(_FEATURE_BYTES):
            return self._fail()
        self._files[handle] = position
        return 0

    def _length(self, block: int) -> int:
        return len(_FEATURE_BYTES) if self._words(block, 1)[0] in self._files else self._fail()

    def _arguments(self, block: int) -> int:
        """Write an empty command line."""
        buffer, size = self._words(block, 2)
        if not size:
            return self._fail()
        self._write(buffer, b"\0")
        self._write(block + 4, bytes(4))
        return 0

    def _exit_with_reason(self, reason: int) -> int:
        self._end_run(0 if reason == _APPLICATION_EXIT else 1)
        return 0

    def _exit_with_code(self, block: int) -> int:
        reason, code = self._words(block, 2)
        self._end_run(code if reason == _APPLICATION_EXIT else 1)
        return 0

    # -- tohost ------------------------------------------------------------------------------------

    def _answer_store(self) -> None:
        """Answer a store to the lower word of ``tohost``; 0 asks for nothing."""
        assert self._tohost is not None
        low, high = self._words(self._tohost, 2)
        command = high << 32 | low
        if command >> 48 << 48 == _HTIF_PRINT:
            self._console.append(low & 0xFF)
            self._confirm(_HTIF_PRINT)
        elif command >> 48:
            raise _CallError("TOHOST", low)
        elif low & 1:
            self._end_run(low >> 1)
        elif low:
            self._call(low)

    def _call(self, block: int) -> None:
        """Execute a system call of Linux: four numbers of 64 bits, the first is also the result."""
        number, first, address, size = (word for word in self._words(block, 8)[::2])
        if number == _HTIF_EXIT:
            self._end_run(first)
            return
        if number != _HTIF_WRITE or first not in (1, 2):
            raise _CallError("TOHOST", number)
        self._console += self._read(address, size)
        self._write(block, struct.pack("<Q", size))
        self._confirm(1)

    def _confirm(self, value: int) -> None:
        """Take the request, and write the answer, which the program waits for."""
        assert self._tohost is not None
        self._write(self._tohost, bytes(8))
        if self._fromhost is not None:
            self._write(self._fromhost, struct.pack("<Q", value))
