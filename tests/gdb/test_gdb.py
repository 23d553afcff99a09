"""A run that is stepped, stopped and looked into is the same run, to the last cycle."""

from __future__ import annotations

import random
import re
import shutil
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import pytest

from gnomon.arch import load_architecture
from gnomon.base.errors import GnomonError
from gnomon.observe.gdb import Session, listen_for_gdb
from gnomon.program import build, load_elf
from gnomon.sim import Region, load_engine, simulate
from tests.conftest import absent

if TYPE_CHECKING:
    from collections.abc import Callable

    from gnomon.arch import Architecture
    from gnomon.program import Program
    from gnomon.sim import Run

ROOT = Path(__file__).resolve().parents[2]
REFERENCE = sorted((ROOT / "tests" / "reference" / "t13x" / "programs").glob("*.elf"))
GDB = shutil.which("gdb-multiarch") or shutil.which("riscv64-unknown-elf-gdb")
QUICKSORT = ROOT / "examples" / "c" / "quicksort.c"


class Ask(Protocol):
    def __call__(self, packet: bytes, *, more: bytes = b"") -> bytes: ...


def outcome(run: Run) -> tuple[Any, ...]:
    """All that a run is, but for its warnings."""
    return (run.exit_code, run.exit_cycle, run.halted, run.harts, run.counters, run.printed,
            run.memory_crc32, run.vector_work)  # fmt: skip


@pytest.mark.parametrize("path", REFERENCE[::5], ids=lambda path: path.stem)
def test_steps_and_breakpoints_change_nothing(path: Path) -> None:
    program = load_elf(path)
    for seed, name in enumerate(("t13-simd4", "t13-simd1")):
        machine = load_architecture(name)
        plain = simulate(program, machine, max_cycles=200_000)
        rng = random.Random(seed)
        stops: list[int] = []

        def play(target: Any, rng: random.Random = rng, stops: list[int] = stops) -> None:
            while not target.ended and len(stops) < 300:
                stops.append(target.cycle)
                hart = rng.randrange(target.harts)
                pc = target.registers(hart)[32]
                target.set_breakpoint(pc + 4 * rng.randrange(4), there=rng.random() < 0.7)
                assert target.read(hart, pc, 4)
                target.go(hart if rng.random() < 0.8 else None, lambda: True)

        stepped = simulate(program, machine, max_cycles=200_000, debug=play)
        assert stops == sorted(stops)
        assert outcome(stepped) == outcome(plain)


def test_each_step_is_one_issue_of_its_hart() -> None:
    machine = load_architecture("rv32im")
    program = build([QUICKSORT], machine)
    traced = simulate(program, machine, trace=True)
    assert traced.trace is not None
    pcs: list[int] = []

    def play(target: Any) -> None:
        while not target.ended:
            pcs.append(target.registers(0)[32])
            target.go(0, lambda: False)

    run = simulate(program, machine, debug=play)
    assert pcs[:-1] == traced.trace["pc"].tolist()[: len(pcs) - 1]
    assert len(pcs) - len(traced.trace) in (0, 1)
    assert outcome(run) == outcome(traced)


def _served(program: Program, packets: list[bytes]) -> tuple[list[bytes], Run | Exception]:
    """The answers of a server to packets, which carry no acknowledgements."""
    machine = load_architecture("t13-simd4")
    load_engine()  # which may take long, before anything waits
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    found: list[Any] = []
    serve = listen_for_gdb(port)

    def run() -> None:
        try:
            found.append(simulate(program, machine, debug=serve))
        except GnomonError as error:
            found.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    answers = []
    with socket.create_connection(("127.0.0.1", port), timeout=120) as gdb:
        for packet in packets:
            gdb.sendall(b"$%s#%02x" % (packet, sum(packet) % 256))
            answer = b""
            while not re.search(rb"\$[^#]*#..", answer):
                more = gdb.recv(4096)
                if not more:
                    break
                answer += more
            answers.append(answer.partition(b"$")[2].partition(b"#")[0])
    thread.join(60)
    return answers, found[0]


def test_wrong_packets_get_an_answer(tmp_path: Path) -> None:
    program = build([QUICKSORT], load_architecture("t13-simd4"))
    wrong = [b"p99", b"pzz", b"m", b"mffffffff,8", b"M0,4:00000000", b"Hg9", b"T9", b"Z0,3,4",
             b"Z0,ffffff00,4", b"vCont;", b"nonsense", b"qRcmd,zz", b"P99=0", b"P1=ffffffffff",
             b"P1=", b"P-1=00000000", b"p-1", b"G00", b"m100000,-4", b"c80", b""]  # fmt: skip
    answers, run = _served(program, [*wrong, b"m100000,4", b"D"])
    assert all(answer in (b"E01", b"") for answer in answers[: len(wrong)])
    assert len(answers[-2]) == 8
    assert answers[-1] == b"OK"
    plain = simulate(program, load_architecture("t13-simd4"))
    assert not isinstance(run, Exception)
    assert outcome(run) == outcome(plain)


@pytest.mark.parametrize(
    "sent", [b"POST / HTTP/1.1\r\n\r\n$M100000,4:00000000#5f", b"$" + b"a" * 20_000]
)
def test_who_is_not_gdb_loses_the_connection(sent: bytes) -> None:
    """A page can make a browser send text to a port of the computer that it runs on."""
    machine = load_architecture("t13-simd4")
    program = build([QUICKSORT], machine)
    ends, gdb = socket.socketpair()
    with ends, gdb:
        gdb.sendall(sent)
        run = simulate(program, machine, debug=lambda target: Session(target, ends).serve())
        gdb.setblocking(False)
        with pytest.raises(BlockingIOError):
            gdb.recv(1)
    assert outcome(run) == outcome(simulate(program, machine))


