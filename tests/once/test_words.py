"""Three readings of one learner: floats equal CPython, C equals the integers in every word."""

from __future__ import annotations

import random
import textwrap
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gnomon.arch import load_architecture
from gnomon.base.errors import CheckFailed, GnomonError
from gnomon.learn.draws import Draws, random_words
from gnomon.measure.learners import (
    EmbeddedSizes,
    HostLearner,
    LearnerBench,
    find_embedded_learner,
)
from gnomon.once.code import Operation, Place, Ref
from gnomon.once.functions import exp_of_minus, log_of
from gnomon.once.generate import play_class, play_float, read_source, to_words
from gnomon.once.short import change_short
from gnomon.once.solve import solve_words
from gnomon.once.words import WordReading
from tests.once.programs import (
    SELECT,
    UPDATE,
    compare_with_c,
    method,
    source_of,
    variant_of,
    write,
)  # fmt: skip
from tests.once.random_programs import random_methods

RICH_SELECT = """
    scores = np.zeros(self.arms)
    logarithm = np.log(max(self.s, 0.25))
    for arm in range(self.arms):
        spread = self.a[arm] @ x
        width = np.sqrt(max(x @ spread, 0.0))
        mean = self._mean(x, arm)
        scores[arm] = mean + self.alpha * width + 0.01 * logarithm
        if self.n[arm] == 0:
            scores[arm] = 9.0
    if self.random.below(4) == 0 and not self.n[0] < 2:
        return self.random.below(self.arms)
    return np.argmax(scores)
"""
MEAN = """
    def _mean(self, x, arm):
        weight = self.w[arm] @ x
        return weight / (1.0 + np.exp(-weight))
"""
RICH_UPDATE = """
    v = self.a[arm] @ x
    surprise = reward - self.w[arm] @ x
    self.a[arm] -= np.outer(v, v) / (1.0 + x @ v)
    self.a[arm] *= 0.999
    self.w[arm] += surprise * (v / 2.0)
    self.s = min(0.99 * self.s + abs_of(surprise), 4.0)
    self.n[arm] += 1
"""


def test_the_logarithm_and_the_exponential_are_those_of_the_kernels() -> None:
    rng = random.Random(1)
    assert log_of(1 << 15, 15) == 0
    assert exp_of_minus(0, 24) == 1 << 24
    for _ in range(200):
        size = rng.randrange(1, 2**31)
        assert abs(log_of(size, 15) - np.log(size / 2**15) * 2**15) <= 0.51
        assert abs(exp_of_minus(size, 24) - np.exp(-size / 2**24) * 2**24) <= 0.51


def test_draws_are_the_numbers_of_random_h() -> None:
    draws = Draws(7)
    assert [draws.below(2**32) for _ in range(50)] == random_words(50, 7).tolist()


@pytest.mark.parametrize("scale", [1.0, 30.0, 1e4])
def test_c_equals_the_integers_in_every_word(scale: float, tmp_path: Path) -> None:
    body = RICH_UPDATE.replace("abs_of(surprise)", "max(surprise, -surprise)")
    source = write(tmp_path, method("select", RICH_SELECT), MEAN, method("update", body))
    compare_with_c(source_of(Path(source.folder), record={"rounds": 64}), 5, 3, scale, 60)


@pytest.mark.parametrize("macq", [31, 24, 12])
def test_sums_by_macq_equal_the_integers_in_every_word(macq: int, tmp_path: Path) -> None:
    body = RICH_UPDATE.replace("abs_of(surprise)", "max(surprise, -surprise)")
    source = write(tmp_path, method("select", RICH_SELECT), MEAN, method("update", body))
    source = source_of(Path(source.folder), macq=macq, record={"rounds": 64})
    for scale in (1.0, 30.0):
        code = compare_with_c(source, 5, 3, scale, 60)
        losses = [op.plan.get("lost") for op in code.operations() if op.plan.get("mode") == "mac"]
        assert losses == [macq] * len(losses)
        assert (len(losses) > 2) == (macq > 12)  # contexts would lose bits


