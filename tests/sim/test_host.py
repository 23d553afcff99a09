"""Programs that call a host: semihosting as C libraries use it, tohost as riscv-tests do."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from gnomon.arch import Architecture, load_architecture
from gnomon.base.errors import GnomonError
from gnomon.program import build, load_elf
from gnomon.sim import Run, simulate
from tests.conftest import absent, need_riscv_gcc
from tests.sim.test_devices import run_of

BOARD = "extends: rv32im\nname: board\ntitle: A core with a host\ndevices: {host: {kind: KIND}}\n"


def board(folder: Path, kind: str, further: str = "") -> Architecture:
    path = folder / "board.yaml"
    path.write_text(BOARD.replace("KIND", kind) + further)
    return load_architecture(path)


def runs_of(text: str, machine: Architecture, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """The run of a program, which neither slices nor tiers nor a trace change."""
    first = run_of(text, machine, folder)
    monkeypatch.setenv("GNOMON_BLOCKS", "force")
    others = [run_of(text, machine, folder, quantum_cycles=13), run_of(text, machine, folder,
              trace=True, calls=True)]  # fmt: skip
    assert all(each.to_json() == first.to_json() for each in others)
    return first


CALL = """
#include <stdint.h>
#include <stdio.h>
#include <string.h>
static int call(int number, const void *block) {
    register int a0 __asm__("a0") = number;
    register const void *a1 __asm__("a1") = block;
    __asm__ volatile(".option push\\n.option norvc\\n"
                     "slli x0, x0, 0x1f\\nebreak\\nsrai x0, x0, 7\\n.option pop"
                     : "+r"(a0) : "r"(a1) : "memory");
    return a0;
}
static uintptr_t block[3];
static const void *three(uintptr_t a, uintptr_t b, uintptr_t c) {
    block[0] = a; block[1] = b; block[2] = c;
    return block;
}
static int open(const char *name, int mode) {
    return call(1, three((uintptr_t)name, (uintptr_t)mode, strlen(name)));
}
static char buffer[4000];
"""
TALK = """
int main(void) {
    printf("%d %d %d ", open(":tt", 0), open(":tt", 4), open(":tt", 8));
    int features = open(":semihosting-features", 0), file = open("notes.txt", 4);
    printf("%d %d %d ", features, file, call(0x13, 0));
    printf("%d ", call(0x0C, three(features, 0, 0)));
    printf("%d ", call(6, three(features, (uintptr_t)buffer, 9)));       /* 4 are missing */
    printf("%s %d ", buffer, buffer[4]);
    printf("%d ", call(0x0A, three(features, 4, 0)));
    printf("%d ", call(6, three(features, (uintptr_t)buffer, 1)));
    printf("%d ", buffer[0]);
    printf("%d %d ", call(2, three(features, 0, 0)), call(2, three(features, 0, 0)));
    printf("%d %d ", call(9, three(2, 0, 0)), call(9, three(9, 0, 0)));
    printf("%d %d\\n", call(6, three(1, (uintptr_t)buffer, 5)), call(7, 0)); /* no input */
    call(4, "zero ends it\\n");
    call(3, "!?");
    memset(buffer, 'x', sizeof buffer);
    return call(5, three(2, (uintptr_t)buffer, sizeof buffer)) + call(5, three(7, 0, 3)) + 50;
}
"""
EXIT = """
int main(void) {
    call(4, "exits\\n");
    call(NUMBER, ARGUMENT);
    for (;;) call(4, "never\\n");
}
"""


def test_the_host_answers_calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = runs_of(CALL + TALK, board(tmp_path, "semihosting"), tmp_path, monkeypatch)
    answers, zero, rest = run.console.split("\n")
    assert answers == "1 2 3 4 -1 2 5 4 SHFB\3 3 0 0 3 0 -1 1 0 5 -1"
    assert zero == "zero ends it"
    assert rest == "!" + "x" * 4000
    assert (run.halted, run.exit_code) == ("exit", 53)


@pytest.mark.parametrize(
    ("number", "argument", "code"),
    [
        (0x18, "(void *)0x20026", 0),
        (0x18, "(void *)0x20023", 1),
        (0x20, "three(0x20026, 42, 0)", 42),
        (0x20, "three(0x20023, 42, 0)", 1),
    ],
)
def test_a_call_ends_the_run(number: int, argument: str, code: int, tmp_path: Path) -> None:
    text = CALL + EXIT.replace("NUMBER", str(number)).replace("ARGUMENT", argument)
    run = run_of(text, board(tmp_path, "semihosting"), tmp_path)
    assert (run.halted, run.exit_code, run.console) == ("exit", code, "exits\n")
    assert sum(run.counters.values()) == run.wall_cycles


def test_a_call_takes_the_cycles_of_an_ebreak(tmp_path: Path) -> None:
    body = "int main(void) {{ {} return 0; }}"
    runs = []
    for count in (1, 4):
        text = CALL + body.format('call(4, "x");' * count)
        machine = board(tmp_path, "semihosting", "core: {latency: {system: 7}}\n")
        runs.append(run_of(text, machine, tmp_path))
    few, many = (each.counters["hart0.execute.system"] for each in runs)
    assert many - few == 3 * (7 - 1)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("call(0x11, 0);", "semihosting call 0x11, which is not modeled (allowed: 0x01 to 0x0A"),
        ("call(4, (void *)0x400000);", "load from 0x00400000, where the machine has no memory"),
        ("call(5, three(1, 0, 1 << 30)); call(5, three(2, 0, 1 << 30));",
         "call of the host with 1,073,741,824 bytes, more than 1 MiB"),
        ('__asm__ volatile("ebreak");', "ebreak"),
    ],
)  # fmt: skip
def test_what_the_host_does_not_answer_stops_the_run(
    body: str, reason: str, tmp_path: Path
) -> None:
    run = run_of(f"{CALL}int main(void) {{ {body} return 0; }}", board(tmp_path, "semihosting"),
                 tmp_path)  # fmt: skip
    if reason == "ebreak":  # not between the marks: a breakpoint of the program
        assert (run.halted, run.exit_code) == ("exit", 0xDEAD0003)
        return
    assert run.halted == "fault"
    assert reason in run.reason
    assert " in call: " in run.reason or " in main: " in run.reason


TOHOST = """
#include <stdint.h>
#include <string.h>
__attribute__((section(".text.tohost"), aligned(64))) volatile uint64_t tohost = 0;
__attribute__((section(".text.tohost"), aligned(64))) volatile uint64_t fromhost = 0;
static volatile uint64_t request[8] __attribute__((aligned(64)));
static void print(const char *text) {
    request[0] = 64; request[1] = 1; request[2] = (uintptr_t)text; request[3] = strlen(text);
    *(volatile uint32_t *)&tohost = (uintptr_t)request;
    while (!fromhost) {}
    fromhost = 0;
}
static void put(char c) {
    ((volatile uint32_t *)&tohost)[1] = 0x01010000u;
    ((volatile uint32_t *)&tohost)[0] = (unsigned char)c;
    while (!fromhost) {}
    fromhost = 0;
}
int main(void) {
    print("three words\\n");
    if (request[0] != 12 || tohost) return 1;
    put('c');
    BODY
    for (;;) {}
}
"""


def test_stores_to_tohost_call_the_host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    machine = board(tmp_path, "tohost")
    text = TOHOST.replace("BODY", "*(volatile uint32_t *)&tohost = 2 * 1337 + 1;")
    run = runs_of(text, machine, tmp_path, monkeypatch)
    assert (run.halted, run.exit_code, run.console) == ("exit", 1337, "three words\nc")
    odd = TOHOST.replace("BODY", "request[0] = 57; *(volatile uint32_t *)&tohost = (int)request;")
    run = run_of(odd, machine, tmp_path)
    assert run.halted == "fault"
    assert "request 57 to tohost, which is not modeled" in run.reason


def test_tohost_in_one_memory_may_lie_after_the_code(tmp_path: Path) -> None:
    memory = "{base: 0x80000000, size: 256 KiB}"
    machine = board(tmp_path, "tohost", f"memory: {{instruction: {memory}, data: {memory}}}\n")
    text = TOHOST.replace(".text.tohost", ".data.tohost").replace(
        "BODY", "*(volatile uint32_t *)&tohost = 11;")  # fmt: skip
    run = run_of(text, machine, tmp_path)
    assert (run.halted, run.exit_code, run.console) == ("exit", 5, "three words\nc")


def test_tohost_must_be_where_stores_are_observed(tmp_path: Path) -> None:
    text = TOHOST.replace(".text.tohost", ".data.tohost").replace("BODY", "")
    machine = board(tmp_path, "tohost")
    with pytest.raises(GnomonError, match=r"tohost is at 0x001.*; device host of board needs it"):
        run_of(text, machine, tmp_path)
    with pytest.raises(GnomonError, match="is a tohost, and the program has no symbol tohost"):
        run_of("int main(void) { return 0; }", machine, tmp_path)


PICOLIBC = Path("/usr/lib/picolibc/riscv64-unknown-elf")
LIBRARY_PROGRAM = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int table[4] = {3, 1, 4, 2};
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
int main(void) {
    qsort(table, 4, sizeof table[0], compare);
    char *text = malloc(40);
    if (!text) return 1;
    snprintf(text, 40, "%d %d %d %d %.3f", table[0], table[1], table[2], table[3], 2.5);
    printf("sorted: %s\\n", text);
    fprintf(stderr, "to stderr\\n");
    exit(100 + (int)strlen(text));
}
"""
FLASH_AND_RAM = """
memory:
  instruction: none
  data: none
  regions:
    flash: {base: 0x10000000, size: 64 KiB, kind: flash, waits: 2}
    ram: {base: 0x20000000, size: 32 KiB, kind: ram}
  link: {text: flash, data: ram}
"""


