"""What generated C loses: agreement with the Python, regret, clamped inputs, saturated lines."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnomon.base.digest import digest
from gnomon.base.errors import CheckFailed, GnomonError
from gnomon.base.interval import student_quantile
from gnomon.base.result_cache import cached_result
from gnomon.base.sources import source_digest
from gnomon.measure.learners._host import HostLearner
from gnomon.measure.learners._learner import EmbeddedSizes, LearnerVariant
from gnomon.measure.memory_words import Words
from gnomon.once.code import INPUT_BITS, places_of
from gnomon.once.generate import (
    OnceSource,
    describe_format,
    make_rounds,
    play_class,
    read_source,
    to_words,
)
from gnomon.once.words import WordReading

LEAST_AGREEMENT = 0.98
"""Smallest share of decisions that must be those of the Python class, on each unseen seed."""


@dataclass(frozen=True, slots=True)
class Format:
    """Format of a variable: the last line that writes it, ``Q5.26``, the largest value."""

    line: int
    name: str
    format: str
    saw: float

    @property
    def bits(self) -> int:
        """Significant bits of the largest value recorded."""
        frac = int(self.format.rpartition(".")[2])
        return max(0, int(self.saw * 2.0**frac).bit_length()) if self.saw else 31


@dataclass(frozen=True, slots=True)
class Decisions:
    """Decisions of C compared with those of a Python class, in the same rounds.

    Attributes:
        follows: by seed, share of decisions equal to those of the class, whose plays both learn.
        regrets: by seed, regret of the C, which plays alone.
        references: by seed, regret of the class.
        uniforms: by seed, expected regret of arms picked uniformly at random.
        played: by seed, the arms that the class plays.
    """

    follows: tuple[float, ...]
    regrets: tuple[float, ...]
    references: tuple[float, ...]
    uniforms: tuple[float, ...]
    played: tuple[NDArray[np.int64], ...]

    def interval(self) -> tuple[float, float, float]:
        """Return the regret of the C beyond that of the class, over that of uniform arms.

        The mean over the seeds, and its 95 % interval (Student's t).
        """
        more = (np.array(self.regrets) - self.references) / np.array(self.uniforms)
        spread = float(np.std(more, ddof=1)) / len(more) ** 0.5
        half = student_quantile(0.975, len(more) - 1) * spread
        mean = float(more.mean())
        return mean, mean - half, mean + half


@dataclass(frozen=True, slots=True)
class Judgement:
    """Generated C compared with its Python class on unseen seeds.

    Attributes:
        rounds: rounds of each seed.
        follows: by seed, share of decisions equal to those of the class, whose plays both learn.
        regret: regret of the C, which plays alone; the sum over all seeds.
        reference: regret of the class.
        uniform: expected regret of arms picked uniformly at random.
        lost: operations that saturated in the first seed, with line, number and largest value.
        clamped: values of contexts and rewards in the first seed beyond the recorded ranges.
        formats: formats of all variables.
    """

    rounds: int
    follows: tuple[float, ...]
    regret: float
    reference: float
    uniform: float
    lost: tuple[str, ...]
    clamped: int
    formats: tuple[Format, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the judgement as JSON-compatible data."""
        return asdict(self)

    @property
    def words(self) -> str:
        """One line: agreement, regret and losses."""
        share = (self.regret - self.reference) / self.uniform if self.uniform else 0.0
        lost = "; ".join(self.lost) or "nothing saturated"
        return (
            f"follows {np.mean(self.follows):.4f} of the Python's decisions (lowest of"
            f" {len(self.follows)} seeds {min(self.follows):.3f}); regret {self.regret:,.0f},"
            f" Python {self.reference:,.0f} ({share:+.1%} of a uniform policy's); {lost};"
            f" clamped {self.clamped}"
        )

    def check(self) -> None:
        """Check that each seed follows the Python.

        Raises:
            CheckFailed: if one does not; with the lines that lose.
        """
        if min(self.follows) >= LEAST_AGREEMENT:
            return
        coarse = sorted(self.formats, key=lambda each: each.bits)[:2]
        named = ", ".join(
            f"line {each.line}: {each.name} ({each.format}) has {each.bits} bits" for each in coarse
        )
        raise CheckFailed(
            f"seed {int(np.argmin(self.follows))} follows {min(self.follows):.3f} of the Python's"
            f" decisions, below {LEAST_AGREEMENT}; saturated: {'; '.join(self.lost) or 'nothing'};"
            f" fewest significant bits: {named}"
        )


def judge_once(
    variant: LearnerVariant, sizes: EmbeddedSizes, *, seeds: int = 20, rounds: int = 500
) -> Judgement:
    """Return agreement, regret and losses of generated C; cached.

    Raises:
        GnomonError: if the variant is not generated, or C cannot be generated.
    """
    if variant.once is None:
        raise GnomonError(f"variant {variant.name} is hand-written: nothing to compare it with")
    host = HostLearner(variant, sizes)
    key = digest(("judged", source_digest("algorithms"), host.fingerprint, seeds, rounds,
                  variant.once.folder, variant.once.entry.kind))  # fmt: skip
    return cached_result("once", key, lambda: _judge(variant, sizes, host, seeds, rounds))


def _judge(
    variant: LearnerVariant, sizes: EmbeddedSizes, host: HostLearner, seeds: int, rounds: int
) -> Judgement:
    source = variant.once
    assert source is not None
    code = read_source(source, sizes.d, sizes.arms)
    decisions = compare_decisions(host, source, seeds=seeds, rounds=rounds)
    contexts, rewards, _ = _make_words(source, sizes, 0, rounds)
    words, played = WordReading(code, host.alpha), decisions.played[0]
    words.play(contexts, rewards, list(played))
    host.reset()
    host.follow(contexts, rewards, played)
    if not np.array_equal(words.model, host.model):
        raise CheckFailed(f"{code.file}: C and integer model end in different states")
    lost = tuple(
        f"line {line}: {name}, {loss.count} values, largest {loss.largest:.3g}, first in round"
        f" {loss.round}"
        for (line, name), loss in sorted(words.lost.items())
    )
    lines = {op.out.place: op.line for op in code.operations() if op.out is not None}
    read = {place for op in code.operations() for place in places_of([*op.args, op.test])}
    formats = tuple(
        Format(lines.get(each, 0), each.name, describe_format(each).partition(",")[0], each.largest)
        for each in code.places() if not each.whole and (each.role != "input" or each in read)
    )  # fmt: skip
    return Judgement(
        rounds, decisions.follows, sum(decisions.regrets), sum(decisions.references),
        sum(decisions.uniforms), lost, words.clamped, formats,
    )  # fmt: skip


def compare_decisions(
    host: HostLearner, source: OnceSource, *, seeds: int, rounds: int
) -> Decisions:
    """Play unseen seeds by C, generated or hand-written, and by a class.

    Raises:
        GnomonError: if the class fails, with file and line.
    """
    host.alpha = source.alpha_word
    rows, plays = [], []
    for seed in range(seeds):
        contexts, rewards, expected = _make_words(source, host.sizes, seed, rounds)
        played = _play_python(source, host.sizes, seed, rounds)
        host.reset()
        alone = host.run(contexts, rewards)
        host.reset()
        follows = float((host.follow(contexts, rewards, played) == played).mean())
        best, at = expected.max(axis=1), np.arange(rounds)
        regrets = (float((best - expected[at, arms]).sum()) for arms in (alone, played))
        rows.append((follows, *regrets, float((best - expected.mean(axis=1)).sum())))
        plays.append(played)
    follow, regret, reference, uniform = zip(*rows, strict=True)
    return Decisions(follow, regret, reference, uniform, tuple(plays))


@lru_cache(maxsize=64)
def _play_python(
    source: OnceSource, sizes: EmbeddedSizes, seed: int, rounds: int
) -> NDArray[np.int64]:
    """Return the arms that the class plays; several implementations are compared with it."""
    contexts, rewards, _ = _make_words(source, sizes, seed, rounds)
    learner = source.create(sizes.d, sizes.arms)
    folder = Path(source.folder)
    return play_class(learner, contexts / 2**INPUT_BITS, rewards / 2**INPUT_BITS, folder)


def _make_words(
    source: OnceSource, sizes: EmbeddedSizes, seed: int, rounds: int
) -> tuple[Words, Words, NDArray[np.float64]]:
    """Return contexts and rewards of rounds as words, and expected rewards."""
    drawn = make_rounds(source, seed, rounds, arms=sizes.arms, d=sizes.d)
    rewards = to_words(drawn.expected + drawn.noise[:, None])
    return to_words(drawn.contexts), rewards, drawn.expected
