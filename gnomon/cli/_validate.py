"""``gnomon validate``: the simulator against truths from outside."""

from __future__ import annotations

import json
from pathlib import Path  # noqa: TC003 - typer reads it at run time
from typing import TYPE_CHECKING, Annotated

import typer

from gnomon.cli._options import Json  # noqa: TC001 - typer reads it at run time

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gnomon.validate import Record

validate_app = typer.Typer(name="validate", help="The simulator against truths from outside.")


@validate_app.callback(invoke_without_command=True)
def validate(
    context: typer.Context,
    *,
    records: Annotated[
        Path | None,
        typer.Option(help="Folder with recorded results; else reports/validation of a checkout."),
    ] = None,
    as_json: Json = False,
) -> None:
    """The accuracy table: what was compared with which truth, and what differed.

    Without a command: the recorded results (exit code 1 if any of them differs). Each command
    compares again.
    """
    if context.invoked_subcommand is not None:
        return
    from gnomon.content import content
    from gnomon.validate import read_records

    _show(read_records(records or content("reports", "validation")), as_json=as_json)


def _show(records: Sequence[Record], *, as_json: bool) -> None:
    rows = [record.row for record in records]
    if as_json:
        print(json.dumps({"rows": [record.to_json() for record in records]}, indent=2))
    else:
        width = max(len("quantity"), *(len(row.quantity) for row in rows))
        print(f"{'quantity':<{width}}  {'truth':<9}  {'compared':>9}  {'mismatches':>10}  worst")
        for row in rows:
            print(
                f"{row.quantity:<{width}}  {row.truth:<9}  {row.compared:>9}  "
                f"{row.mismatches:>10}  {row.worst or '-'}"
            )
        files = {record.origin.rpartition(":")[0]: record for record in records if record.origin}
        for file, record in files.items():
            print(f"recorded in {file}: {record.tool}; repeat: {record.command}")
    if any(row.mismatches for row in rows):
        raise typer.Exit(1)


@validate_app.command()
def dividers(
    *,
    kinds: Annotated[
        list[str] | None,
        typer.Option("--divider", metavar="NAME", help="Only this divider (repeatable)."),
    ] = None,
    random: Annotated[
        int, typer.Option(min=1, max=10_000_000, help="Random divisions per divider.")
    ] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="Of the random operands.")] = 1,
    out: Annotated[Path | None, typer.Option(help="Record the results here.")] = None,
    waves: Annotated[
        Path | None, typer.Option(help="Folder for a recording of every bench, 100 MHz.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Run our divider RTL under cocotb beside the laws and results of the simulator.

    Needs a checkout and Icarus Verilog (`gnomon rtl tools`).
    """
    from gnomon.cli._progress import steps_progress
    from gnomon.files import write_file
    from gnomon.rtl import DIVIDER_KINDS
    from gnomon.validate import check_dividers, record_bytes

    steps = len(kinds) if kinds else len(DIVIDER_KINDS) + 4
    with steps_progress("dividers", steps) as done:
        records = check_dividers(
            random=random, seed=seed, kinds=kinds or (), waves=waves, done=done
        )
    if out is not None:
        write_file(out, record_bytes(records, "Our divider RTL under cocotb beside the model."))
    _show(records, as_json=as_json)


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
    arch: Annotated[
        str, typer.Option(help="A shipped machine, or the path of a YAML file.")
    ] = "rv32im",
    overrides: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Change one key of the machine."),
    ] = None,
    exceptions: Annotated[
        list[str] | None,
        typer.Option("--except", metavar="GROUP/NAME", help="Leave one test out."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")] = False,
) -> None:
    """Run public RISC-V test suites on a machine (exit code 1 if a test does not pass)."""
    from gnomon.validate import check_isa

    report = check_isa(
        arch,
        riscv_tests_path=riscv_tests,
        arch_test_path=arch_test,
        overrides=overrides or (),
        exceptions=exceptions or (),
    )
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
