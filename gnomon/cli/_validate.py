"""``gnomon validate``: the simulator against external references."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gnomon.base.options import Json, Machine, Overrides, option

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gnomon.rtl.validate import Record

Out = Annotated[Path | None, option("--out", "Record the results here.")]

validate_app = typer.Typer(name="validate", help="The simulator against external references.")


@validate_app.callback(invoke_without_command=True)
def validate(
    context: typer.Context,
    *,
    records: Annotated[
        Path | None, typer.Option(help="Only the recorded results in this folder; nothing is run.")
    ] = None,
    as_json: Json = False,
) -> None:
    """The accuracy table: what was compared with which truth, and what differed.

    Without a command: the T13 measurements, divider laws and published cells compared now, and
    what is recorded of the benches, the lock-step and the public suites. Exit code 1 if anything
    differs that must be equal. Each command compares one kind again. Needs a checkout.
    """
    if context.invoked_subcommand is not None:
        return
    from gnomon.base.progress import steps_progress
    from gnomon.rtl.validate import Record, accuracy_table

    if records is not None:
        _show(Record.read(records), as_json=as_json)
        return
    with steps_progress("validate") as steps:
        table = accuracy_table(steps)
    _show(table, as_json=as_json)


def _show(records: Sequence[Record], *, as_json: bool) -> None:
    if as_json:
        print(json.dumps({"rows": [record.to_json() for record in records]}, indent=2))
    else:
        width = max(len("quantity"), *(len(row.quantity) for row in records))
        print(
            f"{'quantity':<{width}}  {'truth':<9}  {'must be':<14}  {'how':<8}  {'compared':>9}  "
            f"{'mismatches':>10}  worst"
        )
        for row in records:
            how = "recorded" if row.origin else "live"
            print(
                f"{row.quantity:<{width}}  {row.truth:<9}  {row.criterion:<14}  {how:<8}  "
                f"{row.compared:>9}  {row.mismatches:>10}  {row.worst or '-'}"
            )
        for line in dict.fromkeys(_source(record) for record in records):
            print(line)
    if any(row.is_wrong for row in records):
        raise typer.Exit(1)


def _source(record: Record) -> str:
    file = record.origin.rpartition(":")[0]
    place = f"recorded in {file}" if file else "live"
    return f"{place}: {record.tool}; repeat: {record.command}"


@validate_app.command()
def rtl(*, as_json: Json = False) -> None:
    """Run the programs measured on the T13 RTL and compare cycles, words, traps and traces."""
    from gnomon.base.progress import steps_progress
    from gnomon.rtl.validate import check_core

    with steps_progress("rtl") as steps:
        records = check_core(steps)
    _show(records, as_json=as_json)


@validate_app.command()
def laws(*, as_json: Json = False) -> None:
    """Compare the laws of dividers with measured divisions."""
    from gnomon.rtl.validate import check_laws

    _show(check_laws(), as_json=as_json)


@validate_app.command()
def published(
    *,
    cells: Annotated[
        Path | None, typer.Option(help="Our cells; else reports/paper/cells.csv of a checkout.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Hold our cells against the printed ones: inside a band, not equal; never exit code 1."""
    from gnomon.rtl.validate import check_published

    _show(check_published(cells), as_json=as_json)


@validate_app.command()
def dividers(
    *,
    kinds: Annotated[
        list[str] | None, option("--divider NAME", "Only this divider (repeatable).")
    ] = None,
    random: Annotated[
        int, typer.Option(min=1, max=10_000_000, help="Random divisions per divider.")
    ] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="Of the random operands.")] = 1,
    out: Out = None,
    waves: Annotated[
        Path | None, typer.Option(help="Folder for a recording of every bench, 100 MHz.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Run our divider RTL under cocotb and compare it with the laws and results of the simulator.

    Needs a checkout and Icarus Verilog (`gnomon rtl tools`).
    """
    from gnomon.base.files import write_file
    from gnomon.base.progress import steps_progress
    from gnomon.rtl.validate import Record, check_dividers

    with steps_progress("dividers") as steps:
        records = check_dividers(
            random=random, seed=seed, kinds=kinds or (), waves=waves, steps=steps
        )
    if out is not None:
        write_file(out, Record.csv(records, "Our divider RTL under cocotb beside the model."))
    _show(records, as_json=as_json)


@validate_app.command()
def vector(
    *,
    vectors: Annotated[
        int, typer.Option(min=1, metavar="N", help="Vector instructions at each SIMD.")
    ] = 100_000,
    out: Annotated[Path, typer.Option(help="Folder for the report.")] = Path(
        "reports", "validation"
    ),
    as_json: Json = False,
) -> None:
    """Run random streams on our vector unit under cocotb: busy intervals, traps and words.

    Takes hours at the default size. Needs a checkout and Icarus Verilog (`gnomon rtl tools`).
    """
    from gnomon.base.files import write_files
    from gnomon.base.progress import steps_progress
    from gnomon.rtl.validate import Record, check_vector

    with steps_progress("vector") as steps:
        paths = write_files(out, check_vector(vectors, steps))
    table = next(path for path in paths if path.name == "rtl-vector.csv" and path.parent == out)
    _show(Record.read(table), as_json=as_json)


@validate_app.command()
def isa(
    *,
    riscv_tests: Annotated[
        Path | None, typer.Option(help="A riscv-tests checkout, built in place.")
    ] = None,
    arch_test: Annotated[
        Path | None,
        typer.Option(help="A riscv-arch-test checkout (old-framework-2.x), built in place."),
    ] = None,
    arch: Machine = "rv32im",
    overrides: Overrides = None,
    exceptions: Annotated[
        list[str] | None, option("--except GROUP/NAME", "Leave one test out.")
    ] = None,
    out: Out = None,
    as_json: Json = False,
) -> None:
    """Run public RISC-V test suites on a machine (exit code 1 if a test does not pass)."""
    from gnomon.base.files import write_file
    from gnomon.rtl.validate import Record, check_isa

    report = check_isa(
        arch,
        riscv_tests_path=riscv_tests,
        arch_test_path=arch_test,
        overrides=overrides or (),
        exceptions=exceptions or (),
    )
    if out is not None:
        head = "Public RISC-V test suites; compared are tests."
        write_file(out, Record.csv(report.records(), head))
    if as_json:
        print(json.dumps(report.to_json(), indent=2))
    else:
        for row in report.rows:
            print(f"{row.quantity}: {row.compared - row.mismatches} of {row.compared} tests pass")
        for result in report.failures:
            print(f"  {result.test.title}: {result.failure}")
        for title in report.excepted:
            print(f"  {title}: left out")
    if report.failures:
        raise typer.Exit(1)
