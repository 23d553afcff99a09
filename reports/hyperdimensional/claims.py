"""Statements of the abstracts beside our results. None is testable; our reading has a verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from .costs import DIMENSIONS, PLAYS, SCALED_ON, SIZES, WARM_STEPS, Cost
from .play import LINUCB, Played, interval

COLUMNS: Final = ("number", "states", "abstract", "verdict", "reading", "held", "cases", "shows")
UNTESTABLE: Final = "not testable: body not available"
SUPPORTED, CONTRADICTED, MIXED = "supported", "contradicted", "mixed"
HDCB, PROBABILISTIC = "arXiv 2501.16863", "arXiv 2605.13346"

Runs = Mapping[tuple[str, str], Played]
Judged = tuple[Sequence[bool], str]
"""Whether a statement holds in each case, and the figures."""


def _reading(holds: Sequence[bool]) -> str:
    return SUPPORTED if all(holds) else MIXED if any(holds) else CONTRADICTED


def compared(runs: Runs, title: str, other: str) -> list[tuple[str, float, float, float]]:
    """Return the mean difference of regret, with its interval, in each problem."""
    problems = dict.fromkeys(problem for problem, _ in runs)
    return [
        (problem, *interval(runs[problem, title].regrets - runs[problem, other].regrets))
        for problem in problems
    ]


def _shown(differences: Sequence[tuple[str, float, float, float]]) -> str:
    return "; ".join(f"{problem} {mean:+.3f} ({low:+.3f} to {high:+.3f})"
                     for problem, mean, low, high in differences)  # fmt: skip


def _rewards(runs: Runs) -> Judged:
    titles = [title for _, title in dict.fromkeys(runs) if title != LINUCB]
    problems = dict.fromkeys(problem for problem, _ in runs)
    best = {
        problem: min(titles, key=lambda title: runs[problem, title].regrets.mean())
        for problem in problems
    }
    found = [
        (
            f"{problem}, {title}",
            *interval(runs[problem, title].regrets - runs[problem, LINUCB].regrets),
        )
        for problem, title in best.items()
    ]
    holds = [low <= 0 for _, _, low, _ in found]
    return holds, (
        f"regret of the variant that is best in these runs less that of LinUCB: {_shown(found)}"
    )


def _convergence(runs: Runs) -> Judged:
    holds, words = [], []
    for problem in dict.fromkeys(problem for problem, _ in runs):
        of = {title: run for (where, title), run in runs.items() if where == problem}
        level = 0.9 * of[LINUCB].windows[-1]
        own = {title: run.rounds_to(0.95 * run.windows[-1]) for title, run in of.items()}
        reached = {title: run.rounds_to(level) for title, run in of.items()}
        linucb = reached.pop(LINUCB) or 0
        sooner = [title for title, rounds in reached.items() if rounds and rounds < linucb]
        ever = [title for title, rounds in reached.items() if rounds]
        holds.append(bool(sooner))
        words.append(
            f"{problem}: 90 % of the last window of LinUCB after {linucb} rounds by LinUCB, "
            f"before it by {', '.join(sooner) or 'no variant'}, ever by {', '.join(ever) or 'none'}"
            f"; 95 % of the own last window after {own[LINUCB]} (LinUCB) and "
            f"{', '.join(f'{own[title]} ({title})' for title in reached)}"
        )
    return holds, ". ".join(words)


def _complexity(costs: Sequence[Cost]) -> Judged:
    of = {
        (cost.title, cost.d): cost.select_cycles + cost.update_cycles
        for cost in costs
        if cost.machine == SCALED_ON and cost.warm_steps == WARM_STEPS
    }
    ratios = {
        title: [of[title, d] / of[LINUCB, d] for d in DIMENSIONS] for title in ("EPS", "PROB")
    }
    words = []
    for title, each in ratios.items():
        pairs = zip(DIMENSIONS, each, strict=True)
        words.append(f"{title}: {', '.join(f'{ratio:.2f} (d = {d})' for d, ratio in pairs)}")
    holds = [ratio < 1 for each in ratios.values() for ratio in each]
    return holds, (
        f"cycles of a step over those of LinUCB with rank-one updates on {SCALED_ON}, "
        f"{SIZES.arms} arms, D = 1000: {'; '.join(words)}"
    )


def _memory(runs: Runs, costs: Sequence[Cost]) -> Judged:
    two, three = (compared(runs, title, "UNC1") for title in ("UNC2", "UNC3"))
    bytes_of = {cost.title: cost.model_bytes for cost in costs if cost.d == SIZES.d}
    return [low <= 0 for _, _, low, _ in (*two, *three)], (
        f"UNC2 ({bytes_of['UNC2']:,} bytes, UNC1 {bytes_of['UNC1']:,}) less UNC1: {_shown(two)}. "
        f"UNC3 (without alpha) less UNC1: {_shown(three)}"
    )


def _precision(runs: Runs) -> Judged:
    found = compared(runs, "PROB", "BIN")
    return [high < 0 for _, _, _, high in found], (
        f"PROB less BIN: {_shown(found)}. Equal precision is undefined for us: PROB stores 3 bits,"
        " BIN 1 bit at its binarizations and 16 in between"
    )


def _full(runs: Runs) -> Judged:
    found = compared(runs, "PROB", "EPS")
    return [low <= 0 for _, _, low, _ in found], f"PROB less EPS: {_shown(found)}"


def _update_cost(costs: Sequence[Cost]) -> Judged:
    of = {cost.warm_steps: cost.update_cycles for cost in costs
          if (cost.title, cost.machine, cost.d) == ("PROB", SCALED_ON, SIZES.d)}  # fmt: skip
    cycles = [of[plays] for plays in PLAYS]
    # n0 = 10: the probability falls from 10 / 11 by a factor above 100
    holds = [cycles[-1] < cycles[0], cycles[0] / cycles[-1] > 100]
    words = ", ".join(
        f"{each:,} after {plays:,} steps" for plays, each in zip(PLAYS, cycles, strict=True)
    )
    return holds, (
        f"cycles of an update on {SCALED_ON}: {words}. The mask of every word is drawn, and one of"
        " a word is rarely empty before the probability is far below 1 / 32"
    )


def claims_of(runs: Runs, costs: Sequence[Cost]) -> list[tuple[object, ...]]:
    """Return a row for each statement."""
    by_construction = (
        [True],
        "components stay within -3 and 3 by construction; a test checks it",
    )
    judged = (
        ("rewards match or beat those of linear bandits", HDCB, _rewards(runs)),
        ("converges faster", HDCB, _convergence(runs)),
        ("lower complexity, better scaling", HDCB, _complexity(costs)),
        ("variants need less memory or fewer hyperparameters", HDCB, _memory(runs, costs)),
        ("beats periodic binarization at equal precision", PROBABILISTIC, _precision(runs)),
        ("range of -3 to 3 approaches full precision", PROBABILISTIC, _full(runs)),
        ("expected update cost follows the probability", PROBABILISTIC, _update_cost(costs)),
        ("no overflow without binarization", PROBABILISTIC, by_construction),
    )
    return [
        (number, states, abstract, UNTESTABLE, _reading(holds), sum(holds), len(holds), shows)
        for number, (states, abstract, (holds, shows)) in enumerate(judged, start=1)
    ]