def test_an_unmodified_picolibc_writes_and_exits(tmp_path: Path) -> None:
    """Its own start-up, linker script and semihosting: only the compiler builds the program."""
    need_riscv_gcc()
    specs = Path(os.environ.get("PICOLIBC_SPECS", PICOLIBC / "picolibc.specs"))
    if not specs.is_file():
        absent("picolibc: not found; install: sudo apt-get install picolibc-riscv64-unknown-elf")
    (tmp_path / "it.c").write_text(LIBRARY_PROGRAM)
    compiler = shutil.which("riscv64-unknown-elf-gcc")
    assert compiler is not None
    subprocess.run(
        [compiler, f"--specs={specs}", "--oslib=semihost", "--crt0=hosted", "-march=rv32im",
         "-mabi=ilp32", "-O1", tmp_path / "it.c", "-o", tmp_path / "it.elf"], check=True,
    )  # fmt: skip
    run = simulate(load_elf(tmp_path / "it.elf"), board(tmp_path, "semihosting", FLASH_AND_RAM))
    assert (run.halted, run.exit_code) == ("exit", 100 + len("1 2 3 4 2.500"))
    assert run.console == "sorted: 1 2 3 4 2.500\nto stderr\n"
    assert not run.warnings


def test_without_the_device_a_call_is_a_breakpoint(tmp_path: Path) -> None:
    (tmp_path / "it.c").write_text(CALL + EXIT.replace("NUMBER, ARGUMENT", "0x18, 0"))
    machine = load_architecture("rv32im")
    run = simulate(build([tmp_path / "it.c"], machine), machine, max_cycles=100_000)
    assert (run.halted, run.exit_code, run.console) == ("exit", 0xDEAD0003, "")