@pytest.mark.parametrize("fraction", [15, 31])
def test_a_machine_computes_sums_by_its_own_instruction(fraction: int) -> None:
    learner = find_embedded_learner("linucb-disjoint")
    machine = load_architecture("t13", [f"units.q15mac.fraction={fraction}"])
    bench = LearnerBench(
        learner, learner.variant("once-macq", "once"), machine, EmbeddedSizes(3, 2)
    )
    run = bench.measure(case="random", details=False)  # compares every bit with the host
    assert ("issue.unit" in run.select.counters) == (fraction == 31)


VECTOR_SELECT = """
    scores = np.zeros(self.arms)
    for arm in range(self.arms):
        width = np.sqrt(max(x @ (self.a[arm] @ x), 0.0))
        scores[arm] = self.w[arm] @ x + self.alpha * width + self.w[0] @ x
    return np.argmax(scores)
"""
VECTOR_UPDATE = """
    v = self.a[arm] @ x
    gain = v / (1.0 + x @ v)
    self.a[arm] -= np.outer(gain, v)
    self.a[arm] += 0.001 * np.outer(x, x)
    if reward > 1.0:
        self.a[arm] *= 0.99
    self.w[arm] += (reward - self.w[arm] @ x) * gain
    self.s = 0.9 * self.s + 0.1 * (x @ (self.a[0] @ x))
"""


@pytest.mark.parametrize("scale", [0.01, 1.0, 30.0])
@pytest.mark.parametrize(("products", "count"), [(32, 9), (16, 8)])
def test_vector_c_equals_the_integers_in_every_word(
    scale: float, products: int, count: int, tmp_path: Path
) -> None:
    bodies = method("select", VECTOR_SELECT), method("update", VECTOR_UPDATE)
    place = write(tmp_path, *bodies).folder
    source = source_of(place, vector=True, products=products, record={"rounds": 64})
    code = compare_with_c(source, 5, 3, scale, 60)
    found = [each.op for each in code.operations() if each.op.startswith(("vector_", "short_"))]
    assert len(found) == count
    assert len(set(found)) == 4


MIXED_UPDATE = """
    u = self.a[arm] @ x
    self.a[arm] -= np.outer(u, u) / (99.0 + x @ u)
    self.a[arm] -= np.outer(x, x) / (9.0 + reward * reward)
"""


def test_the_vector_unit_loads_a_matrix_again_that_the_core_has_changed(tmp_path: Path) -> None:
    bodies = method("select", VECTOR_SELECT), method("update", MIXED_UPDATE)
    source = source_of(
        write(tmp_path, *bodies).folder, vector=True, record={"rounds": 64}, formats={"a": "Q1.27"}
    )
    code = compare_with_c(source, 4, 4, 1.0, 60)
    changes = [each.plan["vector"] for each in code.update if each.op == "vector_rank1"]
    assert changes == [False, True]


MOVING_SELECT = """
    scores = np.zeros(self.arms)
    for arm in range(self.arms):
        theta = self.a[arm] @ self.w[arm]
        scores[arm] = theta @ x + self.alpha * np.sqrt(max(x @ (self.a[arm] @ x), 0.0))
    return np.argmax(scores)
"""
MOVING_UPDATES = {
    "fades": "v = self.a[arm] @ x\nself.a[arm] -= np.outer(v, v) / (1.0 + x @ v)",
    "fades and grows": "self.a[arm] *= 0.5\nself.a[arm] += np.outer(x, x)",
    "is scaled by both": """
        if reward > 0.0:
            self.a[arm] *= 0.25
        else:
            self.a[arm] *= 1.75
        self.a[arm] += 0.001 * np.outer(x, x)
    """,
    "is 0": """
        self.a[0] *= 0.0
        self.a[arm - 1] /= 4.0
        if reward > 1.0:
            self.a[arm] += 3.0 * np.outer(x, self.w[arm])
    """,
}


