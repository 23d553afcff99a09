"""Contract checks of embedded learners, each with a name, for ``gnomon check NAME`` and tests."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache, partial
from typing import Any

import numpy as np

from gnomon.arch import Architecture, load_architecture
from gnomon.base.content import found
from gnomon.base.errors import Check, CheckFailed, GnomonError, expect
from gnomon.learn.algorithm import read_algorithm
from gnomon.learn.checks import float_checks
from gnomon.measure.learners._bench import LearnerBench
from gnomon.measure.learners._learner import EmbeddedSizes, find_embedded_learner
from gnomon.measure.learners._once import judge_once
from gnomon.measure.learners._step import Play
from gnomon.program import unchanging_files

_ROUNDS = 16
_ARMS = 4
_EXTREMES = (-(2**31), -(2**31) + 1, -1, 0, 1, 2**31 - 1)


def check_learner(name: str) -> Iterator[Check]:
    """Yield the checks of every variant of a learner, those in float64 first.

    Raises:
        GnomonError: if no such learner exists, its description is wrong (with file and line), or it
            waives an unknown check.
    """
    yield from float_checks(name)
    algorithm = read_algorithm(found("algorithms")[name])[1]
    if algorithm.embedded is not None or algorithm.once:
        yield from embedded_checks(name)


def embedded_checks(name: str) -> Iterator[Check]:
    """Yield the checks of every variant in C; no source may change until the last one has run."""
    learner, known = find_embedded_learner(name), dict[tuple[object, ...], Any]()
    sizes = EmbeddedSizes(4, _ARMS, 2 if learner.has_features else None)
    for variant in learner.variants:
        machine = _loaded("t13-paper-simd4" if variant.vector else "t13")
        bits = variant.fraction_bits or 15
        bench = LearnerBench(learner, variant, machine, sizes, fraction_bits=bits)
        checks = _CHECKS if variant.once is None else {**_CHECKS, **_ONCE_CHECKS}
        for check, run in checks.items():
            of = f"{name}/{variant.line}/{variant.name}"
            yield Check(of, check, partial(_run_check, run, bench, known))


def _run_check(
    run: Callable[[LearnerBench], None], bench: LearnerBench, known: dict[tuple[object, ...], Any]
) -> None:
    with unchanging_files(known):
        run(bench)


@cache
def _loaded(name: str) -> Architecture:
    return load_architecture(name)


def _play(bench: LearnerBench) -> Play:
    """Return random rounds, the same on each call."""
    rng, sizes = np.random.default_rng(7), bench.sizes
    features = None
    if bench.learner.fixed_arms or bench.learner.has_features:
        features = rng.uniform(-1, 1, (sizes.arms, sizes.d if sizes.f is None else sizes.f))
        features *= 0.999 / np.linalg.norm(features, axis=1, keepdims=True)
    return Play.from_floats(
        rng.uniform(-1, 1, (_ROUNDS, sizes.d)),
        rng.uniform(0, 1, (_ROUNDS, sizes.arms)),
        fraction_bits=bench.fraction_bits,
        features=features,
        alpha=bench.learner.alpha,
    )


def _rounds(bench: LearnerBench) -> None:
    """Check that every arm, and every word of the final model, equals that of the host."""
    bench.play(_play(bench))


def _steps(bench: LearnerBench) -> None:
    """Check arm, scores and model of one step, of a fresh and of a trained model."""
    for case in ("fresh", "random"):
        bench.measure(case=case, details=False)


def _arms(bench: LearnerBench) -> None:
    """Check that chosen arms exist, whatever the numbers."""
    host, rng = bench.host(), np.random.default_rng(8)
    sizes = host.sizes
    contexts = rng.choice(_EXTREMES, (64, sizes.d)).astype(np.int32)
    rewards = rng.choice(_EXTREMES, (64, sizes.arms)).astype(np.int32)
    play = _play(bench)
    if play.features is not None:
        host.features = play.features
    host.reset()
    for context, reward in zip(
        np.vstack((play.contexts, contexts)), np.vstack((play.rewards, rewards)), strict=True
    ):
        host.context = context
        arm = host.select()
        expect(arm < sizes.arms, f"chose arm {arm} of {sizes.arms}")
        host.update(arm, int(reward[arm]))


def _repeats(bench: LearnerBench) -> None:
    """Check that the same rounds give the same arms and the same model, also after a reset."""
    play, first, second = _play(bench), bench.host(), bench.host()
    arms = play.on(first)
    model = first.model
    for host, how in ((second, "another build"), (first, "after learner_reset")):
        expect(np.array_equal(play.on(host), arms), f"{how}: arms differ in the same rounds")
        expect(np.array_equal(host.model, model), f"{how}: models differ after the same rounds")


def _model(bench: LearnerBench) -> None:
    """Check that the model has ``learner_model_words`` words, on host and machine."""
    words = bench.host().model.size
    size = bench.build().symbol("learner_model").size_bytes
    expect(size == 4 * words, f"learner_model has {size} bytes, learner_model_words is {words}")


def _refusals(bench: LearnerBench) -> None:
    """Check that the variant rejects machines that it cannot run on, and runs on the others."""
    variant, bits = bench.variant, bench.fraction_bits
    if variant.vector:
        _refused(replace(bench, architecture=_loaded("t13")), "no vector unit")
    if variant.fraction_bits is not None:
        _refused(replace(bench, fraction_bits=bits - 1), f"{bits - 1} fraction bits")
    two = replace(bench, harts=2)
    if not variant.why_alone(bench.sizes):
        two.measure(details=False)
    else:
        _refused(two, "2 harts")


def _refused(bench: LearnerBench, what: str) -> None:
    try:
        bench.build()
    except CheckFailed:
        raise
    except GnomonError:
        return
    raise CheckFailed(f"{what}: is not rejected")


def _follows(bench: LearnerBench) -> None:
    """Check that generated C equals its integer model and decides as the Python does."""
    judge_once(bench.variant, bench.sizes).check()


_ONCE_CHECKS: dict[str, Callable[[LearnerBench], None]] = {"decides-as-the-python": _follows}
_CHECKS: dict[str, Callable[[LearnerBench], None]] = {
    "rounds-equal-this-computer": _rounds,
    "steps-equal-this-computer": _steps,
    "arms-in-range": _arms,
    "deterministic": _repeats,
    "model-as-declared": _model,
    "refusals": _refusals,
}
