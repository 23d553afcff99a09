"""What every learner does: choose an arm for a context, learn from the reward."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from gnomon.base.errors import GnomonError
from gnomon.learn._trace import enter_stage, recorded_by
from gnomon.learn._trace import recording as recording  # noqa: PLC0414 - for learners
from gnomon.learn.kernels import Floats, argmax, sqrt, uniform
from gnomon.learn.settings import settings_of, share, whole

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from numpy.typing import ArrayLike

Arms: TypeAlias = NDArray[np.int64]
Value = TypeVar("Value")

LARGEST_CONTEXT = 1e6
"""Largest magnitude of a context value: its square must leave 1.0 visible next to it."""

LARGEST_LOSS = 0.01
"""How far below 0 a variance may be and count as rounding, as a share of its terms."""

LARGEST_REWARD = 1e100
"""Largest magnitude of a reward: sums of 10^100 rewards times contexts stay finite."""


@dataclass(frozen=True, slots=True, eq=False)
class Decision:
    """An arm that a learner decided for, and what it needs to learn the reward when that comes.

    Attributes:
        number: of the learner's decisions, from 0.
        arm: to play.
        probability: with which the learner took that arm; None where it has no closed form.
        contexts: one row for each arm, (arms, d).
        left: by name, the state that the selection left for its reward.
    """

    number: int
    arm: int
    probability: float | None
    contexts: Floats
    left: dict[str, Floats]


@dataclass(frozen=True, slots=True)
class Sizes:
    """Number of arms N, length d of a context, length f of an arm's features (0: none)."""

    arms: int
    dimensions: int
    features: int = 0


