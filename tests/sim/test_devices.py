"""Programs that use devices: what the UART prints, and that neither tier nor slices change it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gnomon.arch import Architecture, load_architecture
from gnomon.program import build
from gnomon.sim import Run, simulate
from tests.arch.test_devices import BOARD

if TYPE_CHECKING:
    from pathlib import Path


def run_of(text: str, machine: Architecture, folder: Path, **options: object) -> Run:
    (folder / "it.c").write_text(text)
    program = build([folder / "it.c"], machine)
    return simulate(program, machine, max_cycles=5_000_000, **options)  # type: ignore[arg-type]


CONSOLE = """
#include "gnomon.h"
#define REGISTER(n) (*(volatile unsigned char *)(0x10000000 + (n) * {stride}))
static void put(char c) {{
    while (!(REGISTER(5) & 0x20)) {{}}
    REGISTER(0) = (unsigned char)c;
}}
int main(int hart) {{
    (void)hart;
    REGISTER(3) = 0x83;                      /* the divisor, in the place of the data */
    REGISTER(0) = 27;
    REGISTER(1) = 0;
    REGISTER(3) = 3;
    for (unsigned k = 0; k < 300; k++) put((char)('a' + k % 26));
    put('\\n');
    return REGISTER(3);
}}
"""


@pytest.mark.parametrize("stride", [1, 4])
def test_the_uart_prints(stride: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "board.yaml"
    path.write_text(BOARD.replace("stride: 4", f"stride: {stride}"))
    machine, text = load_architecture(str(path)), CONSOLE.format(stride=stride)
    runs = []
    for tier, quantum in (("off", 20_000_000), ("force", 20_000_000), ("force", 13)):
        monkeypatch.setenv("GNOMON_BLOCKS", tier)
        runs.append(run_of(text, machine, tmp_path, quantum_cycles=quantum))
    first, *others = runs
    letters = "abcdefghijklmnopqrstuvwxyz"
    assert first.console == (letters * 12)[:300] + "\n"
    assert (first.halted, first.exit_code, first.printed) == ("exit", 3, ())
    assert all(each.to_json() == first.to_json() for each in others)


TALKING = """
#include "gnomon.h"
#include <stdint.h>
#define REGISTER(n) (*(volatile uint8_t *)(0x10000000 + (n) * 4))
static volatile uint32_t sent, interrupts, wrong;
static const char *const text = "sent by interrupts\\n";
__attribute__((interrupt("machine"), aligned(4))) static void on_interrupt(void) {
    uint32_t cause;
    __asm__ volatile("csrr %0, mcause" : "=r"(cause));
    const uint8_t why = REGISTER(2), again = REGISTER(2);
    wrong += cause != 0x8000000Bu || why != 0x02 || again != 0x01;
    interrupts++;
    if (text[sent]) REGISTER(0) = (uint8_t)text[sent++];
    else REGISTER(1) = 0;
}
int main(int hart) {
    (void)hart;
    __asm__ volatile("csrw mtvec, %0" ::"r"(on_interrupt));
    __asm__ volatile("csrw mie, %0" ::"r"(0x800));
    REGISTER(1) = 2;
    uint32_t pending;
    __asm__ volatile("csrr %0, mip" : "=r"(pending));
    wrong += pending != 0x800;
    __asm__ volatile("csrs mstatus, %0" ::"r"(8));
    while (text[sent]) __asm__ volatile("wfi" ::: "memory");
    __asm__ volatile("csrr %0, mip" : "=r"(pending));
    return (int)(1000u * wrong + 100u * (pending != 0) + interrupts);
}
"""


def test_the_uart_interrupts_while_it_is_empty(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "board.yaml"
    path.write_text(BOARD.replace("stride: 4", "stride: 4, interrupt: external")
                    + "core: {interrupts: {entry: 3}}\n")  # fmt: skip
    machine = load_architecture(str(path))
    runs = []
    for tier, quantum in (("off", 20_000_000), ("force", 17)):
        monkeypatch.setenv("GNOMON_BLOCKS", tier)
        runs.append(run_of(TALKING, machine, tmp_path, quantum_cycles=quantum))
    first, second = runs
    assert second.to_json() == first.to_json()
    letters = len("sent by interrupts\n")
    # One more takes the interrupt back; the last byte is the end of main's loop.
    assert (first.console, first.exit_code) == ("sent by interrupts\n", letters + 1)
    assert first.counters["hart0.trap"] == 3 * (letters + 1)


def test_an_address_after_the_uart_is_unmapped(tmp_path: Path) -> None:
    path = tmp_path / "board.yaml"
    path.write_text(BOARD)
    text = CONSOLE.format(stride=4).replace("return REGISTER(3)", "return REGISTER(8)")
    run = run_of(text, load_architecture(str(path)), tmp_path)
    assert run.halted == "fault"
    assert "load from 0x10000020, where the machine has no memory" in run.reason
