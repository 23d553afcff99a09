"""The timing diagrams of docs/notes/rtl-machine.md are what our RTL does."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from gnomon.arch import load_architecture
from gnomon.isa import CSR_ADDRESS, encode
from gnomon.program import load_elf
from gnomon.rtl.bare_metal import DATA_BASE, EXIT_ADDRESS, RESET_PC, SPM_BASE, li, write_elf
from gnomon.rtl.lockstep._words import csrw, csrwi
from gnomon.rtl.machine._simulation import simulation_of
from gnomon.rtl.tools import tool
from tests.rtl.conftest import need

PAGE = Path(__file__).parents[2] / "docs" / "notes" / "rtl-machine.md"
CYCLES = 14
GAP = 14  # instructions between two that are shown
A, B, PAD, PAD2, LENGTH, MEMORY = 5, 6, 7, 8, 9, 11
SHOWN = (
    ("add", "add", {"rd": 10, "rs1": A, "rs2": B}),
    ("branch, taken", "beq", {"imm": 8}),
    ("lw", "lw", {"rd": 10, "rs1": MEMORY}),
    ("sw", "sw", {"rs1": MEMORY, "rs2": A}),
    ("amoswap.w", "amoswap.w", {"rd": 10, "rs1": MEMORY, "rs2": A}),
    ("csrrw", "csrrw", {"rd": 10, "rs1": A, "csr": CSR_ADDRESS["mepc"]}),
    ("mul", "mul", {"rd": 10, "rs1": A, "rs2": B}),
    ("mulh", "mulh", {"rd": 10, "rs1": A, "rs2": B}),
    ("kmemld, 16 bytes", "kmemld", {"rd": PAD, "rs1": MEMORY, "rs2": LENGTH}),
    ("kaddv, 16 bytes", "kaddv", {"rd": PAD, "rs1": PAD, "rs2": PAD2}),
)


def diagram(folder: Path) -> str:
    """Which hart enters execute in which cycle, and what is on the data port."""
    start = [
        *li(A, 100),
        *li(B, 7),
        *li(PAD, SPM_BASE),
        *li(PAD2, SPM_BASE + 4096),
        *li(LENGTH, 16),
        *li(MEMORY, DATA_BASE),
    ]
    words = [*start, csrwi("mvtype", 2), csrw("mvsize", LENGTH)]
    places = []
    for _, name, operands in SHOWN:
        words += [encode("addi")] * GAP
        # The first of them is for all harts the cycle before: a whole turn of single cycles.
        places.append(len(words))
        words.append(encode(name, **operands))
    words += [encode("addi")] * GAP
    words += [*li(31, EXIT_ADDRESS), encode("sw", rs1=31), encode("jal")]
    head = [encode("csrrs", rd=5, csr=CSR_ADDRESS["mhartid"]), encode("bne", rs1=5)]
    code = b"".join(word.to_bytes(4, "little") for word in (*head, *words))
    machine = load_architecture("t13-simd1")
    seen = simulation_of(machine, "icarus").observe(
        load_elf(write_elf([(RESET_PC, code)]), name="timing"), folder, last_cycle=5000
    )
    assert seen.ended == "exit"
    harts = dict(zip(seen.issues[:, 0].tolist(), seen.issues[:, 1].tolist(), strict=True))
    requests = {cycle: "w" if enables else "r" for cycle, enables, _, _ in seen.bus.tolist()}
    numbers = " ".join(f"{cycle:2}" for cycle in range(CYCLES))
    lines = [f"{'cycle':24} {numbers}"]
    for (title, _, _), place in zip(SHOWN, places, strict=True):
        pc = RESET_PC + 4 * (len(head) + place)
        at = seen.issues[np.flatnonzero((seen.issues[:, 2] == pc) & (seen.issues[:, 1] == 0))[0], 0]
        cycles = range(int(at), int(at) + CYCLES)
        enter = " ".join(f"{harts.get(cycle, '.'):>2}" for cycle in cycles)
        lines.append(f"{title:17} execute {enter}")
        port = " ".join(f"{requests.get(cycle, '.'):>2}" for cycle in cycles)
        lines += [f"{'':17} data    {port}"] if set(port) - set(" .") else []
    return "".join(f"    {line.rstrip()}\n" for line in lines)


def test_the_diagrams_of_the_page_are_what_our_rtl_does(tmp_path: Path) -> None:
    need(tool("icarus"))
    assert diagram(tmp_path) in PAGE.read_text("utf-8")
