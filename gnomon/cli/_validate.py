"""``gnomon validate``: the simulator against truths from outside."""

from __future__ import annotations

import json
from pathlib import Path  # noqa: TC003 - typer reads it at run time
from typing import Annotated

import typer

validate_app = typer.Typer(
    name="validate", help="The simulator against truths from outside.", no_args_is_help=True
)


@validate_app.callback()
def validate() -> None:
    """The simulator against truths from outside."""


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
