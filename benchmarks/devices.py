"""Accesses to devices, shipped and user-defined, next to those of the data memory; sleep.

A loop loads one word per turn. The same loop from the data memory is subtracted.
"""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

from benchmarks.harness import Found, Limit, best_of, cpu_of_call
from gnomon.arch import Architecture, load_architecture
from gnomon.base.content import PATH_VARIABLE
from gnomon.base.errors import CheckFailed
from gnomon.program import build
from gnomon.sim import simulate

TURNS: Final = 300_000
MOST_NS: Final = {"C": 100.0, "C, connected": 100.0, "Python": 5000.0, "Python, connected": 5000.0}
MOST_SLEEP_MS: Final = 1.0

_TEMPLATES: Final = Path(__file__).parents[1] / "gnomon" / "cli" / "templates"
_NAMES: Final = {"inc": "device", "inpy": "device_python"}
_PYTHON_PART: Final = 10  # a slow device is accessed one time in so many
_MACHINE: Final = """\
extends: rv32im
name: bench
title: A core with devices
source: made for this benchmark
core: {interrupts: {entry: 4}}
devices:
  uart: {kind: ns16550, base: 0x10000000}
  timer: {kind: clint, base: 0x02000000, every: 100}
"""
_OWN: Final = {
    "C": "  own: {kind: inc, base: 0x30000000}\n",
    "C, connected": "  own: {kind: inc, base: 0x30000000, interrupt: external}\n",
    "Python": "  own: {kind: inpy, base: 0x30000000}\n",
    "Python, connected": "  own: {kind: inpy, base: 0x30000000, interrupt: external}\n",
}
"""One for each machine: an access to a device with an interrupt asks all others for theirs."""
_ADDRESSES: Final = {
    "data memory": "&word", "ns16550": "0x10000004", "clint": "0x0200BFF8",
    **dict.fromkeys(_OWN, "0x30000008"),
}  # fmt: skip
_LOOP: Final = """\
#include <stdint.h>
volatile uint32_t word;
int main(void) {
    volatile uint32_t *const from = (volatile uint32_t *)ADDRESS;
    uint32_t sum = 0;
    __asm__ volatile("csrw mie, %0" ::"r"(0x800));
    __asm__ volatile("csrs mstatus, %0" ::"r"(8));
    for (uint32_t n = TURNS; n; n--) sum += *from;
    return (int)(sum & 0);
}
"""
_SLEEP: Final = """\
#include <stdint.h>
#define CLINT ((volatile uint32_t *)0x02000000)
int main(void) {
    for (uint32_t n = SECONDS; n; n--) {
        CLINT[0x4004 / 4] = 0;
        CLINT[0x4000 / 4] = CLINT[0xBFF8 / 4] + 1000000u; /* of 100 cycles: 1 s at 100 MHz */
        __asm__ volatile("csrw mie, %0\\n wfi" ::"r"(0x80));
    }
    return 0;
}
"""
_SECONDS: Final = (1, 1001)


@contextmanager
def _project() -> Iterator[Path]:
    """Make a folder of content with a device in C and the same in Python."""
    with tempfile.TemporaryDirectory(prefix="gnomon-") as temporary:
        folder = Path(temporary)
        for name, template in _NAMES.items():
            place = folder / "devices" / name
            source = _TEMPLATES / template / "devices" / "@folder@"
            shutil.copytree(source, place)
            for path in list(place.iterdir()):
                text = path.read_text().replace("@folder@", name).replace("@title@", name)
                path.unlink()
                (place / path.name.replace("@folder@", name)).write_text(text)
        (folder / "loop.c").write_text(_LOOP)
        (folder / "sleep.c").write_text(_SLEEP)
        with patch.dict(os.environ, {PATH_VARIABLE: str(folder)}):
            yield folder


def _machine_with(folder: Path, own: str) -> Architecture:
    path = folder / "machine.yaml"
    path.write_text(_MACHINE + own)
    return load_architecture(path)


def measure(found: Found, rounds: int) -> None:
    """Time accesses to each kind of device, and a second of sleep."""
    with _project() as folder:
        machines = {name: _machine_with(folder, _OWN.get(name, "")) for name in _ADDRESSES}

        def prepare(name: str, file: str, defines: dict[str, Any]) -> Callable[[], float]:
            machine = machines[name]
            program = build([folder / file], machine, defines=defines)
            if simulate(program, machine).exit_code != 0:
                raise CheckFailed(f"{file}: the run ends with another exit code than 0")
            return partial(cpu_of_call, partial(simulate, program, machine))

        turns = {
            name: TURNS // (_PYTHON_PART if name.startswith("Python") else 1) for name in _ADDRESSES
        }
        tasks = {
            (name, part): prepare(
                name, "loop.c", {"ADDRESS": address, "TURNS": turns[name] * part + 1}
            )
            for name, address in _ADDRESSES.items()
            for part in (0, 1)
        }
        tasks |= {("sleep", n): prepare("clint", "sleep.c", {"SECONDS": n}) for n in _SECONDS}
        seconds = best_of(tasks, rounds)
    ns = {name: (seconds[name, 1] - seconds[name, 0]) / turns[name] * 1e9 for name in _ADDRESSES}
    memory = ns["data memory"]
    rows = [
        {"access": name, "ns": value, "ns_more_than_memory": value - memory,
         "to_ns16550": (value - memory) / (ns["ns16550"] - memory)}
        for name, value in ns.items()
    ]  # fmt: skip
    limits = [
        Limit(f"{name}: access", "ns", ns[name] - memory, most) for name, most in MOST_NS.items()
    ]
    few, many = _SECONDS
    sleep_ms = (seconds["sleep", many] - seconds["sleep", few]) / (many - few) * 1e3
    limits.append(Limit("wfi for 1 s at 100 MHz", "ms CPU", sleep_ms, MOST_SLEEP_MS))
    found.add("devices", rows, limits)
