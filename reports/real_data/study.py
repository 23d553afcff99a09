"""``gnomon report real-data``: learners on packaged data sets, the user's files, and stand-ins."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from gnomon.arch import load_architecture
from gnomon.base.frames import frame
from gnomon.base.result_cache import Keep
from gnomon.cli.study import option, study_command
from gnomon.content.reports.learners.orders import LEVEL
from gnomon.learn.datasets import PACKAGED
from gnomon.report.study import Keeps, Steps, StudyReport

from . import summary
from .logs import LogRun, evaluate_log, log_table
from .picture import regret_figure
from .playing import FIRST_SEED, FIRST_TRAINING_SEED, POLICIES, Cost, Played, RealSize, costs, play
from .sets import GIVEN, STAND_IN, Given, data_sets
from .summary import Result

NAME = "real-data"
MACHINES = ("t13", "t13-simd4", "t13-paper-simd4")
_ALL_MACHINES = ",".join(MACHINES)
SIZES = {
    "small": RealSize("small", 8, 2, 120, 12, 120, 2000),
    "full": RealSize("full", 60, 10, 2000, 200, 943),
}


def run_real_data(
    size: RealSize,
    given: Given,
    machines: Sequence[str],
    progress: Steps,
    playing: Keep,
    measuring: Keep,
) -> list[Result]:
    """Play all learners on all data sets; results come from the cache if they are there."""
    for name in machines:
        load_architecture(name)
    sets = list(data_sets(given, size.stand_in_users))
    progress.plan(2 * len(sets) * len(POLICIES))
    results = []
    for each in sets:
        played: dict[str, Played] = {}
        cost: dict[str, tuple[Cost, ...]] = {}
        for policy in POLICIES:
            own = played[policy.name] = playing(play, each.table, policy, size)
            progress(f"{each.name}: {policy.name}")
            cost[policy.name] = measuring(
                costs, each.table, policy, own, tuple(machines), size.cost_rounds
            )
            progress(f"{each.name}: {policy.name} on machines")
        results.append(Result(each, played, cost))
    return results


def report(
    size: RealSize, results: Sequence[Result], logs: Sequence[LogRun], command: str
) -> StudyReport:
    """Return the page and its tables."""
    tested = summary.orders(results)
    tables = {
        "data": frame(summary.DATA_COLUMNS, summary.data(results)),
        "left_out": frame(summary.LEFT_OUT_COLUMNS, summary.left_out(results)),
        "settings": frame(summary.SETTING_COLUMNS, summary.settings(results)),
        "regret": frame(summary.REGRET_COLUMNS, summary.regrets(results)),
        "orders": tested.assign(
            less=[f"{each:.4f}" for each in tested["less"]],
            p=[f"{each:.2g}" for each in tested["p"]],
        ),
        "costs": frame(summary.COST_COLUMNS, summary.costs(results)),
    }
    if logs:
        tables["open_bandit"] = log_table(logs)
    facts = {
        "command": command,
        "size": size,
        "level": LEVEL,
        "first": FIRST_SEED,
        "first_training": FIRST_TRAINING_SEED,
        "sets": [each.data for each in results],
        "packaged": PACKAGED,
        "stand_ins": [each.data.name for each in results if each.data.kind == STAND_IN],
        "given": [each.data.name for each in results if each.data.kind == GIVEN],
        "left_out": summary.left_out_summary(results),
        "rewards": summary.rewards(results),
        "regrets": summary.regret_of_learners(results, tested),
        "claims": summary.claims(results, tested),
        "pairs": len(tested),
        "least_p": 2 * 0.5**size.orderings * len(tested),
        "arithmetic": summary.arithmetic(tested),
        "ends": summary.ends(results),
        "costs": summary.cost_of_learners(results),
        "refused": summary.refused(results),
        "logs": logs,
        "tables": tables,
    }
    answer = {"orders": tested.to_dict("records")}
    figures = {"regret": regret_figure}
    return StudyReport(
        Path(__file__).parent, NAME, facts, tables, figures, answer, results=list(results)
    )


_MOVIES = "Folder of MovieLens-100k, with u.data, u.item and u.user."
_JOKES = "Ratings of Jester: the spreadsheet saved as .csv, or .npy."
_LOG = "Folder of an Open Bandit log: CAMPAIGN.csv and item_context.csv."
_CSV = "Classification set with column names; needs --label."
_LABEL = "Column of --csv with the class."
_IGNORE = "Column of --csv to leave out of the features."
_SKIP = "Leave out malformed rows of files; the page lists them."
_STANDS = "a synthetic stand-in"
MovieLens = Annotated[Path | None, option("--movielens FOLDER", _MOVIES, shown=_STANDS)]
Jester = Annotated[Path | None, option("--jester FILE", _JOKES, shown=_STANDS)]
OpenBandit = Annotated[Path | None, option("--open-bandit FOLDER", _LOG, shown="none")]
Csv = Annotated[Path | None, option("--csv FILE", _CSV, shown="none")]
Label = Annotated[str | None, option("--label COLUMN", _LABEL)]
Ignore = Annotated[list[str] | None, option("--ignore COLUMN", _IGNORE)]
SkipMalformed = Annotated[bool, option("--skip-malformed", _SKIP)]
Machines = Annotated[str, option("--arch NAME,...", "Machines that run the first rows.")]


def _run(
    size: RealSize,
    progress: Steps,
    keeps: Keeps,
    *,
    movielens: MovieLens = None,
    jester: Jester = None,
    open_bandit: OpenBandit = None,
    csv: Csv = None,
    label: Label = None,
    ignore: Ignore = None,
    skip_malformed: SkipMalformed = False,
    arch: Machines = _ALL_MACHINES,
) -> StudyReport:
    given = Given(movielens, jester, csv, label, tuple(ignore or ()), skip_malformed)
    machines = [name.strip() for name in arch.split(",")]
    logs = []
    if open_bandit:
        logs.append(
            evaluate_log(open_bandit, rounds=size.open_bandit_rounds, skip_malformed=skip_malformed)
        )
        progress("Open Bandit")
    results = run_real_data(size, given, machines, progress, keeps.learning, keeps.measuring)
    return report(size, results, logs, _command(size, given, open_bandit, arch))


def _command(size: RealSize, given: Given, open_bandit: Path | None, arch: str) -> str:
    words = [f"gnomon report {NAME} --size {size.name}"]
    for name, value in (
        ("--movielens", given.movielens),
        ("--jester", given.jester),
        ("--open-bandit", open_bandit),
        ("--csv", given.csv),
        ("--label", given.label),
        *(("--ignore", each) for each in given.ignore),
    ):
        words += [f"{name} {value}"] if value is not None else []
    words += ["--skip-malformed"] if given.skip_malformed else []
    words += [f"--arch {arch}"] if arch != _ALL_MACHINES else []
    return " ".join(words)


main = study_command(_run, SIZES, title="playing")