@pytest.mark.parametrize("how", MOVING_UPDATES)
def test_exponents_move_with_a_state_that(how: str, tmp_path: Path) -> None:
    body = textwrap.dedent(MOVING_UPDATES[how]).strip() + "\nself.w[arm] += 0.1 * x"
    folder = write(tmp_path, method("select", MOVING_SELECT), method("update", body)).folder
    source = source_of(folder, vector=True, products=16, record={"rounds": 64, "seeds": 1})
    for scale in (0.01, 1.0, 30.0):
        code = compare_with_c(source, 5, 3, scale, 100)
        assert code.state["a"].exponent is code.state["a_exponent"]
    pinned = read_source(replace(source, entry=source.entry.model_copy(
        update={"formats": {"a": "Q4.24"}})), 5, 3)  # fmt: skip
    assert pinned.state["a"].exponent is None


@given(st.lists(st.integers(0, 28), min_size=3, max_size=3), st.integers(0, 31), st.data())
@settings(max_examples=200, deadline=None)
def test_a_matrix_with_an_exponent_keeps_its_bits(
    bits: list[int], exponent: int, data: st.DataObject
) -> None:
    n = 3
    rng = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    a, w, v = (
        rng.integers(-(2**size), 2**size, endpoint=True, size=shape)
        for size, shape in zip(bits, ((n, n), n, n), strict=True)
    )
    shift = data.draw(st.integers(-10, 40))
    place = Place("a", False, (n, n), "state", limit=2**28)
    op = Operation("short_rank1", Ref(place), [], 1, sign=-1, plan={"shift": shift})
    words, unlimited, moved = change_short(op, a, w, v, exponent)
    assert np.abs(words).max() <= 2**28
    assert 0 <= moved <= 31
    change = np.outer(w / 1.0, v / 1.0) * 2.0**-shift
    exact = a * 2.0**-exponent - change
    if np.array_equal(words, unlimited):
        error = np.abs(words * 2.0**-moved - exact).max()
        # A factor of zeros has the room of one that is 1.
        largest = max(1, np.abs(w).max()) * max(1, np.abs(v).max()) * 2.0**-shift
        assert error <= 2.0 ** (2 - exponent) + 2.0 ** (2 - moved) + largest * 2.0**-13
        assert moved in {0, 31} or np.abs(words).max() >= 2**26
    else:
        assert moved == 0
        assert np.abs(exact).max() > 2**28 * (1 - 2.0**-13)


SOLVE_SELECT = """
    scores = np.zeros(self.arms)
    for arm in range(self.arms):
        width = x @ np.linalg.solve(self.a[arm], x)
        theta = np.linalg.solve(self.a[arm], self.w[arm])
        scores[arm] = theta @ x + self.alpha * np.sqrt(max(width, 0.0))
    return np.argmax(scores)
"""
SOLVE_UPDATE = """
    self.a[arm] += np.outer(x, x)
    self.w[arm] += reward * x
    self.n[arm] += 1
"""


@pytest.mark.parametrize("scale", [0.01, 1.0, 1e4])
def test_linear_systems_equal_the_integers_in_every_word(scale: float, tmp_path: Path) -> None:
    bodies = method("select", SOLVE_SELECT), method("update", SOLVE_UPDATE)
    source = source_of(Path(write(tmp_path, *bodies).folder), record={"rounds": 64, "seeds": 1})
    code = compare_with_c(source, 5, 3, scale, 60)
    assert code.state["a"].packed


_ENTRIES = st.integers(-(2**31) + 1, 2**31 - 1).flatmap(
    lambda most: st.integers(-abs(most), abs(most))
)


