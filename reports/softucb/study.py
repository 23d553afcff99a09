"""``gnomon experiment softucb``: Figures 1 and 2, Table 1 of the paper, and acceptance criteria."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from gnomon.base.errors import GnomonError
from gnomon.base.frames import across, frame, worded
from gnomon.cli.study import option, study_command
from gnomon.content.algorithms.softucb.index import regret_bound
from gnomon.report import criteria as told
from gnomon.report.canvas import COLOURS, legend, panels
from gnomon.report.criteria import CriteriaChecker, Criterion
from gnomon.report.study import Keeps, Steps, StudyReport

from .experiment import Comparison, SoftucbExperiment, published_widths, run_softucb

OFFLINE, ONLINE = "softucb-offline", "softucb-online"

_RATIOS = {"small": "B6", "mid": "B8", "synthetic": "B9"}
_RATINGS = {"movielens": "Fig. 2c", "jester": "Fig. 2d"}


def softucb_criteria(experiment: SoftucbExperiment) -> tuple[Criterion, ...]:
    """Check B1 to B15, and Figures 2c and 2d, as far as this size covers them."""
    judge = CriteriaChecker(Path(__file__).with_name("criteria.yaml"))
    found = [judge.number(name, value) for name, value in experiment.formulas.items()]
    for comparison in experiment.comparisons:
        found += _of_comparison(judge, comparison)
    width, regret = experiment.divergence["beta"], experiment.divergence["regret"]
    found.append(judge.number("B11 width", width[0.03]))
    found.append(judge.number("B11", regret[0.03] / regret[0.003]))
    for (d, rounds, noise), sweep in experiment.sweeps.groupby(["d", "rounds", "noise_std"]):
        where = f"d = {d}, T = {rounds}, noise {noise:.3g}"
        over: Any = sweep.set_index("beta")["regret"] / sweep["regret"].min()
        found.append(judge.number("B12 width", float(over.idxmin()), where=where))
        for end in (over.index.min(), over.index.max()):
            found.append(judge.number("B12", float(over[end]), where=where, width=end))
    if experiment.trap is not None:
        found += [
            judge.number("B14", share, str(rule), rule=rule)
            for rule, share in experiment.trap["share"].items()
        ]
    if experiment.table_1 is not None:
        found += _of_table_1(judge, experiment.table_1)
    return tuple(found)


def _of_comparison(judge: CriteriaChecker, comparison: Comparison) -> Iterator[Criterion]:
    """Check B6, B8 or B9; B7 if small; B10; B13 of d = 10 with noise 0.5; Figure 2."""
    setup, played = comparison.setup, comparison.played
    name = _RATIOS.get(setup.name.split("-")[0], "")
    trained = comparison.trained
    if name:
        yield from _ratios(judge, name, comparison)
    if name == "B6":
        yield from _ratios(judge, "B6 online", comparison)
        largest = float(trained.reshape(setup.seeds, -1).mean(axis=1).max())
        yield judge.number("B7 seed", largest, most=setup.width, setup=setup.name)
        yield judge.number("B7", float(trained.mean()), setup=setup.name)
    if name == "B8":
        worst = max(
            float((comparison.by_seed(policy) / comparison.by_seed(other)).max())
            for policy in (OFFLINE, ONLINE)
            for other in ("lints", "epsilon-greedy")
        )
        yield judge.number("B8 worst", worst, setup=setup.name, seeds=setup.seeds)
    dimensions = setup.arm_sets.features.shape[2]
    bound = regret_bound(float(trained.mean()), dimensions, setup.rounds)
    yield judge.number("B10", played[OFFLINE].mean / bound, setup=setup.name)
    if setup.name == "synthetic-d10":
        curve = played[ONLINE].regret
        half = float(np.interp(setup.rounds / 2, comparison.stops, curve))
        yield judge.number("B13", float(curve[-1]) / half - 1.0, setup=setup.name)
    if setup.name in _RATINGS:
        yield from _ratios(judge, _RATINGS[setup.name], comparison)


def _ratios(judge: CriteriaChecker, name: str, comparison: Comparison) -> Iterator[Criterion]:
    for pair in judge.keys(name):
        policy, other = pair.split(" over ")
        ratio, setup = comparison.ratio(policy, other), comparison.setup.name
        yield judge.number(name, ratio, pair, setup=setup, policy=policy, other=other)


def _of_table_1(judge: CriteriaChecker, rows: pd.DataFrame) -> Iterator[Criterion]:
    """Check B15, and the growth with d."""
    for noise, of_noise in rows.groupby("noise_std"):
        five = of_noise[of_noise["d"] == 5]
        falls = -five.sort_values("rounds")["beta"].diff().min()
        errors = ", ".join(f"{each:.2f}" for each in five["beta_error"])
        yield judge.number("B15 falls", float(falls), noise=noise, errors=errors)
        largest = (of_noise["beta"] / of_noise["theory"]).max()
        yield judge.number("B15", float(largest), noise=noise)
        tall = of_noise[of_noise["rounds"] == 1024].set_index("d")["beta"]
        yield judge.number("Table 1", float(tall[15] - tall[5]), noise=noise)


def softucb_report(experiment: SoftucbExperiment) -> StudyReport:
    comparisons, criteria = experiment.comparisons, softucb_criteria(experiment)
    gains, regret = [each.ratio(OFFLINE, "linucb") for each in comparisons], _regret(experiment)
    facts: dict[str, Any] = {
        "experiment": experiment,
        "summary": told.summary(criteria),
        "criteria": told.criteria_table(criteria),
        "iterations": comparisons[0].setup.iterations,
        "setups": len(comparisons),
        "online_loses": {
            name: [each.setup.name for each in comparisons if each.ratio(name, "linucb") > 1]
            for name in (ONLINE, "softucb-online-fast")
        },
        "gains": sum(each < 1.0 for each in gains),
        "gain_least": max(gains),
        "gain_most": min(gains),
        "tuned": sum(
            min(each.ratio(name, "linucb-tuned") for name in (OFFLINE, ONLINE)) >= 1
            for each in comparisons
        ),
        "regret": _regret_of_policies(regret),
        "divergence": experiment.divergence["beta"],
        "widths": None,
    }
    forms = {"noise_std": "g", "beta": ".4f", "regret": ".3f", "standard_error": ".3f"}
    tables = {
        "criteria": told.criteria_frame(criteria),
        "regret": worded(regret, forms),
        "curves": _curves(experiment),
        "training": _training(experiment),
        "sweep": worded(experiment.sweeps, {"noise_std": ".4g", "beta": "g", "regret": ".3f"}),
    }
    if experiment.table_1 is not None:
        published = published_widths().rename(columns="{}_published".format)
        keys = ["d", "rounds"]
        widths = experiment.table_1.merge(published, left_on=keys, right_index=True, sort=False)
        tables["widths"] = _widths(widths)
        facts |= {"widths": widths, "noises": _growth(widths)}
    figures = {"regret": regret_figure, "training": training_figure, "width": width_figure}
    answer = {"criteria": told.criteria_json(criteria)}
    return StudyReport(
        Path(__file__).parent, "softucb", facts, tables, figures, answer, results=experiment,
        packed=("curves",),
    )  # fmt: skip


def _growth(widths: pd.DataFrame) -> list[dict[str, Any]]:
    """Return by noise: whether the width grows with T at the least d, with d at the largest T."""

    def grows(of: pd.DataFrame, name: str) -> bool:
        return bool(of.sort_values(name)["beta"].is_monotonic_increasing)

    return [
        {"noise": f"{noise:.3g}",
         "with_rounds": grows(own[own["d"] == own["d"].min()], "rounds"),
         "with_size": grows(own[own["rounds"] == own["rounds"].max()], "d")}
        for noise, own in widths.groupby("noise_std")
    ]  # fmt: skip


def _regret(experiment: SoftucbExperiment) -> pd.DataFrame:
    """Return R(T) of every policy in every setup."""
    columns = ("setup", "policy", "arms", "d", "rounds", "environments", "noise_std", "beta",
               "regret", "standard_error")  # fmt: skip
    return frame(columns, (
        (c.setup.name, name, *c.setup.arm_sets.features.shape[1:], c.setup.rounds,
         len(each.final), c.setup.arm_sets.noise_std, each.beta, each.mean, each.standard_error)
        for c in experiment.comparisons
        for name, each in c.played.items()
    ))  # fmt: skip


def _regret_of_policies(regret: pd.DataFrame) -> pd.DataFrame:
    """Return a column of regrets, their errors and widths, for each setup."""
    texts = worded(regret, {"regret": ".1f", "standard_error": ".1f", "beta": ".2f"})
    widths = [f", β {beta}" if beta else "" for beta in texts["beta"]]
    texts["shown"] = texts["regret"] + " (" + texts["standard_error"] + ")" + widths
    return across(texts, "policy", "setup", "shown")


def _curves(experiment: SoftucbExperiment) -> pd.DataFrame:
    """Return regret over rounds, at 17 rounds."""
    return frame(("setup", "policy", "round", "regret"), (
        (c.setup.name, name, int(c.stops[at]), f"{each.regret[at]:.3f}")
        for c in experiment.comparisons
        for name, each in c.played.items()
        for at in range(0, len(c.stops), 8)
    ))  # fmt: skip


def _training(experiment: SoftucbExperiment) -> pd.DataFrame:
    return frame(("setup", "iteration", "beta", "regret"), (
        (c.setup.name, at, f"{c.beta_by_iteration[at]:.4f}", f"{regret:.3f}")
        for c in experiment.comparisons
        for at, regret in enumerate(c.regret_by_iteration, start=1)
    ))  # fmt: skip


def _widths(widths: pd.DataFrame) -> pd.DataFrame:
    """Return ``widths.csv``: gnomon's widths with those that the paper prints, at any noise."""
    heads = {
        "d": "d", "rounds": "rounds", "noise_std": "noise_std",
        "beta_trained_published": "beta_trained_published", "beta": "beta_trained_ours",
        "beta_std": "beta_std", "beta_theory_published": "beta_theory_published",
        "theory": "beta_theory_ours", "regret": "regret", "linucb": "regret_linucb",
    }  # fmt: skip
    forms = {"noise_std": ".4g", "regret": ".3f", "linucb": ".3f"}
    forms |= dict.fromkeys(("beta", "beta_std", "theory"), ".4f")
    return worded(widths, forms)[list(heads)].rename(columns=heads)


