"""``gnomon validate``: the simulator against external references."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from gnomon.base.progress import steps_progress
from gnomon.cli._answer import Answer, answers
from gnomon.cli._options import Machine, Overrides, option, output_file

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gnomon.rtl.validate import Record

Out = Annotated[Path | None, output_file("--out", "Record the results here.")]

validate_app = typer.Typer(name="validate", help="The simulator against external references.")


@validate_app.callback(invoke_without_command=True)
@answers(2)
def validate(
    context: typer.Context,
    *,
    records: Path | None = option(
        "--records", "Only the recorded results in this folder; nothing is run.", None
    ),
) -> Answer:
    """The accuracy table: what was compared with which truth, and what differed.

    Without a command: the T13 measurements, divider laws and published cells compared now, and
    what is recorded of the benches, the lock-step and the public suites. Exit code 1 if anything
    differs that must be equal. Each command compares one kind again. Needs a checkout.
    """
    if context.invoked_subcommand is not None:
        return
    from gnomon.rtl.validate import read_records

    yield from _compared() if records is None else _told(read_records(records))


def _compared(
    only: Literal["rtl", "laws", "published"] | None = None, cells: Path | None = None
) -> Answer:
    from gnomon.rtl.validate import accuracy_table

    with steps_progress(only or "validate") as steps:
        table = accuracy_table(steps, only, cells)
    yield from _told(table)


def _told(records: Sequence[Record]) -> Answer:
    """Rows of the accuracy table; exit code 1 if one is wrong."""
    width = max(len("quantity"), *(len(row.quantity) for row in records))
    rows = [("quantity", "truth", "must be", "how", "compared", "mismatches", "worst")]
    for row in records:
        how = "recorded" if row.origin else "live"
        numbers = (str(row.compared), str(row.mismatches), row.worst or "-")
        rows.append((row.quantity, row.truth, row.criterion, how, *numbers))
    lines = [
        f"{a:<{width}}  {b:<9}  {c:<14}  {d:<8}  {e:>9}  {f:>10}  {g}"
        for a, b, c, d, e, f, g in rows
    ]
    sources = dict.fromkeys(_source(record) for record in records)
    yield {"rows": [record.to_json() for record in records]}, [*lines, *sources]
    if any(row.is_wrong for row in records):
        raise typer.Exit(1)


def _source(record: Record) -> str:
    file = record.origin.rpartition(":")[0]
    place = f"recorded in {file}" if file else "live"
    return f"{place}: {record.tool}; repeat: {record.command}"


@validate_app.command()
@answers(2)
def rtl() -> Answer:
    """Run the programs measured on the T13 RTL and compare cycles, words, traps and traces."""
    yield from _compared("rtl")


@validate_app.command()
@answers(2)
def laws() -> Answer:
    """Compare the laws of dividers with measured divisions."""
    yield from _compared("laws")


@validate_app.command()
@answers(2)
def published(
    *,
    cells: Path | None = option(
        "--cells", "Our cells; else those of a checkout that models/published names.", None
    ),
) -> Answer:
    """Hold our cells against the printed ones: inside a band, not equal; never exit code 1."""
    yield from _compared("published", cells)


@validate_app.command()
@answers(2)
def dividers(
    *,
    kinds: list[str] | None = option("--divider NAME", "Only this divider (repeatable).", None),
    random: int = option("--random", "Random divisions per divider.", 1000, min=1, max=10_000_000),
    seed: int = option("--seed", "Of the random operands.", 1, min=0),
    out: Out = None,
    waves: Path | None = option("--waves", "Folder for a recording of every bench, 100 MHz.", None),
) -> Answer:
    """Run our divider RTL under cocotb and compare it with the laws and results of the simulator.

    Needs a checkout and Icarus Verilog (`gnomon rtl tools`).
    """
    from gnomon.base.files import write_file
    from gnomon.rtl.validate import check_dividers, format_records

    with steps_progress("dividers") as steps:
        records = check_dividers(
            random=random, seed=seed, kinds=kinds or (), waves=waves, steps=steps
        )
    if out is not None:
        write_file(out, format_records(records, "Our divider RTL under cocotb beside the model."))
    yield from _told(records)


@validate_app.command()
@answers(2)
def vector(
    *,
    vectors: int = option("--vectors N", "Vector instructions at each SIMD.", 100_000, min=1),
    out: Path = option("--out", "Folder for the report.", Path("reports", "validation")),
) -> Answer:
    """Run random streams on our vector unit under cocotb: busy intervals, traps and words.

    Takes hours at the default size. Needs a checkout and Icarus Verilog (`gnomon rtl tools`).
    """
    from gnomon.base.files import write_files
    from gnomon.rtl.validate import check_vector, read_records

    with steps_progress("vector") as steps:
        paths = write_files(out, check_vector(vectors, steps))
    table = next(path for path in paths if path.name == "rtl-vector.csv" and path.parent == out)
    yield from _told(read_records(table))


@validate_app.command()
@answers(2)
def isa(
    *,
    riscv_tests: Path | None = option(
        "--riscv-tests", "A riscv-tests checkout, built in place.", None
    ),
    arch_test: Path | None = option(
        "--arch-test", "A riscv-arch-test checkout (old-framework-2.x), built in place.", None
    ),
    arch: Machine = "rv32im",
    overrides: Overrides = None,
    exceptions: list[str] | None = option("--except GROUP/NAME", "Leave one test out.", None),
    out: Out = None,
) -> Answer:
    """Run public RISC-V test suites on a machine (exit code 1 if a test does not pass)."""
    from gnomon.base.files import write_file
    from gnomon.rtl.validate import check_isa, format_records

    report = check_isa(
        arch,
        riscv_tests_path=riscv_tests,
        arch_test_path=arch_test,
        overrides=overrides or (),
        exceptions=exceptions or (),
    )
    if out is not None:
        head = "Public RISC-V test suites; compared are tests."
        write_file(out, format_records(report.records(), head))
    yield report.to_json, [
        *(f"{row.quantity}: {row.compared - row.mismatches} of {row.compared} tests pass"
          for row in report.rows),
        *(f"  {result.test.title}: {result.failure}" for result in report.failures),
        *(f"  {title}: left out" for title in report.excepted),
    ]  # fmt: skip
    if report.failures:
        raise typer.Exit(1)