@given(st.integers(1, 6), st.data())
@settings(max_examples=150, deadline=None)
def test_solutions_of_words_are_near_those_of_floats(n: int, data: st.DataObject) -> None:
    words = np.array(data.draw(st.lists(_ENTRIES, min_size=n * n + n, max_size=n * n + n)))
    a, b = words[n:].reshape(n, n), words[:n]
    x, lost = solve_words(a, b, 40, 2**31 - 1)
    assert np.abs(x).max() <= 2**31 - 1
    condition = np.linalg.cond(a / 2**31)
    if not lost and condition < 1e4:
        exact = np.linalg.solve(a / 1.0, b / 1.0) * 2.0**40
        assert np.abs(x - exact).max() <= 2 + condition * n * np.abs(exact).max() * 2.0**-22


def test_a_sum_of_two_words_that_saturate_where_a_given_format_raises_them(tmp_path: Path) -> None:
    body = """
        high = 1e12 * reward
        low = 1e12 * x[0]
        z = high + low
        self.s = 0.5 * z
    """
    source = write(tmp_path, SELECT, method("update", body))
    entry = {"record": {"rounds": 40, "seeds": 1}, "formats": {"z": "Q0.31"}}
    compare_with_c(source_of(Path(source.folder), **entry), 3, 3, 1.0, 40)


def test_decisions_follow_the_class_in_python(tmp_path: Path) -> None:
    source = write(tmp_path, SELECT, UPDATE)
    code = read_source(source, 4, 3)
    rng = np.random.default_rng(3)
    contexts, rewards = rng.normal(size=(400, 4)), rng.normal(size=(400, 3))
    given = to_words(contexts), to_words(rewards)
    played = play_class(source.create(4, 3), given[0] / 2**15, given[1] / 2**15, tmp_path)
    words = WordReading(code, 1 << 14)
    assert (words.play(*given, list(played)) == played).mean() >= 0.98
    assert not words.lost


def test_discounted_linucb_keeps_symmetric_matrices() -> None:
    """Each round multiplies an asymmetric part by 1 / discount, and nothing reduces it."""
    source = find_embedded_learner("linucb-discounted").variant("once", "once").once
    assert source is not None
    learner = source.create(3, 2)
    rng = np.random.default_rng(5)
    contexts, rewards = rng.normal(size=(200, 3)), rng.normal(size=(200, 2))
    play_class(learner, contexts, rewards, Path(source.folder))
    assert np.array_equal(learner.inverse, learner.inverse.swapaxes(1, 2))
    code = read_source(source, 3, 2)
    changes = [op for op in code.operations() if op.op == "rank1"]
    assert len(changes) == 2
    assert all(op.symmetric for op in changes)


def test_a_format_that_is_too_short_loses_and_names_the_line(tmp_path: Path) -> None:
    write(tmp_path, SELECT, UPDATE)
    place = tmp_path / "algorithms" / "mine"
    source = source_of(place, formats={"w": "Q0.6"}, record={"rounds": 64, "seeds": 1})
    code = read_source(source, 4, 3)
    words = WordReading(code, 1 << 14)
    rng = np.random.default_rng(3)
    words.play(to_words(rng.normal(size=(60, 4))), to_words(4.0 * rng.normal(size=(60, 3))))
    (line,) = {line for line, name in words.lost if name == "w"}
    assert "self.w[arm] +=" in code.sources[line]
    with pytest.raises(GnomonError, match=r"formats names 'wide'.*known: "):
        read_source(source_of(place, formats={"wide": "Q0.6"}), 4, 3)
    with pytest.raises(GnomonError, match="1 to 31 bits"):
        read_source(source_of(place, formats={"w": "Q20.16"}), 4, 3)