class Learner(ABC):
    """A contextual bandit.

    A new learner writes ``name``, ``variant``, ``keeps``, ``_scores`` and ``_learn``; ``__init__``
    takes the settings by keyword, keeps each under its name and creates the state. A learner that
    draws random numbers takes a ``seed``, hands it on, and draws from ``generator`` alone. One that
    does not always play the highest score writes ``_choose`` and clears ``follows_scores``; one
    whose arrays grow writes ``state_shapes`` and ``_restore``. Arms are taken by ``_best``,
    ``_random_arm`` and ``_arm_in_turn``, which keep to the arms on offer. One that draws its arms
    writes ``_chances``, and one that leaves something for the reward of a selection names it in
    ``leaves``, so that rewards may come late and in any order.

    Attributes:
        name: of the algorithm, as on the command line.
        variant: ``standard``, ``optimized``, ``corrected``, ``rank-one``.
        keeps: names of the arrays that learning changes, each an attribute.
        follows_scores: ``select`` is the arm of the highest score, in every step.
        leaves: names of arrays of the state that a selection leaves for its own reward; ones are
            for a reward without a selection.
        in_order: a reward must come before the next decision.
        exploits: its scores without ``_widths`` are the rewards that it expects.
        sizes: N, d and f.
        steps: number of updates so far.
        clamped_variances: how often a variance that rounding had left below 0 was taken as 0.
        generator: of the random numbers; None for learners that draw none.
    """

    name: ClassVar[str]
    variant: ClassVar[str]
    keeps: ClassVar[tuple[str, ...]] = ()
    follows_scores: ClassVar[bool] = True
    leaves: ClassVar[tuple[str, ...]] = ()
    in_order: ClassVar[bool] = False
    exploits: ClassVar[bool] = True
    sizes: Sizes
    steps: int
    clamped_variances: int
    generator: np.random.Generator | None
    _on_offer: Arms | None

    def __init__(self, sizes: Sizes, *, seed: int | None = None) -> None:
        if sizes.arms < 1:
            raise GnomonError(f"the number of arms must be at least 1, not {sizes.arms}")
        if sizes.dimensions < 1:
            raise GnomonError(
                f"the number of dimensions must be at least 1, not {sizes.dimensions}"
            )
        self.sizes = sizes
        self.seed = seed
        self.steps = 0
        self.clamped_variances = 0
        draws = None if seed is None else whole("seed", seed, least=0)
        self.generator = None if draws is None else np.random.default_rng(draws)
        self._on_offer = None
        self._decisions = self._lost = 0
        self._open: set[int] = set()
        self._unanswered = 0
        self._selected: tuple[Floats, int] | None = None
        self._exploiting = False

    def select(self, context: ArrayLike, on_offer: ArrayLike | None = None) -> int:
        """The arm with the highest score; of equal scores, the lowest arm.

        A learner whose ``follows_scores`` is false may take another arm to explore.

        Args:
            context: one vector (d) for all arms, or one row for each arm (arms, d).
            on_offer: the arms to choose from in this round, each once; without it, all arms.

        Raises:
            GnomonError: a shape is wrong, a value is not finite or too large, an arm on offer does
                not exist, or the state has lost its precision.
        """
        contexts = self._contexts(context)
        arms = None if on_offer is None else self._arms(on_offer)
        enter_stage("select")
        self._on_offer = arms
        try:
            arm = self._choose(contexts)
        finally:
            self._on_offer = None
        if self.leaves:
            self._selected = contexts[arm], arm
            self._unanswered += 1
        return arm

    def _offering(self, arms: Arms | None, use: Callable[[], Value]) -> Value:
        self._on_offer = arms
        try:
            return use()
        finally:
            self._on_offer = None

    def decide(
        self,
        context: ArrayLike,
        on_offer: ArrayLike | None = None,
        *,
        perturb: float = 0.0,
        generator: np.random.Generator | None = None,
    ) -> Decision:
        """``select`` for rewards that come late, in batches or in any order: see ``learn``.

        Args:
            context: as for ``select``.
            on_offer: as for ``select``.
            perturb: share of decisions that take any arm on offer, each as likely, so that a
                learner that draws nothing leaves a log with propensities.
            generator: of these draws.

        Raises:
            GnomonError: as for ``select``; this learner takes rewards in order alone, and one is
                missing; ``perturb`` is no share, or asked of a learner that draws its arms itself.
        """
        if self.in_order and self._open:
            raise GnomonError(
                f"{self.name} must learn the reward of a decision before the next one:"
                f" decision {min(self._open)} has none yet"
            )
        if share("perturb", perturb) and (not self.follows_scores or generator is None):
            need = "a generator" if self.follows_scores else "a learner that draws nothing"
            raise GnomonError(f"perturb needs {need}; {self.name} is given {perturb!r}")
        contexts = self._contexts(context)
        offer = None if on_offer is None else self._arms(on_offer)
        chances = self._distribution(contexts, offer)
        enter_stage("select")
        before = {name: getattr(self, name).copy() for name in self.leaves}
        arm = self._offering(offer, lambda: self._choose(contexts))
        if perturb and generator is not None:
            arms = np.arange(self.sizes.arms) if offer is None else offer
            if generator.random() < perturb:
                arm = int(generator.choice(arms))
            if chances is not None:
                chances = (1.0 - perturb) * chances
                chances[arms] += perturb / len(arms)
        left = {name: getattr(self, name) for name in self.leaves}
        vars(self).update(before)
        decision = Decision(
            self._decisions, arm, None if chances is None else float(chances[arm]),
            contexts.copy(), left,
        )  # fmt: skip
        self._open.add(decision.number)
        self._decisions += 1
        return decision

    def learn(self, decision: Decision, reward: float | None) -> None:
        """Learn the reward of a decision of ``decide``; None: it will never come.

        Raises:
            GnomonError: no decision of this number waits for its reward; or as for
                ``update``. The learner is unchanged.
        """
        if decision.number not in self._open:
            raise GnomonError(
                f"decision {decision.number} waits for no reward: it has one already, or another"
                " learner decided it"
            )
        if reward is None:
            self._lost += 1
        else:
            before = {
                name: getattr(self, name) for name in (*self.leaves, "_unanswered", "_selected")
            }
            after = {name: array.copy() for name, array in decision.left.items()}
            vars(self).update(after, _unanswered=0)
            try:
                self.update(decision.contexts, decision.arm, reward)
            finally:
                vars(self).update(before)
        self._open.remove(decision.number)

    def probabilities(self, context: ArrayLike, on_offer: ArrayLike | None = None) -> Floats:
        """The probability of each arm to be selected next, (arms,); their sum is 1.

        Raises:
            GnomonError: as for ``select``; or the learner draws its arm in a way that has no closed
                form.
        """
        contexts = self._contexts(context)
        offer = None if on_offer is None else self._arms(on_offer)
        chances = self._distribution(contexts, offer)
        if chances is None:
            raise GnomonError(f"the probabilities of {self.name} have no closed form")
        return chances

    def _distribution(self, contexts: Floats, offer: Arms | None) -> Floats | None:
        """The chances of the arms; finding them is no step, so nothing is recorded or changed."""
        names = (*self.leaves, "clamped_variances")
        before = {name: copy.copy(getattr(self, name)) for name in names}
        with recorded_by(None):
            chances = self._offering(offer, lambda: self._chances(contexts))
        vars(self).update(before)
        return chances

    def exploit(self, context: ArrayLike, on_offer: ArrayLike | None = None) -> int:
        """The arm of the highest expected reward, nothing added to explore; it learns nothing.

        What a policy that no longer learns should play. Of equal arms, the lowest.

        Raises:
            GnomonError: as for ``select``; or the learner has no estimate apart from exploration.
        """
        if not self.exploits:
            raise GnomonError(f"{self.name} has no estimate apart from what it adds to explore")
        contexts = self._contexts(context)
        offer = None if on_offer is None else self._arms(on_offer)
        self._exploiting = True
        try:
            return self._offering(offer, lambda: self._best(self._scores(contexts)))
        finally:
            self._exploiting = False

    def scores(self, context: ArrayLike) -> Floats:
        """The score of each arm, as ``select`` compares them."""
        return self._scores(self._contexts(context))

    def update(self, context: ArrayLike, arm: int, reward: float) -> None:
        """Learn the reward of an arm in a context; the context as for ``select``.

        The reward is that of the last selection, if it was of this arm in this context, and
        otherwise one of an arm that somebody else has played.

        Raises:
            GnomonError: the arm does not exist, or a value is not finite or too large; or it cannot
                be told which of several selections the reward belongs to, and that matters here.
                The learner is unchanged.
        """
        contexts, arm, value = self.checked(context, arm, reward)
        if self._unanswered and not self._is_selected(contexts, arm):
            if self._unanswered > 1:
                raise GnomonError(
                    f"{self._unanswered} selections have no reward yet, and {self.name} must know"
                    " which of them this one belongs to: use decide and learn in place of select"
                    " and update"
                )
            self.forget_selections()
        enter_stage("update")
        self._learn(contexts, arm, value)
        self.steps += 1
        self._unanswered, self._selected = 0, None

    def forget_selections(self) -> None:
        """No reward of a selection will come; the next one is of what somebody else has played."""
        for name in self.leaves:
            getattr(self, name)[...] = 1.0
        self._unanswered, self._selected = 0, None

    def checked(self, context: ArrayLike, arm: int, reward: float) -> tuple[Floats, int, float]:
        """What ``update`` takes, as it learns it: contexts of (arms, d).

        Raises:
            GnomonError: the arm does not exist, or a value is not finite or too large.
        """
        contexts = self._contexts(context)
        if isinstance(arm, bool) or not isinstance(arm, int | np.integer):
            raise GnomonError(f"the arm must be a whole number, not {arm!r}")
        if not 0 <= arm < self.sizes.arms:
            raise GnomonError(f"the arm must be 0 to {self.sizes.arms - 1}, not {arm}")
        try:
            value = float(reward)
        except (TypeError, ValueError):
            raise GnomonError(f"the reward must be a number, not {reward!r}") from None
        if not abs(value) <= LARGEST_REWARD:  # a NaN is not, either
            raise GnomonError(
                f"the reward must be a finite number of at most {LARGEST_REWARD:g} in magnitude,"
                f" not {value!r}"
            )
        return contexts, int(arm), value

    def _is_selected(self, contexts: Floats, arm: int) -> bool:
        """Whether that was the last selection."""
        if self._selected is None or self._selected[1] != arm:
            return False
        return np.array_equal(self._selected[0], contexts[arm])

    def run(self, contexts: ArrayLike, rewards: ArrayLike) -> Arms:
        """Many steps: select an arm, learn its reward, again and again.

        The same arms and the same state, to the last bit, as ``select`` and ``update`` in turn, but
        all values are checked at once, before the first step.

        Args:
            contexts: one per step, (steps, d).
            rewards: of every arm in every step, (steps, arms); those of chosen arms are learned.

        Returns:
            The arms chosen, (steps,).

        Raises:
            GnomonError: a shape is wrong, or a value is not finite or too large, and the learner is
                unchanged; or the state loses its precision, and the steps before that are learned.
        """
        arms, dimensions = self.sizes.arms, self.sizes.dimensions
        xs = _table("contexts", contexts, dimensions, self.largest_context)
        rs = _table("rewards", rewards, arms, LARGEST_REWARD)
        if len(xs) != len(rs):
            raise GnomonError(
                f"contexts and rewards must have as many rows, not {len(xs)} and {len(rs)}"
            )
        chosen = np.zeros(len(xs), dtype=np.int64)
        self._run(xs, rs, chosen)
        return chosen

    def _run(self, contexts: Floats, rewards: Floats, chosen: Arms) -> None:
        """Write the arms of all steps."""
        for step, context in enumerate(contexts):
            chosen[step] = self._step(context, rewards[step])

    def _step(self, context: Floats, rewards: Floats) -> int:
        """One step: the arm that was chosen and learned."""
        arm = self.select(context)
        self.update(context, arm, float(rewards[arm]))
        return arm

    @property
    def settings(self) -> dict[str, Any]:
        """The keyword arguments that create an empty learner like this one; plain JSON data.

        Those of ``__init__``, each an attribute of its name; None is left out.
        """
        values = {name: getattr(self.sizes, name, None) for name in ("arms", "dimensions")}
        found: dict[str, Any] = {}
        for name in settings_of(type(self)):
            value = values[name] if name in values else getattr(self, name)
            if value is not None:
                found[name] = value.tolist() if isinstance(value, np.ndarray) else value
        return found

    @property
    def state(self) -> dict[str, Floats]:
        """The arrays that learning changes, by name; not copies."""
        return {name: getattr(self, name) for name in self.keeps}

    @property
    def state_shapes(self) -> dict[str, tuple[int | str, ...]]:
        """Shape of each array of the state; a letter is a length that learning changes.

        Equal letters are equal lengths.
        """
        return {name: array.shape for name, array in self.state.items()}

    def _restore(self, arrays: dict[str, Floats]) -> None:
        """Take over a state of these shapes."""
        for name, array in self.state.items():
            array[...] = arrays[name]

    def _choose(self, contexts: Floats) -> int:
        """The arm to play for contexts of shape (arms, d)."""
        return self._best(self._scores(contexts))

    def _chances(self, contexts: Floats) -> Floats | None:
        """Probabilities of the arms, (arms,); None without a closed form. It draws nothing."""
        return self._surely(self._choose(contexts)) if self.follows_scores else None

    def _surely(self, arm: int) -> Floats:
        """All probability on one arm."""
        chances: Floats = np.zeros(self.sizes.arms)
        chances[arm] = 1.0
        return chances

    def _evenly(self) -> Floats:
        """Any arm on offer, each as likely."""
        chances: Floats = np.zeros(self.sizes.arms)
        chances[slice(None) if self._on_offer is None else self._on_offer] = 1.0 / self._offers()
        return chances

    @property
    def _turn(self) -> int:
        """Decisions so far: rewards learned, decisions that wait for theirs, and rewards lost."""
        return self.steps + len(self._open) + self._lost

    @abstractmethod
    def _scores(self, contexts: Floats) -> Floats:
        """One score per arm from contexts of shape (arms, d)."""

    @abstractmethod
    def _learn(self, contexts: Floats, arm: int, reward: float) -> None:
        """Change the state."""

    @property
    def state_size_bytes(self) -> int:
        """Bytes of the state arrays in float64."""
        return sum(array.nbytes for array in self.state.values())

    def _random(self, count: int = 1) -> Floats:
        """Numbers from 0 up to 1 from the generator."""
        assert self.generator is not None
        return uniform(self.generator, count)

    def _offered(self, values: Floats) -> Floats:
        """Of one value for each arm, those of the arms on offer."""
        return values if self._on_offer is None else values[self._on_offer]

    def _offered_arm(self, index: int) -> int:
        """The arm with this index among those on offer."""
        return index if self._on_offer is None else int(self._on_offer[index])

    def _offers(self) -> int:
        """How many arms are on offer."""
        return self.sizes.arms if self._on_offer is None else len(self._on_offer)

    def _best(self, scores: Floats) -> int:
        """The arm with the highest score; of equal scores, the lowest arm."""
        return self._offered_arm(argmax(self._offered(scores)))

    def _random_arm(self) -> int:
        """Any arm, each as likely."""
        return self._offered_arm(int(self._random()[0] * self._offers()))

    def _arm_in_turn(self, turn: int) -> int:
        """One arm after the other."""
        return self._offered_arm(turn % self._offers())

    @property
    def waiting(self) -> dict[str, Any]:
        """Decisions that have no reward yet, for saving; plain JSON data."""
        return {"decisions": self._decisions, "open": sorted(self._open), "lost": self._lost}

    @waiting.setter
    def waiting(self, value: dict[str, Any]) -> None:
        self._decisions, self._lost = int(value["decisions"]), int(value["lost"])
        self._open = {int(number) for number in value["open"]}

    def clone(self) -> Self:
        """An independent copy with the same state."""
        return copy.deepcopy(self)

    def save(self, path: Path) -> Path:
        """Write it, with its settings and state; the same learner gives the same bytes.

        Raises:
            GnomonError: the file cannot be written.
        """
        from gnomon.learn._store import save

        return save(self, path)

    @staticmethod
    def load(path: Path) -> Learner:
        """Read a learner that ``save`` wrote, of any class that is found.

        Raises:
            GnomonError: the file cannot be read, or is not a learner of this schema.
        """
        from gnomon.learn._store import load

        return load(path)

    def _widths(self, variances: Floats, magnitudes: Callable[[], Floats]) -> Floats:
        """Square roots of the variances of the arms; zeros for ``exploit``.

        Args:
            variances: one per arm.
            magnitudes: of each arm, the sum of the magnitudes of what the variance sums up.
        """
        if self._exploiting:
            return np.zeros_like(variances)
        negative = variances < 0
        if negative.any():
            lost = variances < -LARGEST_LOSS * magnitudes()
            if lost.any():
                arm = int(lost.argmax())
                raise GnomonError(
                    f"the inverse matrices have lost their precision after {self.steps} updates:"
                    f" the variance of arm {arm} is {variances[arm]:.3g}, and must not be negative;"
                    " scale the contexts to about 1, or correct more often"
                )
            self.clamped_variances += int(negative.sum())
            variances = np.maximum(variances, 0.0)
        return sqrt(variances)

    def __repr__(self) -> str:
        words = (f"{name}={_short(value)}" for name, value in self.settings.items())
        return f"{type(self).__name__}({', '.join(words)})"

    def _contexts(self, context: ArrayLike) -> Floats:
        arms, dimensions = self.sizes.arms, self.sizes.dimensions
        try:
            values = np.asarray(context, dtype=np.float64)
        except (TypeError, ValueError):
            raise GnomonError(
                f"a context must be {dimensions} numbers, not {_short(context)}"
            ) from None
        if values.shape not in {(dimensions,), (arms, dimensions)}:
            raise GnomonError(
                f"a context must have the shape ({dimensions},), or ({arms}, {dimensions}) with"
                f" one row for each arm, not {values.shape}"
            )
        limit = self.largest_context
        fits = np.abs(values) <= limit
        if not fits.all():
            where = tuple(int(i) for i in np.argwhere(~fits)[0])
            raise GnomonError(
                f"a context must have finite values of at most {limit:g} in magnitude;"
                f" at index {', '.join(map(str, where))} it is {float(values[where])!r}"
            )
        return np.broadcast_to(values, (arms, dimensions))

    def _arms(self, arms: ArrayLike) -> Arms:
        """Arms on offer, ascending."""
        values = np.asarray(arms)
        if values.ndim != 1 or not len(values) or values.dtype.kind not in "iu":
            raise GnomonError(f"arms on offer must be whole numbers, not {_short(arms)}")
        ordered = np.sort(values).astype(np.int64)
        if ordered[0] < 0 or ordered[-1] >= self.sizes.arms:
            wrong = ordered[0] if ordered[0] < 0 else ordered[-1]
            raise GnomonError(f"an arm on offer must be 0 to {self.sizes.arms - 1}, not {wrong}")
        if (ordered[1:] == ordered[:-1]).any():
            raise GnomonError(f"an arm is on offer twice in {_short(arms)}")
        return ordered

    @property
    def largest_context(self) -> float:
        """Largest magnitude of a context value that is taken."""
        return LARGEST_CONTEXT


def _table(name: str, values: ArrayLike, columns: int, limit: float) -> Floats:
    """A table of so many columns, all of its values finite and within the limit."""
    try:
        table = np.ascontiguousarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise GnomonError(f"{name} must be numbers, not {_short(values)}") from None
    if table.ndim != 2 or table.shape[1] != columns:
        raise GnomonError(f"{name} must have the shape (steps, {columns}), not {table.shape}")
    fits = np.abs(table) <= limit  # a NaN does not, either
    if not fits.all():
        step, column = (int(place) for place in np.argwhere(~fits)[0])
        raise GnomonError(
            f"{name} must be finite numbers of at most {limit:g} in magnitude; in step {step}, at"
            f" index {column}, it is {float(table[step, column])!r}"
        )
    return table


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
