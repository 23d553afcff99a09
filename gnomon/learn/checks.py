"""Contract checks of learners, each with a name, for any learner that is found."""

import pickle
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np

from gnomon.base.errors import Check, CheckFailed, GnomonError, expect, require_known
from gnomon.learn._store import load_learner, save_learner
from gnomon.learn._trace import Trace
from gnomon.learn.algorithm import algorithms, find_learner
from gnomon.learn.learner import Learner, Sizes

Build = Callable[..., Learner]

_CONTEXT = (0.1, 0.2, 0.3, 0.4)


def float_checks(name: str) -> Iterator[Check]:
    """Yield the checks of every float64 variant of a learner; none if it exists in C only.

    Raises:
        GnomonError: if no such learner exists, or the learner waives an unknown check.
    """
    there = algorithms()
    about = there[require_known("learner", name, there)]
    for waived in about.waives:
        if waived not in _CHECKS:
            allowed = ", ".join(_CHECKS)
            raise GnomonError(
                f"learner {name} waives the unknown check {waived!r} (allowed: {allowed})"
            )
    for variant in about.float_variants:
        build = partial(build_learner, find_learner(name, variant))
        for check, run in _CHECKS.items():
            waived = about.waives.get(check, "")
            yield Check(f"{name}/{variant}", check, partial(run, build), waived)


def build_learner(
    kind: type[Learner], *, arms: int = 3, dimensions: int = 4, features: int = 2, **settings: Any
) -> Learner:
    """Return an empty learner of these sizes, see :meth:`Learner.from_sizes`."""
    return kind.from_sizes(Sizes(arms, dimensions, features), **settings)


