"""Speed and memory of ``gnomon power activity`` that reads a VCD stream of any length.

The stream is generated while it is read, through a pipe, with known toggles: a block
of changes is sampled once from a seed and repeated at later times.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO

from benchmarks.harness import Found, Limit, users_environment
from gnomon.base.errors import GnomonError

STREAM_BYTES = 1_000_000_000
SHORT_STREAM_BYTES = 60_000_000  # to distinguish growing memory from constant memory
MIN_MEGABYTES_PER_SECOND = 50.0
MAX_GROWTH_MEBIBYTES = 16.0

_SEED = 1
_INSTANCES = 20
_NETS_EACH = 40  # every fourth is a bus of 32 bits
_CHANGES = 100  # per instant
_INSTANTS = 2000  # per block
_STEP = 5
# The process reports its own peak: the value of wait4 starts at the peak of its parent.
_CLI = """
import atexit, sys
from pathlib import Path
status = Path("/proc/self/status")
if status.exists():
    peak = lambda: status.read_text().split("VmHWM:")[1].split()[0]
    atexit.register(lambda: print(peak(), file=sys.stderr))
from gnomon.cli import main
main()
"""


@dataclass(frozen=True, slots=True)
class Reading:
    """One stream read by a separate process."""

    stream_bytes: int
    cpu_seconds: float
    peak_memory_bytes: int
    toggles: int
    expected_toggles: int

    @property
    def megabytes_per_second(self) -> float:
        """Megabytes per second of CPU time, including the start of the process."""
        return self.stream_bytes / self.cpu_seconds / 1e6


class _Stream:
    """Text of a stream, block by block, and its toggles."""

    def __init__(self) -> None:
        draw = random.Random(_SEED)
        nets = [
            (f"{chr(33 + index % 94)}{chr(33 + index // 94)}", 32 if index % 4 == 0 else 1)
            for index in range(_INSTANCES * _NETS_EACH)
        ]
        self.header = _header(nets)
        self._parts: list[str] = []
        values: dict[str, int] = {}
        self._first = 0
        for _ in range(_INSTANTS):
            words = []
            for code, width in draw.sample(nets, _CHANGES):
                value = draw.getrandbits(draw.choice((1, 8, 32)) if width > 1 else 1)
                words.append(f"b{value:b} {code}\n" if width > 1 else f"{value}{code}\n")
                self._first += (values.get(code, value) ^ value).bit_count()
                values[code] = value
            self._parts.append("".join(words))
        # Toggles from the end of a block to the start of the next: last value to first value.
        self._again = self._first
        for part in self._parts:
            for word in part.splitlines():
                code, value = _read(word)
                if code in values:
                    self._again += (values.pop(code) ^ value).bit_count()

    def blocks(self, length_bytes: int) -> Iterator[bytes]:
        """Yield blocks until the length is reached or exceeded."""
        yield self.header
        done, time = len(self.header), 0
        while done < length_bytes:
            block = "".join(
                f"#{time + _STEP * index}\n{part}" for index, part in enumerate(self._parts)
            ).encode()
            time += _STEP * len(self._parts)
            done += len(block)
            yield block

    def toggles(self, blocks: int) -> int:
        """Return the toggles of this number of blocks."""
        return self._first + (blocks - 1) * self._again


def _read(word: str) -> tuple[str, int]:
    if word.startswith("b"):
        digits, _, code = word[1:].partition(" ")
        return code, int(digits, 2)
    return word[1:], int(word[0])


def _header(nets: list[tuple[str, int]]) -> bytes:
    lines = ["$timescale 1 ns $end", "$scope module tb $end"]
    for index, (code, width) in enumerate(nets):
        if index % _NETS_EACH == 0:
            lines.append(f"$scope module u{index // _NETS_EACH} $end")
        lines.append(f"$var wire {width} {code} n{index}{' [31:0]' if width > 1 else ''} $end")
        if index % _NETS_EACH == _NETS_EACH - 1:
            lines.append("$upscope $end")
    return "\n".join([*lines, "$upscope $end", "$enddefinitions $end", ""]).encode()


def read_stream(length_bytes: int) -> Reading:
    """Pipe a stream of about this length into the command; return its time and memory."""
    stream = _Stream()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as messages:
        process = subprocess.Popen(
            [sys.executable, "-c", _CLI, "power", "activity", "-", "--json"],
            stdin=subprocess.PIPE, stdout=out, stderr=messages, env=users_environment(),
        )  # fmt: skip
        written = blocks = 0
        assert process.stdin is not None
        with process.stdin as pipe:
            for block in stream.blocks(length_bytes):
                pipe.write(block)
                written += len(block)
                blocks += 1
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            raise GnomonError(f"gnomon power activity: {_text(messages).strip()}")
        toggles = int(json.loads(_text(out))["toggles"])
        told = _text(messages).split()
    return Reading(
        stream_bytes=written,
        cpu_seconds=used.ru_utime + used.ru_stime,
        peak_memory_bytes=1024 * (int(told[-1]) if told else used.ru_maxrss),
        toggles=toggles,
        expected_toggles=stream.toggles(blocks - 1),
    )


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode()


def measure(found: Found, rounds: int) -> None:
    """Read a short and some long streams."""
    readings = [read_stream(SHORT_STREAM_BYTES)]  # also compiles the reader, if necessary
    for number in range(rounds):
        print(f"round {number + 1} of {rounds}: recording", file=sys.stderr)
        readings.append(read_stream(STREAM_BYTES))
    for reading in readings:
        if reading.toggles != reading.expected_toggles:
            raise GnomonError(
                f"gnomon power activity counts {reading.toggles} toggles where the stream has "
                f"{reading.expected_toggles}"
            )
    best = min(readings[1:], key=lambda reading: reading.cpu_seconds)
    peak = max(reading.peak_memory_bytes for reading in readings[1:])
    growth = (peak - readings[0].peak_memory_bytes) / 2**20
    size = f"gnomon power activity, {best.stream_bytes / 1e9:.1f} GB of VCD"
    speed, least = best.megabytes_per_second, MIN_MEGABYTES_PER_SECOND
    memory = f"{size}: memory beyond that of 60 MB"
    found.limits += [
        Limit(size, "MB/s CPU", speed, least, at_least=True),
        Limit(memory, "MiB", growth, MAX_GROWTH_MEBIBYTES),
    ]