_STAND_IN = "a synthetic stand-in"
_MOVIES = "Ratings for softucb: ratings.dat, u.data or ratings.csv."
_JOKES = "Ratings of jokes for softucb, .npy or .csv."
MovieLens = Annotated[Path | None, option("--movielens FILE", _MOVIES, shown=_STAND_IN)]
Jester = Annotated[Path | None, option("--jester FILE", _JOKES, shown=_STAND_IN)]


_STYLES: dict[str, dict[str, Any]] = {
    "linucb": {"color": COLOURS[0], "label": "LinUCB, equation (5)"},
    "lints": {"color": COLOURS[1], "label": "LinTS"},
    "epsilon-greedy": {"color": COLOURS[2], "label": "ε-greedy 0.05"},
    "softucb-offline": {"color": COLOURS[3], "label": "SoftUCB offline"},
    "softucb-online": {"color": COLOURS[4], "label": "SoftUCB online"},
    "softucb-online-fast": {"color": COLOURS[4], "linestyle": "--",
                            "label": "SoftUCB online, fast"},
    "linucb-tuned": {"color": COLOURS[0], "linestyle": "--",
                     "label": "LinUCB, best width in hindsight"},
    "uniform": {"color": "#999999", "linestyle": ":", "linewidth": 1.0, "label": "uniform"},
}  # fmt: skip
_LEARNING = set(_STYLES) - {"uniform"}
_TITLES = {
    "small": "K = 20, d = 5, noise 0.1",
    "mid": "K = 50, d = 10, noise 0.1",
    "synthetic-d10": "Figure 2a: d = 10, noise 0.5",
    "synthetic-d20": "Figure 2b: d = 20, noise 0.5",
    "movielens": "Figure 2c: MovieLens",
    "jester": "Figure 2d: Jester",
}


