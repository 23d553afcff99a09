"""``gnomon validate``: comparisons of the simulator with external references."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from gnomon.base.progress import steps_progress
from gnomon.cli._answer import CommandOutput, with_json_output
from gnomon.cli._options import Machine, Overrides, option, output_file

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gnomon.rtl.validate import Record

Out = Annotated[Path | None, output_file("--out", "CSV file for the results.")]

validate_app = typer.Typer(name="validate", help="Compare the simulator with external references.")


@validate_app.callback(invoke_without_command=True)
@with_json_output(2)
def validate(
    context: typer.Context,
    *,
    records: Path | None = option(
        "--records", "Folder of recorded results to print; nothing is run.", None
    ),
) -> CommandOutput:
    """Print the accuracy table: each comparison with its reference and its differences.

    Without a command, T13 measurements, latency models of dividers and published cells are compared
    now. The results of benches, lock-step and public suites are read from records. Exit code 1 if a
    value differs that must be equal. Each command repeats one comparison. Needs a checkout.
    """
    if context.invoked_subcommand is not None:
        return
    from gnomon.rtl.validate import read_records

    yield from _compare() if records is None else _print_table(read_records(records))


def _compare(
    only: Literal["rtl", "laws", "published"] | None = None, cells: Path | None = None
) -> CommandOutput:
    from gnomon.rtl.validate import accuracy_table

    with steps_progress(only or "validate") as steps:
        table = accuracy_table(steps, only, cells)
    yield from _print_table(table)


def _print_table(records: Sequence[Record]) -> CommandOutput:
    """Yield the accuracy table; exit with code 1 if a row is wrong."""
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
@with_json_output(2)
def rtl() -> CommandOutput:
    """Compare runs with T13 RTL measurements: cycles, 32-bit words, traps and traces."""
    yield from _compare("rtl")


@validate_app.command()
@with_json_output(2)
def laws() -> CommandOutput:
    """Compare the latency models of dividers with measured divisions."""
    yield from _compare("laws")


@validate_app.command()
@with_json_output(2)
def published(
    *,
    cells: Path | None = option(
        "--cells",
        "File of gnomon's cells.",
        None,
        shown="the file that models/published names",
    ),
) -> CommandOutput:
    """Compare gnomon's cells with the published ones; a difference is never exit code 1.

    A cell counts as reproduced if its ratio lies within a fixed band.
    """
    yield from _compare("published", cells)


@validate_app.command()
@with_json_output(2)
def dividers(
    *,
    kinds: list[str] | None = option(
        "--divider NAME", "Divider to compare (repeatable).", None, shown="all"
    ),
    random: int = option(
        "--random", "Number of random divisions per divider.", 1000, min=1, max=10_000_000
    ),
    seed: int = option("--seed", "Seed for random operands.", 1, min=0),
    out: Out = None,
    waves: Path | None = option("--waves", "Folder for a recording of every bench, 100 MHz.", None),
) -> CommandOutput:
    """Compare gnomon's divider RTL under cocotb with latency models and results of the simulator.

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
    yield from _print_table(records)


@validate_app.command()
@with_json_output(2)
def vector(
    *,
    vectors: int = option(
        "--vectors N", "Number of vector instructions per SIMD width.", 100_000, min=1
    ),
    out: Path = option("--out", "Folder for the report.", Path("reports", "validation")),
) -> CommandOutput:
    """Compare gnomon's vector unit under cocotb: busy intervals, traps and 32-bit words.

    The instructions are random streams.

    Takes hours at the default size. Needs a checkout and Icarus Verilog (`gnomon rtl tools`).
    """
    from gnomon.base.files import write_files
    from gnomon.rtl.validate import check_vector, read_records

    with steps_progress("vector") as steps:
        paths = write_files(out, check_vector(vectors, steps))
    table = next(path for path in paths if path.name == "rtl-vector.csv" and path.parent == out)
    yield from _print_table(read_records(table))


@validate_app.command()
@with_json_output(2)
def isa(
    *,
    riscv_tests: Path | None = option(
        "--riscv-tests", "Checkout of riscv-tests, built in place.", None
    ),
    arch_test: Path | None = option(
        "--arch-test", "Checkout of riscv-arch-test (old-framework-2.x), built in place.", None
    ),
    arch: Machine = "rv32im",
    overrides: Overrides = None,
    exceptions: list[str] | None = option("--except GROUP/NAME", "Test to leave out.", None),
    out: Out = None,
) -> CommandOutput:
    """Run public RISC-V test suites on a machine; exit code 1 if a test fails."""
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