def walk(learner: Learner, steps: int, seed: int = 0) -> list[int]:
    """Return the arms that a learner chooses while it learns rewards of context and arm."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=(learner.sizes.arms, learner.sizes.dimensions))
    chosen = []
    for _ in range(steps):
        context = rng.normal(size=learner.sizes.dimensions)
        arm = learner.select(context)
        learner.update(context, arm, float(truth[arm] @ context + rng.normal() * 0.1))
        chosen.append(arm)
    return chosen


def same_state(one: Learner, other: Learner) -> bool:
    """Return whether all arrays are equal to the last bit."""
    return one.state.keys() == other.state.keys() and all(
        np.array_equal(one.state[name], other.state[name]) for name in one.state
    )


def _walked(build: Build, steps: int) -> Learner:
    learner = build()
    walk(learner, steps)
    return learner


def _ties(build: Build) -> None:
    """Check that the choice among arms that differ in number alone does not depend on rounding."""
    rng = np.random.default_rng(1)
    for arms, dimensions in ((2, 1), (5, 3), (8, 7), (13, 8)):
        learner = build(arms=arms, dimensions=dimensions)
        if "arm_features" in learner.settings:
            settings = {**learner.settings, "arm_features": np.full((arms, 3), 0.3)}
            learner = type(learner)(**settings)
        context = rng.normal(size=dimensions)
        expect(np.unique(learner.scores(context)).size == 1, f"{arms} new arms differ in score")
        if learner.follows_scores:
            arm = learner.select(context)
            expect(arm == 0, f"of {arms} equal arms it selects arm {arm}, not the lowest")


def _learns(build: Build) -> None:
    learner, context = build(arms=4, dimensions=3), [1.0, 0.2, -0.3]
    for _ in range(60):
        learner.update(context, learner.select(context), 0.0)
        learner.update(context, 2, 1.0)
    expect(learner.steps == 120, f"120 updates are counted as {learner.steps}")
    best = int(learner.scores(context).argmax())
    expect(best == 2, f"only arm 2 gave rewards, but arm {best} has the highest score")
    if learner.follows_scores:
        expect(learner.select(context) == 2, "it does not choose the arm of the highest score")


def _repeats(build: Build) -> None:
    first, second = build(), build()
    expect(walk(first, 50) == walk(second, 50), "two learners of one seed choose different arms")
    expect(same_state(first, second), "two learners of one seed have different states")


def _keeps_to_offer(build: Build) -> None:
    learner, rng = build(arms=6), np.random.default_rng(4)
    for _ in range(80):
        context, on_offer = rng.normal(size=4), rng.permutation(6)[: rng.integers(1, 7)]
        arm = learner.select(context, on_offer)
        expect(arm in on_offer, f"arm {arm} is not on offer: {on_offer.tolist()}")
        learner.update(context, arm, float(rng.random() < 0.5))


def _full_offer(build: Build) -> None:
    first, second = build(arms=5), build(arms=5)
    rng = np.random.default_rng(4)
    for _ in range(40):
        context = rng.normal(size=4)
        arm = first.select(context)
        same = arm == second.select(context, np.arange(5)[::-1])
        expect(same, "with all arms on offer it chooses another arm than without an offer")
        for learner in (first, second):
            learner.update(context, arm, float(context[0] > 0))


def _clone(build: Build) -> None:
    learner = _walked(build, 20)
    clone = learner.clone()
    expect(same_state(learner, clone) and clone.steps == 20, "a clone has another state")
    walk(clone, 5, seed=3)
    fresh = _walked(build, 20)
    expect(same_state(learner, fresh), "what a clone learns changes the learner")
    expect(_draws(learner) == _draws(fresh), "what a clone draws changes the learner")
    if learner.state:
        expect(not same_state(learner, clone), "a clone learns nothing")


def _pickle(build: Build) -> None:
    learner = _walked(build, 20)
    again: Learner = pickle.loads(pickle.dumps(learner))  # noqa: S301 - made one line above
    expect(same_state(learner, again), "a pickled learner comes back with another state")
    same = walk(learner, 20, seed=5) == walk(again, 20, seed=5)
    expect(same and same_state(learner, again), "a pickled learner continues differently")


def _save(build: Build) -> None:
    for steps in (0, 20):
        learner = _walked(build, steps)
        with tempfile.TemporaryDirectory() as folder:
            one, two = (save_learner(learner, Path(folder, name)) for name in ("a.npz", "b.npz"))
            expect(one.read_bytes() == two.read_bytes(), "saved twice, the files differ")
            loaded = load_learner(one)
        expect(type(loaded) is type(learner), f"a {type(loaded).__name__} is loaded")
        expect(loaded.settings == learner.settings, "loaded, it has other settings")
        expect(loaded.steps == steps, f"saved after {steps} updates, it has {loaded.steps}")
        expect(same_state(learner, loaded), "loaded, it has another state")
        same = walk(learner, 20, seed=5) == walk(loaded, 20, seed=5)
        expect(same and same_state(learner, loaded), "loaded, it continues differently")


def _one_arm(build: Build) -> None:
    arms = set(walk(build(arms=1, dimensions=1, features=1), 30))
    expect(arms == {0}, f"with one arm it chooses {sorted(arms)}")


def _constant_context(build: Build) -> None:
    learner, context = build(), [0.5, -0.5, 0.25, 1.0]
    for _ in range(300):
        arm = learner.select(context)
        learner.update(context, arm, 0.1 * arm)
    finite = all(np.isfinite(array).all() for array in learner.state.values())
    expect(finite, "300 rounds of one context leave values that are not finite")


def _extreme_rewards(build: Build) -> None:
    for reward in (1e100, -1e100, 1e-300, 0.0, -0.0):
        learner, rng = build(), np.random.default_rng(2)
        for _ in range(20):
            context = rng.normal(size=4)
            learner.update(context, learner.select(context), reward)
        finite = np.isfinite(learner.scores(rng.normal(size=4))).all()
        expect(finite, f"rewards of {reward:g} leave scores that are not finite")


def _extreme_contexts(build: Build) -> None:
    for size in (1.0, 1e-3, 1e-150, 0.0):
        learner, rng = build(), np.random.default_rng(3)
        largest = size * learner.largest_context
        for _ in range(20):
            context = rng.uniform(-1, 1, size=4) * largest
            learner.update(context, learner.select(context), 1.0)
        finite = np.isfinite(learner.scores(rng.uniform(-1, 1, size=4) * size)).all()
        expect(finite, f"contexts up to {largest:g} leave scores that are not finite")


def _rows(build: Build) -> None:
    learner = _walked(build, 20)
    shared, rows = learner.scores(_CONTEXT), learner.scores(np.tile(_CONTEXT, (3, 1)))
    expect(np.array_equal(shared, rows), "one row for each arm gives other scores than one for all")


def _contexts_matter(build: Build) -> None:
    learner = _walked(build, 20)
    rows = np.tile(_CONTEXT, (3, 1))
    rows[1] *= 2
    before, after = learner.scores(_CONTEXT), learner.scores(rows)
    expect(after[0] == before[0], "the row of another arm changes the score of an arm")
    expect(after[1] != before[1], "its own row does not change the score of an arm")


def _own_row(build: Build) -> None:
    one, two = build(), build()
    rows = np.full((3, 4), 9.0)
    rows[2] = _CONTEXT
    one.update(_CONTEXT, 2, 1.0)
    two.update(rows, 2, 1.0)
    expect(same_state(one, two), "an update depends on the rows of other arms")


def _wrong_contexts(build: Build) -> None:
    wrong: tuple[Any, ...] = (
        [1.0, float("nan"), 0.0, 0.0], [0.0, 0.0, 0.0, -1e7], [1.0, 2.0], "four",
        [[0.0] * 4, [0.0] * 3 + [float("inf")], [0.0] * 4],
    )  # fmt: skip
    learner = build()
    for context in wrong:
        _refused(learner, "select", context)
        _refused(learner, "update", context, 0, 1.0)


def _wrong_updates(build: Build) -> None:
    wrong: tuple[tuple[Any, Any], ...] = (
        (3, 1.0), (-1, 1.0), (1.0, 1.0), (True, 1.0), (0, "much"), (0, float("nan")), (0, 1e101),
    )  # fmt: skip
    learner = build()
    for arm, reward in wrong:
        _refused(learner, "update", [1.0, 0.0, 0.0, 0.0], arm, reward)


def _refused(learner: Learner, use: str, *given: Any) -> None:
    fresh = learner.clone()
    call = f"{use}({', '.join(map(repr, given))})"
    try:
        getattr(learner, use)(*given)
    except GnomonError:
        same = same_state(learner, fresh) and learner.steps == fresh.steps
        expect(same and _draws(learner) == _draws(fresh), f"{call} fails, but changes the learner")
        return
    raise CheckFailed(f"{call} is not rejected")


def _late_rewards(build: Build) -> None:
    """Check late rewards: in order they equal select and update; in any order each counts once."""
    plain, late, rng = build(), build(), np.random.default_rng(6)
    for _ in range(40):
        context = rng.normal(size=4)
        decision = late.decide(context)
        arm = plain.select(context)
        expect(arm == decision.arm, "decide and select choose other arms")
        late.learn(decision, float(context[0]))
        plain.update(context, arm, float(context[0]))
    same = walk(plain, 20, seed=5) == walk(late, 20, seed=5)
    expect(same and same_state(plain, late), "after decide and learn it continues differently")
    if late.in_order:
        late.decide(_CONTEXT)
        _refused(late, "decide", _CONTEXT)
        return
    batch = [late.decide(context) for context in rng.normal(size=(8, 4))]
    with tempfile.TemporaryDirectory() as folder:
        late = load_learner(save_learner(late, Path(folder, "late.npz")))
    for decision in batch[::-1]:
        late.learn(decision, 1.0)
    expect(late.steps == 68, f"68 rewards are counted as {late.steps}")
    _refused(late, "learn", batch[0], 1.0)


def _other_arms(build: Build) -> None:
    """Check that arms keep their state, a new arm starts empty, and learning continues."""
    learner = _walked(build, 40)
    rows = {name: [learner.settings[name][0]] for name in ("arm_features", "actions")
            if name in learner.settings and len(learner.settings[name][0]) != 3}  # fmt: skip
    more = learner.with_arms([None, 2, 0, 1], **rows)
    expect(more.sizes.arms == 4 and more.steps == 40, "a learner with another arm forgets")
    back = more.with_arms([2, 3, 1])
    expect(same_state(learner, back), "after an arm was added and removed, the state differs")
    same = walk(learner, 20, seed=5) == walk(back, 20, seed=5)
    found = "after an arm was added and removed, it continues differently"
    expect(same and same_state(learner, back), found)
    turned = _walked(build, 40).with_arms([2, 0, 1])
    scores = [each.scores(_CONTEXT) for each in (_walked(build, 40), turned)]
    expect(np.allclose(scores[0][[2, 0, 1]], scores[1]), "in another order, arms score differently")
    walk(more, 20)
    expect(set(walk(back.with_arms([1]), 10)) == {0}, "with one arm left it selects another")
    waiting = build()
    waiting.decide(_CONTEXT)
    _refused(waiting, "with_arms", [0])
    _refused(build(), "with_arms", [0, 0])
    _refused(build(), "with_arms", [3])


def _probabilities(build: Build) -> None:
    learner = _walked(build, 60)
    offer = np.array([0, 2])
    try:
        chances = learner.probabilities(_CONTEXT, offer)
    except GnomonError as error:
        expect("no closed form" in str(error), f"its probabilities fail: {error}")
        return
    expect(abs(chances.sum() - 1.0) < 1e-9 and chances[1] == 0.0, f"no probabilities: {chances}")
    draws = 1 if chances.max() == 1.0 else 1000
    share = sum(learner.select(_CONTEXT, offer) == 2 for _ in range(draws)) / draws
    most = 4.0 * float(np.sqrt(chances[2] * chances[0] / draws))
    found = f"{chances[2]:.3f}, and is chosen in {share:.3f} of the rounds"
    expect(abs(share - chances[2]) <= most, f"arm 2 has the probability {found}")


def _exploit(build: Build) -> None:
    """Check exploitation: one arm is known to be good, the others are hardly known."""
    learner = build()
    if not learner.exploits:
        _refused(learner, "exploit", _CONTEXT)
        return
    for _ in range(40):
        learner.update(_CONTEXT, 1, 1.0)
    for arm in (0, 2):
        learner.update(_CONTEXT, arm, 0.0)
    arm = learner.exploit(_CONTEXT)
    earned = "arm 1 earned 40 times 1, the others once 0"
    expect(arm == 1, f"{earned}; without exploration it plays {arm}")


def _recording(build: Build) -> None:
    plain, recorded = build(), build()
    walk(plain, 10)
    with Trace.record():
        walk(recorded, 10)
    expect(same_state(plain, recorded), "recording its kernel calls changes what it learns")


def _words(build: Build) -> None:
    learner = build()
    words = repr(learner)
    right = words.startswith(f"{type(learner).__name__}(") and "dimensions=4" in words
    expect(right, f"its repr does not show its settings: {words}")


def _draws(learner: Learner) -> Any:
    """Return the state of the generator, to compare two generators."""
    return learner.generator and learner.generator.bit_generator.state


_CHECKS: Final[dict[str, Callable[[Build], None]]] = {
    check.__name__.strip("_").replace("_", "-"): check
    for check in (
        _ties, _learns, _repeats, _keeps_to_offer, _full_offer, _clone, _pickle, _save, _one_arm,
        _constant_context, _extreme_rewards, _extreme_contexts, _rows, _contexts_matter, _own_row,
        _wrong_contexts, _wrong_updates, _late_rewards, _other_arms, _probabilities, _exploit,
        _recording, _words,
    )
}  # fmt: skip
