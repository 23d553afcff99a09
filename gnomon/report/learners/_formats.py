"""The embedded learners by number format, beside float."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.base.kept import anew
from gnomon.bench.fixedpoint import compare_dictionary, compare_format, play_float
from gnomon.bench.learners import find_learner
from gnomon.learn.epsilon_greedy import bernoulli_bandit, unit_bandit
from gnomon.report.learners._report import Table

if TYPE_CHECKING:
    from gnomon.base.kept import Keep

_P = 300
_EXPLORING_BITS = (6, 8, 10, 12, 14, 15, 16, 20, 24)
_DICTIONARY_BITS = (8, 10, 12, 14, 15, 16, 20, 24)
_LARGEST_LOSS = 1.02


def bento_formats(*, full: bool, keep: Keep = anew) -> Table:
    """Share of unequal arms and regret ratio, 30 bandits of each size (3 in the small size)."""
    learner = find_learner("bento-epsilon-greedy")
    seeds = range(7000, 7030 if full else 7003)
    rounds = 20_000 if full else 2_000
    rows, lost = [], set()
    for dimensions in (3, 8):
        bandits = [
            unit_bandit(seed=seed)
            if dimensions == 3
            else bernoulli_bandit(dimensions=dimensions, arms=6, seed=seed, noise="normal")
            for seed in seeds
        ]
        runs = [bandit.draw(rounds, seed=seed) for seed, bandit in zip(seeds, bandits, strict=True)]
        for name, most_bits in (("optimized", 24), ("optimized-vector", 20)):
            for bits in _EXPLORING_BITS:
                if bits > most_bits:
                    continue
                found = keep(
                    compare_format, learner.variant(name, "tuned"), runs, p=_P, fraction_bits=bits
                )
                if found.ratio > _LARGEST_LOSS:
                    lost.add((name, bits))
                rows.append(
                    (
                        name,
                        str(dimensions),
                        str(bits),
                        f"{found.unequal:.6f}",
                        f"{found.regret:.2f}",
                        f"{found.float_regret:.2f}",
                        f"{found.ratio:.4f}",
                    )
                )
    least = {
        name: min(bits for bits in _EXPLORING_BITS if all((name, b) not in lost
                                                          for b in _EXPLORING_BITS if b >= bits))
        for name in ("optimized", "optimized-vector")
    }  # fmt: skip
    return Table(
        name="formats",
        title="Number formats (criterion A11)",
        columns=(
            *("variant", "d", "fraction_bits", "unequal_share"),
            *("regret", "float_regret", "ratio"),
        ),
        rows=tuple(rows),
        about=f"{len(seeds)} bandits of six arms, T = {rounds:,}, p = {_P}. Float explores in the"
        " same steps and learns from the same rewards, so each unequal arm is a rounding error."
        " The limits of A11 are 0.0005 with 16 fraction bits and 0.003 with 12. At most 2 % of"
        f" regret is lost from {least['optimized']} fraction bits on by the scalar variant, from"
        f" {least['optimized-vector']} by the vector one, whose operands lose a third of their"
        " digits each.",
    )


def kernel_formats(*, full: bool, keep: Keep = anew) -> Table:
    """Regret of runs alone and equal arms of runs that follow float, 20 seeds (2 if small)."""
    learner = find_learner("ek-ucb")
    seeds, rounds = (range(20), 1000) if full else (range(2), 200)
    rows: list[tuple[str, ...]] = []
    ratios: dict[int, list[float]] = {}
    for environment in ("chessboard", "step-diagonal"):
        for ridge in (1, 10):
            reference = keep(
                play_float,
                environment,
                regularisation=ridge,
                most_anchors=32,
                rounds=rounds,
                seeds=seeds,
            )
            for name, choice in (("optimized", _DICTIONARY_BITS), ("optimized-vector", (12, 15))):
                for bits in choice:
                    found = keep(
                        compare_dictionary,
                        learner.variant(name, "tuned"),
                        reference,
                        fraction_bits=bits,
                    )
                    if name == "optimized":
                        ratios.setdefault(bits, []).append(found.ratio)
                    rows.append(
                        (
                            name,
                            environment,
                            str(ridge),
                            str(bits),
                            f"{found.equal:.4f}",
                            f"{found.regret:.1f}",
                            f"{found.float_regret:.1f}",
                            f"{found.ratio:.3f}",
                            f"{found.float_error / found.float_regret:.3f}",
                            f"{found.anchors:.1f}",
                        )
                    )
    good = [
        bits
        for bits in _DICTIONARY_BITS
        if all(max(ratios[b]) <= _LARGEST_LOSS for b in _DICTIONARY_BITS if b >= bits)
    ]
    largest = f"from {min(good)} fraction bits on" if good else "with none of these formats"
    return Table(
        name="formats",
        title="Number formats (criterion F7)",
        columns=(
            *("variant", "environment", "lambda", "fraction_bits", "equal_share"),
            *("regret", "float_regret", "ratio", "ratio_error", "anchors"),
        ),
        rows=tuple(rows),
        about=f"History-free, novelty 0.1, at most 32 anchors, {len(seeds)} seeds, T = {rounds:,}."
        " Equal share: rounds with the arm of float while both learn what float played. Regret:"
        " playing alone; a fixed-point exponential is 0 where float breaks ties by numbers such as"
        " 1e-40, so runs part in every format and single arms cannot be compared. Ratio error: the"
        " standard error of the mean difference over the regret of float. At most 2 % of regret is"
        f" lost in all four {largest}.",
    )
