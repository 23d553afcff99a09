"""Learners written once, for tests: classes from text, and the C of a size on the host."""

from __future__ import annotations

import importlib.util
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gnomon.learn.algorithm import Once
from gnomon.measure.learners import EmbeddedSizes, HostLearner, LearnerVariant
from gnomon.once.generate import OnceSource, read_source, to_words
from gnomon.once.words import WordReading

if TYPE_CHECKING:
    from gnomon.once.code import LearnerCode

HEAD = """
import numpy as np
from gnomon.learn.draws import Draws

class Mine:
    keeps = ("a", "w", "n", "s")

    def __init__(self, *, arms, dimensions, alpha=0.5):
        self.arms, self.dimensions, self.alpha = arms, dimensions, alpha
        self.a = np.tile(np.eye(dimensions), (arms, 1, 1))
        self.w = np.zeros((arms, dimensions))
        self.n = np.zeros(arms, dtype=np.int64)
        self.s = 0.5
        self.random = Draws(7)
        self.other = np.zeros(3)
"""
SELECT = """
    def select(self, x):
        scores = np.zeros(self.arms)
        for arm in range(self.arms):
            scores[arm] = self.w[arm] @ x
        return np.argmax(scores)
"""
UPDATE = """
    def update(self, x, arm, reward):
        self.w[arm] += 0.125 * (reward - self.w[arm] @ x) * x
"""
FIRST_LINE = HEAD.count("\n") + 3
"""Line of the first statement of the method that a test writes directly after the head."""


class FileSource(OnceSource):
    """The source of a class in a file, which no project contains."""

    def kind(self) -> Any:
        return load(Path(self.folder, "learner.py"))


def write(folder: Path, *methods: str) -> OnceSource:
    """Write ``learner.py`` of a folder of content, and return its source."""
    place = folder / "algorithms" / "mine"
    place.mkdir(parents=True, exist_ok=True)
    (place / "learner.py").write_text(HEAD + "".join(methods))
    return source_of(place)


def method(name: str, body: str) -> str:
    """Return the text of ``select`` or ``update`` with this body."""
    words = {"select": "self, x", "update": "self, x, arm, reward"}[name]
    return (
        f"\n    def {name}({words}):\n{textwrap.indent(textwrap.dedent(body).strip(), ' ' * 8)}\n"
    )


def source_of(place: Path, kind: str = "learner.py:Mine", **entry: Any) -> OnceSource:
    """Return the source of a class in a folder."""
    return FileSource(
        str(place), "standard", Once(**{"class": kind, **entry}), 0.5, "algorithm.yaml:4"
    )


def load(path: Path) -> Any:
    """Return the class ``Mine`` of a file."""
    spec = importlib.util.spec_from_file_location(f"once_{abs(hash(path))}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module.Mine


def compare_with_c(source: OnceSource, d: int, arms: int, scale: float, rounds: int) -> LearnerCode:
    """Play random rounds by integers and by C; every arm and word of the state must be equal."""
    code = read_source(source, d, arms)
    rng = np.random.default_rng(d)
    most = 2.0**15
    contexts = to_words(np.clip(scale * rng.normal(size=(rounds, d)), -most, most))
    rewards = to_words(np.clip(scale * rng.normal(size=(rounds, arms)), -most, most))
    words = WordReading(code, 1 << 14)
    host = HostLearner(variant_of(source), EmbeddedSizes(d, arms))
    host.alpha = 1 << 14
    host.reset()
    arms_of_words = words.play(contexts, rewards)
    assert np.array_equal(host.run(contexts, rewards), arms_of_words)
    assert np.array_equal(host.model, words.model)
    return code


def variant_of(source: OnceSource) -> LearnerVariant:
    """Return the variant in C of a source."""
    return LearnerVariant(
        folder=source.folder, name="standard", line="once", sources=(), kernels=(),
        library=(), program="", vector=source.entry.vector, extensions=("kps",)
        * source.entry.vector, fraction_bits=15, shares_arms=False,
        correction_period=None, parameters={}, counted="", once=source,
    )  # fmt: skip
