"""Machines with a user-defined device, and programs that use it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gnomon.arch import Architecture, load_architecture
from gnomon.program import build
from gnomon.sim import Run, simulate

if TYPE_CHECKING:
    from pathlib import Path

BOARD = """\
extends: rv32im
name: board
title: A core with a device
core:
  interrupts: {{entry: 4}}
devices:
  bell: {{kind: {kind}, base: 0x30000000{further}}}
"""
ALARM = """
#include "gnomon.h"
#include <stdint.h>
#define BELL ((volatile uint32_t *)0x30000000)
static volatile uint32_t rings, late;
__attribute__((interrupt("machine"), aligned(4))) static void on_interrupt(void) {
    late += BELL[0];
    BELL[1] = 0;
    BELL[0] = 1;
    rings++;
}
int main(int hart) {
    uint32_t x = (uint32_t)hart;
    __asm__ volatile("csrw mtvec, %0" ::"r"(on_interrupt));
    __asm__ volatile("csrw mie, %0" ::"r"(0x800));
    __asm__ volatile("csrs mstatus, %0" ::"r"(8));
    BELL[0] = 1;
    for (int k = 0; k < 400; k++) {
        x = x * 1664525u + (x >> 7) + 1013904223u;
        ((volatile uint8_t *)BELL)[8 + k % 4] = (uint8_t)x;
        x ^= ((volatile uint16_t *)BELL)[4 + k % 2];
    }
    for (int k = 0; k < 3; k++) __asm__ volatile("wfi" ::: "memory");
    __asm__ volatile("csrci mstatus, 8");
    return (int)(x % 1000u + 1000u * rings + 1000000u * (late % 1000u));
}
"""
AWAKE = ALARM.replace("k < 3; k++", "k < 0; k++")


def load_board(
    folder: Path, kind: str, further: str = ", interrupt: external", *sets: str
) -> Architecture:
    """Return the machine with a device of some kind."""
    path = folder / f"{kind}.yaml"
    path.write_text(BOARD.format(kind=kind, further=further))
    return load_architecture(path, list(sets))


def run_text(folder: Path, machine: Architecture, text: str = ALARM, **options: Any) -> Run:
    """Return the run of a program in C."""
    (folder / "it.c").write_text(text)
    options = {"max_cycles": 2_000_000} | options
    return simulate(build([folder / "it.c"], machine), machine, **options)