def test_names_of_c_and_indices_from_the_end_keep_the_meaning_of_python(tmp_path: Path) -> None:
    body = """
        squares = x[-1] + x[arm - 2]
        linux = min(max(squares, -1.0), 1.0)
        linux_2 = 0.5 * linux
        int64_t = linux_2 + self._late(arm)
        self.s = int64_t
        self.w[arm - 2, -2] = 0.5 * self.w[-1, arm - 1] + 0.25 * linux
        self.double[-arm] = linux
    """
    late = "\n    def _late(self, k):\n        linux = 0.125 * k\n        return linux\n"
    source = write(tmp_path, SELECT, method("update", body), late)
    file = Path(source.folder, "learner.py")
    text = file.read_text().replace('"s")', '"s", "double")')
    file.write_text(
        text.replace("self.s = 0.5\n", "self.s = 0.5\n        self.double = np.zeros(3)\n")
    )
    compare_with_c(source_of(Path(source.folder), record={"rounds": 40, "seeds": 1}), 4, 3, 3.0, 40)


def test_choices_and_variables_of_both_branches_keep_the_meaning_of_python(tmp_path: Path) -> None:
    body = """
        error: float = np.clip(reward - self.w[arm] @ x, -4.0, 4.0)
        if abs(error) > 2.0:
            step = 0.25
            v = x + self.w[arm]
        elif 0.5 < error <= self.s + 1.0 and 0 <= arm < 2:
            step = 0.125 * abs(error)
            v = np.abs(x)
        else:
            step = 0.0625
            v = np.clip(x, -1.0, 1.0) * 0.5
        self.n[arm] += abs(arm - 1) if error > 0.0 else 2 - arm
        self.s = 0.9 * self.s + (0.1 if error > self.s else step * (reward if arm > 0 else 0.5))
        k = self.random.below(3) if error > 0.5 else self.random.below(2)
        self.w[k] += (step * error) * v
    """
    source = write(tmp_path, SELECT, method("update", body))
    source = source_of(Path(source.folder), record={"rounds": 64, "seeds": 2})
    compare_with_c(source, 3, 3, 2.0, 60)


@pytest.mark.parametrize("change", ["self.a[arm] *= 0.5", "k = 1", "v[0] = 0.5"])
def test_a_product_is_not_moved_behind_a_change_of_its_operands(
    change: str, tmp_path: Path
) -> None:
    body = f"""
        k = arm // 2
        v = 0.5 * x
        u = self.a[k] @ v
        {change}
        self.s = min(v @ u, 1.0)
        self.a[k] += 0.1 * np.outer(x, x)
        self.a[arm] *= 0.9
    """
    source = write(tmp_path, SELECT, method("update", body))
    read_source(source_of(Path(source.folder), record={"rounds": 64, "seeds": 1}), 3, 3)


def test_a_condition_and_an_argmax_read_a_symmetric_state_and_its_product(tmp_path: Path) -> None:
    body = """
        self.a[arm] += 0.01 * np.outer(x, x)
        v = self.a[arm] @ x
        _Bool = x @ v
        if self.a[arm, 0, 1] > 0.01 and v[1] > 0.0:
            self.s = min(_Bool, 1.0)
        self.n[np.argmax(self.a[arm, 0])] += 1
        self.n[np.argmax(v)] += 2
    """
    source = write(tmp_path, SELECT, method("update", body))
    source = source_of(Path(source.folder), record={"rounds": 64, "seeds": 1})
    assert not compare_with_c(source, 3, 3, 2.0, 60).state["a"].packed


def test_the_root_of_a_count_has_the_bits_that_its_range_leaves(tmp_path: Path) -> None:
    body = "self.n[arm] += 1\nself.s = 1.0 / np.sqrt(self.n[arm])\nself.w[arm] += self.s * x"
    source = write(tmp_path, SELECT, method("update", body))
    source = source_of(Path(source.folder), record={"rounds": 40, "seeds": 1})
    code = compare_with_c(source, 2, 3, 1.0, 400)
    words = WordReading(code, 1 << 14)
    words.update(to_words(np.zeros(2)), 0, 0)
    for count in range(2, 400):
        words.update(to_words(np.zeros(2)), 0, 0)
        place = code.state["s"]
        assert abs(words.values[place] / 2.0**place.frac * count**0.5 - 1.0) < 2e-3, count


