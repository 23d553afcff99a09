"""``gnomon validate rtl``: comparison of the simulator with measurements of the T13 RTL."""

from collections.abc import Callable, Sequence
from itertools import zip_longest

from gnomon.base.progress import Steps
from gnomon.rtl.setting import Setting
from gnomon.rtl.validate._core_vector import (
    multiply_and_divide,
    transfer_cycles,
    vector_cycles_measured,
    vector_words,
)
from gnomon.rtl.validate._measuring import (
    CORE,
    Issue,
    measured,
    measured_groups,
    measured_rows,
    measured_trace,
    run_bench,
    run_elf,
)
from gnomon.rtl.validate._record import Record, Tally

_MISALIGNED = {4, 6}


def whole_programs() -> Tally:
    """Compare every issue, then exit, counters and memory of the 14 programs."""
    tally = Tally()
    for row in measured_rows(CORE, "programs/expected.csv"):
        elf = measured(CORE, f"programs/{row['elf']}").read_bytes()
        _, run = run_elf(elf, row["elf"], Setting.from_row(row))
        issues = [] if run.trace is None else run.trace.tolist()
        got: dict[str, object] = {
            "issue": _first_difference(issues, measured_trace(row["name"])),
            "exit_cycle": run.exit_cycle,
            "exit_code_hex": "none" if run.exit_code is None else f"{run.exit_code:08x}",
            "data_ram_crc32": f"{int(run.memory_crc32['data'], 16):08x}",
        }
        for number, hart in enumerate(run.harts):
            got[f"issued_hart{number}"] = hart.issued
            got[f"vcu_retry_hart{number}"] = hart.vcu_retries
            got[f"retired_hart{number}"] = hart.retired
        tally.row(row["name"], {**row, "issue": "all as measured"}, got)
    return tally


def _first_difference(got: Sequence[Issue], theirs_all: Sequence[Issue]) -> str:
    for number, (ours, theirs) in enumerate(zip_longest(got, theirs_all)):
        if ours != theirs:
            return f"number {number} is {ours} (cycle, hart, pc, word), not {theirs}"
    return "all as measured"


def scalar_cycles() -> Tally:
    tally = Tally()
    by_run = measured_groups(CORE, "scalar.csv.xz", "program", "superscalar_exec_en")
    for (name, superscalar), rows in by_run.items():
        program, _, issues = run_bench(name, Setting(superscalar=superscalar == "1"))
        for row in rows:
            hart = int(row["hart"])
            start, end = (
                issues.first(program.symbol(row[f"{edge}_symbol"]).address, hart)
                for edge in ("start", "end")
            )
            where = f"{row['variant']}, {row['active_harts']} harts"
            tally.row(where, row, {"total_cycles": end - start})
    return tally


def overlap_cycles() -> Tally:
    """Compare cycles of three harts that contend for vector unit, transfers and memory."""
    tally = Tally()
    for row in measured_rows(CORE, "overlap.csv.xz"):
        program, _, issues = run_bench(row["program"], Setting.from_row(row))
        starts, ends = (
            [issues.first(program.symbol(f"{edge}{hart}").address, hart) for hart in range(3)]
            for edge in "he"
        )
        got: dict[str, object] = {
            f"hart{hart}_cycles": ends[hart] - starts[hart] for hart in range(3)
        }
        got["span_cycles"] = max(ends) - min(starts)
        tally.row(f"{row['scenario']}: {row['detail']}", row, got)
    return tally


def trap_causes() -> Tally:
    """Compare cause and place of every trap; the program prints mcause, mepc and mbadaddr."""
    tally = Tally()
    rows = measured_rows(CORE, "exceptions.csv")
    program, run, issues = run_bench("exceptions.elf", Setting(2))
    misaligned_seen = False
    printed = iter(run.printed)
    for row in rows:
        mcause, mepc, mbadaddr = (next(printed, -1) for _ in range(3))
        address = program.symbol(row["address_symbol"]).address
        place = "instruction address" if mepc == address else f"{mepc:#010x}"
        got: dict[str, object] = {
            "mcause_hex": f"{mcause:08x}" if mcause else "none",
            "mepc": place if mcause or mepc else "",
            "times_issued": issues.count(address),
        }
        # mbadaddr is undefined up to the first misaligned case, then 0 in every case.
        misaligned_seen |= mcause in _MISALIGNED
        if misaligned_seen or not mcause:
            got["mbadaddr"] = mbadaddr
        tally.row(row["case"], {**row, "mbadaddr": "0"}, got)
    return tally


def counter_steps() -> Tally:
    """Compare the increments of mcycle and minstret of each hart, with ``count_all`` off."""
    tally = Tally()
    for row in measured_rows(CORE, "hart_cycles.csv"):
        program, run, issues = run_bench(row["program"], Setting.from_row(row))
        got: dict[str, object] = {}
        printed = iter(run.printed)
        for hart in range(int(row["active_harts"])):
            suffix = f"_{hart}" if row["symbols"].endswith("_N") else ""
            c0, c1 = (
                issues.first(program.symbol(name + suffix).address, hart) for name in ("c0", "c1")
            )
            got[f"hart{hart}_mcycle_delta"] = next(printed, -1)
            got[f"hart{hart}_minstret_delta"] = next(printed, -1)
            got[f"hart{hart}_elapsed_cycles"] = c1 - c0
        tally.row(f"{row['program']}: {row['body']}", row, got)
    return tally


COMMAND = "gnomon validate rtl"
TOOL = "klessydra/T13x c2c62163, ghdl 2.0.0"
"""Source of the measurements: ``tests/reference/t13x/README.md``."""
_WHOLE = "14 whole programs: every issue, exit, counters, data memory"
_COMPARISONS: dict[str, Callable[[], Tally]] = {
    "T13: scalar instructions: cycles": scalar_cycles,
    "T13: vector instructions: busy cycles, what follows": vector_cycles_measured,
    "T13: transfers: busy cycles, requests, what follows": transfer_cycles,
    "T13: overlap and contention of 3 harts: cycles": overlap_cycles,
    "T13: vector instructions: result words": vector_words,
    "T13: M instructions: results": multiply_and_divide,
    "T13: traps: cause and place": trap_causes,
    "T13: counters of each hart, count_all off": counter_steps,
    f"T13: {_WHOLE}": whole_programs,
}


def check_core(steps: Steps) -> tuple[Record, ...]:
    """Run every measured program and compare without tolerance.

    Raises:
        GnomonError: if the measurements are missing (in a wheel), or a program does not terminate.
    """
    steps.plan(len(_COMPARISONS))
    records = []
    for quantity, compare in _COMPARISONS.items():
        records.append(compare().record(quantity, "rtl", COMMAND, TOOL))
        steps(quantity)
    return tuple(records)
