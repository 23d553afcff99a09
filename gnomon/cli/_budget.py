"""``gnomon budget``: checks of cycles, energy, stack and code size against limits."""

from pathlib import Path

from gnomon.base.errors import CheckFailed, GnomonError
from gnomon.base.files import write_file
from gnomon.cli._answer import CommandOutput, with_json_output
from gnomon.cli._options import argument, option, output_file


@with_json_output()
def budget(
    spec: Path = argument("FILE.yaml", "Budget file: measurements and their limits."),
    *,
    update: bool = option("--update", "Write the measured values as the new baseline.", False),
    base: Path | None = option(
        "--base FILE.yaml", "Budget of another version, such as the base of a change.", None
    ),
    comment: Path | None = output_file(
        "--comment FILE", "File for the comparison with --base, as the Markdown of a comment.", None
    ),
) -> CommandOutput:
    """Check cost limits; exit code 1 if exceeded.

    The costs are cycles, energy, stack size and code size.
    """
    from gnomon.budget import compare_with_base, judge_budget, read_budget

    if (base is None) != (comment is None):
        raise GnomonError("--base and --comment need each other")
    chosen = read_budget(spec)
    report, written = judge_budget(chosen, update=update)
    files = [str(written)] if written else []
    if base is not None and comment is not None:
        from gnomon.report.budget_text import budget_comment

        write_file(comment, budget_comment(compare_with_base(chosen, report, read_budget(base))))
        files.append(str(comment))

    def show() -> None:
        from gnomon.report.sweep_text import print_budget

        print_budget(report)
        for name in files:
            print(name)

    yield report.to_json() | {"files": files}, show
    if report.failures:
        raise CheckFailed("\n".join(report.failures))