def talk(program: Program, machine: Architecture, play: Callable[[Ask], None]) -> Run:
    """Return a run with a gdb that ``play`` plays: it sends packets and gets the answers."""
    ends, gdb = socket.socketpair()

    def ask(packet: bytes, *, more: bytes = b"") -> bytes:
        gdb.sendall(b"$%s#%02x%s" % (packet, sum(packet) % 256, more))
        answer = b""
        while not re.search(rb"\$[^#]*#..", answer):
            found = gdb.recv(4096)
            assert found, "the server has ended"
            answer += found
        return answer.partition(b"$")[2].partition(b"#")[0]

    def gone() -> None:
        with gdb:
            play(ask)

    thread = threading.Thread(target=gone, daemon=True)
    thread.start()
    with ends:
        run = simulate(
            program, machine, max_cycles=100_000_000,  # if gdb fails, the program may never end
            debug=lambda target: Session(target, ends).serve(),
        )  # fmt: skip
    thread.join(60)
    return run


def test_an_interrupt_stops_the_run_wherever_it_is(tmp_path: Path) -> None:
    source = tmp_path / "endless.c"
    source.write_text("int main(void) { for (volatile int on = 1; on;) {} return 7; }\n")
    machine = load_architecture("t13")
    told: list[bytes] = []

    def play(ask: Ask) -> None:
        told.append(ask(b"c", more=b"\x03"))
        told.append(ask(b"s"))
        sp = int.from_bytes(bytes.fromhex(ask(b"p2").decode()), "little")
        assert ask(b"M%x,10:%s" % (sp, b"0" * 32)) == b"OK"
        told.append(ask(b"D"))

    run = talk(build([source], machine), machine, play)
    assert told == [b"T02thread:1;", b"T05thread:1;", b"OK"]
    assert run.exit_code == 7


def test_no_hart_passes_a_breakpoint_while_another_steps_over_it(tmp_path: Path) -> None:
    """A breakpoint is lifted, and gdb asks that its hart continues alone, which it cannot."""
    source = tmp_path / "three.c"
    source.write_text(
        "static volatile int seen[3];\n"
        "__attribute__((noinline)) void work(int hart) { seen[hart]++; }\n"
        "int main(int hart) { for (int k = 0; k < 3; k++) work(hart); return 0; }\n"
    )
    machine = load_architecture("t13-simd4")
    program = build([source], machine, active_harts=3)
    at = program.symbol("work").address
    hits: list[bytes] = []

    def play(ask: Ask) -> None:
        while True:
            ask(b"Z0,%x,4" % at)
            stopped = ask(b"vCont;c")
            if stopped.startswith(b"W"):
                return
            hits.append(stopped)
            number = stopped[len("T05thread:") : -1]
            ask(b"z0,%x,4" % at)
            ask(b"Z0,%x,4" % (at + 4))
            assert ask(b"vCont;c:" + number) == stopped
            ask(b"z0,%x,4" % (at + 4))

    assert outcome(talk(program, machine, play)) == outcome(simulate(program, machine))
    assert sorted(hits) == [b"T05thread:%d;" % hart for hart in (1, 2, 3) for _ in range(3)]


def test_kill_ends_the_run() -> None:
    answers, run = _served(build([QUICKSORT], load_architecture("t13-simd4")), [b"?", b"k"])
    assert answers[0] == b"T05thread:1;"
    assert "gdb ended the run" in str(run)


def test_refusals() -> None:
    machine = load_architecture("t13-simd4")
    program = build([QUICKSORT], machine)
    region = Region("main", program.symbol("main").address)
    with pytest.raises(GnomonError, match="no regions"):
        simulate(program, machine, regions=[region], debug=lambda _: None)
    with pytest.raises(GnomonError, match="cannot listen"):
        listen_for_gdb(99999)


def test_gdb_attaches_breaks_reads_and_continues(tmp_path: Path) -> None:
    if GDB is None:
        absent("gdb: not found; install: sudo apt-get install gdb-multiarch")
    machine = load_architecture("t13-simd4")
    program = build([QUICKSORT], machine, active_harts=3, debug=True)
    elf = tmp_path / "quicksort.elf"
    elf.write_bytes(program.elf)
    command = [sys.executable, "-m", "gnomon", "run", str(elf), "--arch", "t13-simd4", "--json"]
    server = subprocess.Popen([*command, "--gdb", "0"], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, cwd=ROOT)  # fmt: skip
    assert server.stderr is not None
    line = next(line for line in server.stderr if "target remote" in line)
    place = line.rpartition(" ")[2].strip()
    assert place.startswith("127.0.0.1:")
    ask = [f"target remote {place}", "break sort", "continue", "bt", "info registers pc",
           "x/1xw &x", "delete", "stepi", "thread 3", "info registers pc", "continue"]  # fmt: skip
    words = [word for each in ask for word in ("-ex", each)]
    done = subprocess.run([GDB, "-q", "-nx", "-batch", *words, str(elf)], capture_output=True,
                          text=True, timeout=120, check=False)  # fmt: skip
    told, _ = server.communicate(timeout=120)
    sort = program.symbol("sort").address
    assert "hit Breakpoint 1, sort" in done.stdout, done.stdout + done.stderr
    assert re.search(rf"pc\s+{hex(sort)}\s", done.stdout)
    assert re.search(r"in work \(hart=", done.stdout)
    assert "exited normally" in done.stdout
    plain = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=True)
    assert told == plain.stdout
