"""Regret of a learner's point: the same C on this computer, compared with float."""

from __future__ import annotations

from typing import cast

from gnomon.explore._task import Task
from gnomon.learn.environment import ContextLaw


def regret_of(task: Task) -> tuple[dict[str, float], str]:
    """Metrics of regret, and why some are not known (empty: all are).

    Both sums are over all environments, seeds 1 to ``environments``. Formats, variants and code
    lines meet the same rounds. Weight of exploration: that of the step that is measured.
    """
    if task.setting("rounds") is None:
        return {}, ""  # not asked for
    from gnomon.bench.learners import find_learner
    from gnomon.bench.regret import RegretCase, RegretCell, play_regret

    learner = find_learner(str(task.setting("learner")))
    rounds, arms = _int(task, "rounds"), _int(task, "arms")
    own = reference = 0.0
    for seed in range(1, _int(task, "environments") + 1):
        case = RegretCase(
            name=learner.name,
            law=cast("ContextLaw", task.setting("contexts")),
            rounds=rounds,
            dimensions=_int(task, "d"),
            features=cast("int | None", task.setting("f")) or 0,
            arms=arms,
            alpha=learner.alpha,
            seed=seed,
        )
        cell = RegretCell(
            case,
            line=str(task.setting("line")),
            variant=str(task.setting("variant")),
            fraction_bits=_int(task, "fraction-bits"),
            correction_period=cast("int | None", task.setting("correction-period")),
        )
        played = play_regret(cell, task.architecture)
        own += played.own
        reference += played.reference
    metrics = {"regret_sum_rewards": own}
    if reference == 0:
        return metrics, f"float has no regret at all in {rounds:,} rounds; take more"
    return metrics | {"regret_ratio": own / reference}, ""


def _int(task: Task, name: str) -> int:
    return cast("int", task.setting(name))
