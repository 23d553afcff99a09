"""``gnomon power activity``: toggles per instance or signal of a recorded simulation."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from gnomon.base.errors import GnomonError, did_you_mean
from gnomon.cli._answer import CommandOutput, with_json_output
from gnomon.cli._options import Overrides, argument, option, output_file

if TYPE_CHECKING:
    from gnomon.base.units import Hertz

ROWS = ("instance", "signal")


@with_json_output()
def activity(
    file: Path = argument("FILE", "VCD, FST or SAIF, optionally gzip; - is standard input."),
    *,
    arch: str | None = option("--arch", "Machine whose clock the recording must have.", None),
    overrides: Overrides = None,
    clock: str | None = option(
        "--clock 100MHz", "Clock that the recording must have, without --arch.", None
    ),
    clock_net: str | None = option(
        "--clock-net PATH", "Net of the clock, such as tb/dut/clk_i.", None
    ),
    cycles: int | None = option("--cycles N", "Length in cycles, to check the clock.", None, min=1),
    scope: str | None = option(
        "--scope GLOB", "Instances to count, with all instances below them.", None
    ),
    from_: str | None = option("--from TIME", "Start of counting: 10us, 500cycles.", None),
    to: str | None = option("--to TIME", "End of counting.", None),
    timescale: str | None = option(
        "--timescale UNIT", "Time unit of a VCD that states none: '1 ns'.", None
    ),
    by: str = option("--by instance|signal", "Meaning of a row.", "instance"),
    output: Path | None = output_file("-o --output CSV", "CSV file of the rows.", None),
    saif: Path | None = output_file("--saif FILE", "SAIF file to write in addition.", None),
) -> CommandOutput:
    """Count the toggles of a recording in one pass.

    Exit code 2 if its clock is not the clock of the machine.
    """
    if by not in ROWS:
        raise GnomonError(
            f"--by must be one of: {', '.join(ROWS)}; not {by!r}{did_you_mean(by, ROWS)}"
        )
    expected, whose = _expected_clock(arch, overrides, clock)
    if cycles is not None and expected is None:
        raise GnomonError("--cycles checks a clock: give --arch or --clock as well")
    from gnomon.base.files import write_file
    from gnomon.observe.trace import read_activity, write_saif
    from gnomon.report.activity_text import print_activity

    counted = read_activity(
        str(file), scope=scope, from_=from_, to=to, clock=expected, clock_net=clock_net,
        timescale=timescale,
    )  # fmt: skip
    if expected is not None:
        counted.check_clock(expected, whose, cycles)
    if output is not None:
        write_file(output, counted.to_csv(by, expected))
    if saif is not None:
        write_saif(counted, saif)
    yield counted.to_json(by, expected), partial(print_activity, counted, by, expected)


def _expected_clock(
    arch: str | None, overrides: list[str] | None, clock: str | None
) -> tuple[Hertz | None, str]:
    """Return the expected clock, and the machine or option that states it."""
    if arch is not None and clock is not None:
        raise GnomonError("--arch and --clock both state the clock: give one of them")
    if arch is not None:
        from gnomon.arch import load_architecture

        architecture = load_architecture(arch, overrides or ())
        return architecture.clock, architecture.name
    if overrides:
        raise GnomonError("--set changes a machine: give --arch as well")
    if clock is not None:
        from gnomon.base.units import parse_frequency

        return parse_frequency(clock), "--clock"
    return None, ""
