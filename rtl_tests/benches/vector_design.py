"""Build of the vector unit: its sources, and the bench around it."""

import json
import shlex
import struct
from pathlib import Path
from typing import Any

from gnomon.base.content import content
from gnomon.base.errors import CheckFailed
from gnomon.isa import assemble
from gnomon.rtl import VECTOR_UNIT, Bench, Tool
from gnomon.rtl.bare_metal import EXIT_ADDRESS, PRINT_ADDRESS, RESET_PC, start_text, write_elf
from rtl_tests.benches.vector_stream import MEMORY_BASE, REDUCTIONS, ROWS, Config, Issue, Stream


def bench(config: Config, hdl: Path | None = None) -> Bench:
    """Return the vector unit in its harness; ``hdl``: the folder of another design."""
    folder = hdl or content("rtl_tests", "hdl")
    harness = content("rtl_tests", "benches", "vector_harness.sv")
    return Bench(
        top="vector_harness",
        sources=(*(folder / name for name in VECTOR_UNIT), harness),
        module="rtl_tests.benches.vector_bench",
        parameters=config.parameters,
    )


def run_streams(
    config: Config,
    folder: Path,
    *,
    seed: int,
    simulator: Tool,
    directed: bool,
    random: int,
    length: int = 40,
    shrink: bool = True,
    hdl: Path | None = None,
) -> dict[str, Any]:
    """Compare a unit with the model; return what was compared and covered.

    Raises:
        CheckFailed: if it differs. The message has the shortest failing stream, the command
            that runs it in the simulator, and the path of the waves.
    """
    told = {
        "config": {name: getattr(config, name) for name in config.__slots__},
        "directed": directed, "random": random, "length": length, "shrink": shrink,
    }  # fmt: skip
    unit = bench(config, hdl)
    outcome = unit.run(folder, seed=seed, arguments=told, simulator=simulator)
    if not outcome["failures"]:
        return outcome
    first = outcome["failures"][0]
    if not shrink:
        raise CheckFailed(f"{config}, seed {seed}: {'; '.join(first['differences'])}")
    failing = folder / "failing.json"
    failing.write_text(json.dumps([first["stream"]]), encoding="utf-8")
    command = write_program(Stream.from_json(first["stream"]), config, folder)
    told["streams"] = str(failing)
    again = unit.run(folder / "waves", seed=seed, arguments=told, simulator=simulator, waves=True)
    assert again["failures"], "the shortest stream fails again"
    recording = next((folder / "waves").glob("*.fst"), folder / "waves")
    raise CheckFailed(
        f"{config}, seed {seed}: {'; '.join(first['differences'])}\n{first['shown']}\n"
        f"what the model does: {command}\nwaves: {recording}"
    )


PRINTED_WORDS = 16
_PASS_OVER = """
    csrrs t3, mepc, zero       # a refused instruction is passed over
    addi t3, t3, 4
    csrrw zero, mepc, t3
    mret
"""


def program_text(stream: Stream, config: Config) -> str:
    """Return a stream as assembly; memory must hold the stream's words."""
    lines = [start_text(_PASS_OVER), f"li s0, {PRINT_ADDRESS}"]
    for issue in stream.issues:
        lines += _instruction(issue)
    out = MEMORY_BASE + config.memory_bytes
    last = stream.issues[-1]
    if last.name is not None and not (last.transfer and last.name == "kmemstr"):
        count = min(_words(last, config), PRINTED_WORDS)
        lines += [f"li a0, {out}", f"li a1, {last.rd & ~3}", f"li a2, {4 * count}"]
        lines += ["kmemstr a0, a1, a2"]
        for index in range(count):
            lines += [f"lw t0, {4 * index}(a0)", "sw t0, 0(s0)"]
    lines += [f"li t0, {EXIT_ADDRESS}", "sw zero, 0(t0)", "end: jal zero, end"]
    return "\n".join(lines) + "\n"


def _words(issue: Issue, config: Config) -> int:
    if issue.name in REDUCTIONS:
        return 1
    size = issue.rs2 & (2 * config.spm_bytes - 1) if issue.transfer else issue.mvsize
    return max((size + 3) // 4, 1)


def _instruction(issue: Issue) -> list[str]:
    if issue.name is None:
        return [f"# an encoding that no core knows, funct7 {issue.funct7}"]
    lines = []
    if not issue.transfer:
        for name in ("mvsize", "mvtype", "mpsclfac"):
            lines += [f"li t0, {getattr(issue, name)}", f"csrrw zero, {name}, t0"]
    row = ROWS[issue.name]
    operands = []
    for register, role, value in (
        ("a0", row.rd, issue.rd),
        ("a1", row.rs1, issue.rs1),
        ("a2", row.rs2, issue.rs2),
    ):
        if role is not None:
            lines.append(f"li {register}, {value}")
            operands.append(register)
    return [*lines, f"{issue.name} {', '.join(operands)}"]


def write_program(stream: Stream, config: Config, folder: Path) -> str:
    """Write ``failing.s`` and ``failing.elf``; return the command that runs it."""
    text = program_text(stream, config)
    (folder / "failing.s").write_text(text, encoding="utf-8")
    parts = {RESET_PC: assemble(text, RESET_PC, name="failing.s"), MEMORY_BASE: stream.memory}
    path = folder / "failing.elf"
    path.write_bytes(
        write_elf([(at, struct.pack(f"<{len(words)}I", *words)) for at, words in parts.items()])
    )
    settings = [word for override in config.overrides for word in ("--set", override)]
    return shlex.join(["gnomon", "run", str(path), "--arch", "t13-simd1", *settings])
