"""``gnomon budget``: checks of cycles, energy, stack and code size against limits."""

from pathlib import Path

from gnomon.base.errors import CheckFailed
from gnomon.cli._answer import CommandOutput, with_json_output
from gnomon.cli._options import argument, option


@with_json_output()
def budget(
    spec: Path = argument("FILE.yaml", "Budget file: measurements and their limits."),
    *,
    update: bool = option("--update", "Write the measured values as the new baseline.", False),
) -> CommandOutput:
    """Check cost limits; exit code 1 if exceeded.

    The costs are cycles, energy, stack size and code size.
    """
    from gnomon.budget import judge_budget, read_budget

    report, written = judge_budget(read_budget(spec), update=update)
    files = [str(written)] if written else []

    def show() -> None:
        from gnomon.report.sweep_text import print_budget

        print_budget(report)
        for name in files:
            print(name)

    yield report.to_json() | {"files": files}, show
    if report.failures:
        raise CheckFailed("\n".join(report.failures))