def test_a_constant_that_differs_between_instances_is_rejected(tmp_path: Path) -> None:
    source = write(tmp_path, SELECT, method("update", "if reward > 99.0:\n    self.s = self.step"))
    file = Path(source.folder, "learner.py")
    step = "self.s = 0.5\n        self.step = np.random.default_rng().random()\n"
    file.write_text(file.read_text().replace("self.s = 0.5\n", step))
    with pytest.raises(GnomonError, match=r"self\.step is 0\.\d+ in one instance and 0\.\d+ in"):
        read_source(source_of(Path(source.folder)), 2, 3)


def test_another_weight_of_exploration_than_the_argument_is_rejected(tmp_path: Path) -> None:
    source = write(tmp_path, SELECT, UPDATE)
    file = Path(source.folder, "learner.py")
    file.write_text(file.read_text().replace("dimensions, alpha\n", "dimensions, 2.0 * alpha\n"))
    with pytest.raises(GnomonError, match=r"self\.alpha must be the argument alpha"):
        read_source(source_of(Path(source.folder)), 2, 3)


def test_a_class_with_a_hidden_state_is_rejected(tmp_path: Path) -> None:
    hidden = "\n    def draw(self):\n        return 0\n"
    source = write(tmp_path, method("select", "return self.arms - 1"), UPDATE, hidden)
    text = Path(source.folder, "learner.py").read_text()
    text += "\nold = Mine.select\nMine.select = lambda self, x: 0\n"
    other = tmp_path / "algorithms" / "hidden"
    other.mkdir()
    (other / "learner.py").write_text(text)
    with pytest.raises(GnomonError):
        read_source(source_of(other), 2, 3)


def test_a_state_that_differs_after_one_round_alone_is_seen(tmp_path: Path) -> None:
    count = "self.n[0] += 1\nself.s = "
    source = write(tmp_path / "one", SELECT, method("update", f"{count}0.5"))
    other = write(tmp_path / "other", SELECT, method("update", f"{count}0.5 + (self.n[0] == 3)"))
    code = read_source(source, 2, 3)
    with pytest.raises(CheckFailed, match=r"after round 2 .* another s than .* write it: "):
        play_float(other, code, 0, 20)


@pytest.mark.parametrize(("update", "why"), [
    ("y = np.log(reward - 100.0)", "logarithm of -"),
    ("y = reward / (self.s - 0.5)", "division by zero"),
    ("self.s = 10.0 * self.s", "keep it below 1e\\+30"),
    ("self.n[arm] = self.n[arm] * 2 + 1\nself.w[self.n[arm], 0] = 1.0", "out of bounds"),
])  # fmt: skip
def test_what_python_leaves_undefined_names_line_and_round(
    update: str, why: str, tmp_path: Path
) -> None:
    source = write(tmp_path, SELECT, method("update", update))
    with np.errstate(all="ignore"), pytest.raises(GnomonError, match=why) as error:
        read_source(source, 2, 3)
    assert "learner.py:" in str(error.value)


def _fuzz(seed: int, folder: Path) -> str:
    """Return why a random program is refused; empty if its C equals the integers."""
    source = write(folder, *random_methods(seed))
    source = source_of(Path(source.folder), record={"rounds": 40, "seeds": 1})
    try:
        compare_with_c(source, 2, 3, 3.0, 40)
    except CheckFailed:
        raise
    except GnomonError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("seed", range(3))
def test_random_programs_equal_or_are_refused(seed: int, tmp_path: Path) -> None:
    assert _fuzz(seed, tmp_path) == "" or "learner.py:" in _fuzz(seed, tmp_path)


def test_vectors_of_any_size_have_the_words_of_c(tmp_path: Path) -> None:
    source = write(tmp_path, SELECT, UPDATE)
    host = HostLearner(variant_of(source), EmbeddedSizes(1, 1))
    assert host.model.size == 1 + 1 + 1 + 1 + 1  # a, w, n, s and the generator
