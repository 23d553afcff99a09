"""``gnomon budget``: limits on cycles, energy, stack and code size, kept or not."""

from pathlib import Path

from gnomon.base.errors import CheckFailed
from gnomon.cli._answer import Answer, answers
from gnomon.cli._options import argument, option


@answers()
def budget(
    spec: Path = argument("FILE.yaml", "What is measured, and what it may cost."),
    *,
    update: bool = option("--update", "Write what is measured now as the baseline.", False),
) -> Answer:
    """Hold cycles, energy, stack and code size against limits; exit code 1 if one is exceeded."""
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
