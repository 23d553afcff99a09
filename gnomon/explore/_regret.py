"""Regret of a learner's point: the same C on this computer, compared with float."""

from gnomon.explore._task import Task


def regret_of(task: Task) -> tuple[dict[str, float], str]:
    """Metrics of regret, and why some are not known (empty: all are).

    Both sums are over all environments, seeds 1 to ``environments``. Formats, variants and code
    lines meet the same rounds. Weight of exploration: that of the step that is measured.
    """
    if task.setting("rounds") is None:
        return {}, ""  # not asked for
    from gnomon.bench.learners import find_learner
    from gnomon.bench.regret import RegretCase, RegretCell, play_regret

    learner = find_learner(task.setting("learner"))
    rounds, arms = task.setting("rounds"), task.setting("arms")
    own = reference = 0.0
    for seed in range(1, task.setting("environments") + 1):
        case = RegretCase(
            name=learner.name,
            law=task.setting("contexts"),
            rounds=rounds,
            dimensions=task.setting("d"),
            features=task.setting("f") or 0,
            arms=arms,
            alpha=learner.alpha,
            seed=seed,
        )
        cell = RegretCell(
            case,
            line=task.setting("line"),
            variant=task.setting("variant"),
            fraction_bits=task.setting("fraction-bits"),
            correction_period=task.setting("correction-period"),
        )
        played = play_regret(cell, task.architecture)
        own += played.own
        reference += played.reference
    metrics = {"regret_sum_rewards": own}
    if reference == 0:
        return metrics, f"float has no regret at all in {rounds:,} rounds; take more"
    return metrics | {"regret_ratio": own / reference}, ""
