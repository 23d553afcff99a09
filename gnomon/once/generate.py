"""From a class to the C of one size: recorded, with formats, cached like other builds."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnomon.base.cache import Store
from gnomon.base.digest import digest
from gnomon.base.errors import CheckFailed, GnomonError
from gnomon.base.loading import locate_errors
from gnomon.base.sources import file_digest, source_digest
from gnomon.learn.algorithm import Once, load_class
from gnomon.learn.draws import Draws
from gnomon.learn.environment import Rounds
from gnomon.once.c_code import describe_format as describe_format  # noqa: PLC0414
from gnomon.once.c_code import write_c
from gnomon.once.code import INPUT_BITS, LearnerCode
from gnomon.once.floats import FloatReading
from gnomon.once.formats import Pins, Rules, choose_formats
from gnomon.once.front import read_learner
from gnomon.once.short import SHORT_PLANS, use_short_products
from gnomon.once.symmetric import use_symmetry
from gnomon.once.vector import VECTOR_PLANS, use_vector

_FIRST_SEED = 100_000
"""Seed of the first recorded run; seeds below it are unseen."""
_KERNELS = {"fx_sqrt.h": "fx_sqrt.c", "fx_log.h": "fx_log.c"}

Words = NDArray[np.int32]


@dataclass(frozen=True)
class OnceSource:
    """A class from which C is generated.

    Attributes:
        folder: folder of its ``algorithm.yaml``.
        name: name of the variant.
        entry: its entry there.
        alpha: weight of exploration, an input of the C; None: the class has its own, a constant.
        origin: ``file:line`` of the entry.
    """

    folder: str
    name: str
    entry: Once
    alpha: float | None
    origin: str

    @property
    def alpha_word(self) -> int:
        """Weight of exploration as a device is given it; 0 if the C does not read it."""
        return int(to_words(self.alpha or 0.0))

    def __hash__(self) -> int:
        return hash((self.folder, self.name))

    def kind(self) -> Callable[..., Any]:
        """Return the class.

        Raises:
            GnomonError: if it does not exist, or its file fails.
        """
        return load_class(Path(self.folder), self.entry.kind, self.origin)

    def create(self, d: int, arms: int) -> Any:
        """Return an instance of a size.

        Raises:
            GnomonError: if its ``__init__`` fails, with file and line.
        """
        kind = self.kind()
        given: dict[str, Any] = {"arms": arms, "dimensions": d}
        if self.alpha is not None and "alpha" in inspect.signature(kind).parameters:
            given["alpha"] = self.alpha_word / 2**INPUT_BITS
        with locate_errors(Path(self.folder)):
            learner = kind(**given)
        if "alpha" in given and getattr(learner, "alpha", given["alpha"]) != given["alpha"]:
            raise GnomonError(
                f"{inspect.getsourcefile(kind)}: {kind.__name__}: self.alpha must be the argument"
                f" alpha, not {learner.alpha!r}: use another name for another number"
            )
        return learner

    def pins(self) -> Pins:
        """Return the formats that the user sets.

        Raises:
            GnomonError: if one has more than 31 bits.
        """
        pins = {}
        for name, text in self.entry.formats.items():
            before, after = (int(each) for each in text[1:].split("."))
            if not 1 <= before + after <= 31:
                raise GnomonError(f"{self.origin}: format {text} of {name} must have 1 to 31 bits")
            pins[name] = before, after
        return pins


@dataclass(frozen=True)
class Generated:
    """C of one size.

    Attributes:
        path: the file, in the cache.
        common: further C files of ``algorithms/common``.
        kernels: C files of kernels.
        alone: why harts cannot share its arms; empty if they can.
    """

    path: Path
    common: tuple[str, ...]
    kernels: tuple[str, ...]
    alone: str


def generate(source: OnceSource, d: int, arms: int) -> Generated:
    """Return the C of a size; it is generated if it is not cached.

    Raises:
        GnomonError: if the Python is outside the subset or fails, with file and line.
        CheckFailed: if the float reading chooses other arms than the class.
    """
    store = Store("once", ".c")
    entry = source.entry.model_dump(mode="json")
    text = file_digest(Path(source.folder, source.entry.kind.partition(":")[0]))
    parts = ("once", source_digest("algorithms"), text, source.folder, entry, source.alpha)
    key = digest((*parts, d, arms))
    found = store.load(key)
    if found is None:
        written = write_c(read_source(source, d, arms), source.entry.kind)
        note = {"uses": json.dumps(written.uses), "alone": written.alone}
        found = store.keep(key, written.text.encode(), note)
    uses = json.loads(found.note["uses"])
    kernels = ("fx_divide.c", *(_KERNELS[each] for each in uses if each in _KERNELS))
    common = ("once_exp.c",) if "once_exp.h" in uses else ()
    return Generated(found.path, common, kernels, found.note["alone"])


@cache
def read_source(source: OnceSource, d: int, arms: int) -> LearnerCode:
    """Return the operations of a size, with formats from recorded runs.

    Raises:
        GnomonError: as for :func:`generate`.
        CheckFailed: as for :func:`generate`.
    """
    code = read_learner(source.create(d, arms), constant_alpha=source.alpha is None)
    known = [each.name for each in code.places()]
    for name in source.entry.formats:
        if name not in known:
            raise GnomonError(
                f"{source.origin}: formats names {name!r}, which is not a variable of"
                f" {source.entry.kind} (known: {', '.join(dict.fromkeys(known))})"
            )
    if source.entry.vector and source.entry.products == 16:
        use_short_products(code, source.entry.formats)
    elif source.entry.vector:
        use_vector(code)
    else:
        use_symmetry(code)
    record = source.entry.record
    for run in range(record.seeds):
        play_float(source, code, _FIRST_SEED + run, record.rounds)
    choose_formats(
        code, Rules(growth=max(1.0, record.horizon / record.rounds), macq=source.entry.macq),
        source.pins(),
        {**VECTOR_PLANS, **SHORT_PLANS},
    )  # fmt: skip
    return code


def to_words(values: Any) -> Words:
    """Return real numbers as words that a device is given, rounded to nearest."""
    return np.asarray(np.rint(np.asarray(values) * 2.0**INPUT_BITS)).astype(np.int32)


def make_rounds(source: OnceSource, seed: int, rounds: int, *, arms: int, d: int) -> Rounds:
    """Return rounds with rewards that are linear in the contexts."""
    law = source.entry.record.contexts
    return Rounds.linear(rounds=rounds, arms=arms, dimensions=d, seed=seed, law=law)


def play_float(source: OnceSource, code: LearnerCode, seed: int, rounds: int) -> NDArray[np.int64]:
    """Record one run of the float reading, and compare it with the class in CPython.

    Raises:
        CheckFailed: if an arm or the state differs after any round.
    """
    drawn = make_rounds(source, seed, rounds, arms=code.arms, d=code.dimensions)
    contexts = to_words(drawn.contexts) / 2**INPUT_BITS
    rewards = to_words(drawn.expected + drawn.noise[:, None]) / 2**INPUT_BITS
    learner = source.create(code.dimensions, code.arms)
    reading = FloatReading(code, source.alpha_word / 2**INPUT_BITS, rounds)

    def compare_round(at: int, arm: int) -> None:
        if (chosen := reading.select(contexts[at])) != arm:
            raise CheckFailed(
                f"{code.file}: in round {at} the float reading chooses arm {chosen}, the class"
                f" {arm}; the class must depend on its arguments and state alone"
            )
        reading.update(contexts[at], arm, rewards[at, arm])
        reading.round += 1
        _compare_state(code, learner, reading, at)

    arms = play_class(learner, contexts, rewards, Path(source.folder), compare_round)
    for name, (read, value) in code.settings.items():
        if read(learner) != value:
            raise GnomonError(
                f"{code.file}: {name} is {value!r} in one instance and {read(learner)!r} in"
                " another: name the attribute in keeps, or give it one value"
            )
    return arms


def _compare_state(code: LearnerCode, learner: Any, reading: FloatReading, at: int) -> None:
    for name, place in code.state.items():
        if place.role != "state":
            continue
        value = getattr(learner, name)
        value = value.state if isinstance(value, Draws) else value
        if not np.array_equal(value, reading.values[place]):
            lines = sorted({each.line for each in code.operations()
                            if each.out is not None and each.out.place is place})  # fmt: skip
            raise CheckFailed(
                f"{code.file}: after round {at} the float reading has another {name} than the"
                f" class; lines that write it: {', '.join(map(str, lines)) or 'none'}"
            )


def play_class(
    learner: Any, contexts: NDArray[Any], rewards: NDArray[Any], folder: Path,
    after: Callable[[int, int], None] | None = None,
) -> NDArray[np.int64]:  # fmt: skip
    """Return the arms that a class plays in CPython.

    Args:
        learner: an instance of the class.
        contexts: one per round, (T, d).
        rewards: of every arm, (T, arms).
        folder: folder of its file.
        after: called after each round with its index and arm.

    Raises:
        GnomonError: if its code fails, or an arm does not exist; with file and line.
    """
    arms = np.zeros(len(contexts), dtype=np.int64)
    with locate_errors(folder):
        for at, context in enumerate(contexts):
            arm = int(learner.select(context))
            if not 0 <= arm < rewards.shape[1]:
                select = type(learner).select
                raise GnomonError(
                    f"{inspect.getsourcefile(select)}:{select.__code__.co_firstlineno}: select"
                    f" returned arm {arm} in round {at} (allowed: 0 to {rewards.shape[1] - 1})"
                )
            learner.update(context, arm, float(rewards[at, arm]))
            arms[at] = arm
            if after is not None:
                after(at, arm)
    return arms