def regret_figure(experiment: SoftucbExperiment) -> Figure:
    count = len(experiment.comparisons)
    columns = min(count, 3)
    rows = -(-count // columns)
    figure, grid = panels(rows, columns, size=(3.3 * columns + 0.6, 2.7 * rows + 0.9))
    for axes, comparison in zip(grid.flat, experiment.comparisons, strict=False):
        name, played = comparison.setup.name, comparison.played
        for policy, style in _STYLES.items():
            axes.plot(comparison.stops, played[policy].regret, **{"linewidth": 1.3, **style})
        most = max(float(each.regret[-1]) for policy, each in played.items() if policy in _LEARNING)
        axes.set_ylim(0, 1.1 * most)
        data = experiment.data.get(name, "").partition(",")[0]
        axes.set_title(_TITLES[name] + (f" ({data})" if data else ""), fontsize=9)
        axes.set_xlabel("rounds")
    for axes in grid.flat[count:]:
        axes.set_visible(False)
    for axes in grid[:, 0]:
        axes.set_ylabel("regret")
    legend(figure, grid[0][0], 4 if columns > 1 else 2)
    return figure


def training_figure(experiment: SoftucbExperiment) -> Figure:
    """Draw Figure 1: width and regret over iterations, width over rounds."""
    figure, ((widths, regrets, online),) = panels(1, 3, size=(9.6, 3.3))
    for colour, each in zip(("#666666", *COLOURS), experiment.comparisons, strict=False):
        iterations, regret = np.arange(len(each.beta_by_iteration)), each.regret_by_iteration
        label = _TITLES[each.setup.name]
        widths.plot(iterations, each.beta_by_iteration, color=colour, label=label)
        regrets.plot(iterations[1:], regret / regret[0], color=colour)
        online.plot(each.stops / each.setup.rounds, each.online_beta, color=colour)
    iteration = "iteration of offline training"
    widths.set(ylabel="width β, mean of environments", xlabel=iteration)
    regrets.set(ylabel="R(T) over that of the first iteration", xlabel=iteration)
    online.set(ylabel="width β online", xlabel="share of the rounds")
    for axes in (widths, regrets, online):
        axes.set_ylim(bottom=0)
    legend(figure, widths, 3)
    return figure


def width_figure(experiment: SoftucbExperiment) -> Figure:
    figure, ((axes,),) = panels(size=(5.6, 3.6))
    cases = experiment.sweeps.groupby(["d", "rounds"], sort=False)
    for colour, ((d, rounds), sweep) in zip(COLOURS, cases, strict=False):
        axes.plot(sweep["beta"], sweep["regret"], marker="o", markersize=3, color=colour,
                  label=f"d = {d}, T = {rounds}")  # fmt: skip
    axes.set(xscale="log", yscale="log", xlabel="fixed width β of SoftUCB",
             ylabel="R(T), noise 0.1")  # fmt: skip
    axes.legend(frameon=False)
    return figure


def _run(
    size: str, progress: Steps, keeps: Keeps, *, movielens: MovieLens = None, jester: Jester = None
) -> StudyReport:
    for name, path in (("--movielens", movielens), ("--jester", jester)):
        if path is not None and size != "full":
            raise GnomonError(f"{name} is for the experiment softucb in the size full")
    return softucb_report(
        run_softucb(size, progress, keeps.learning, movielens=movielens, jester=jester)
    )


main = study_command(_run, {name: name for name in ("small", "full")}, independent=True)
