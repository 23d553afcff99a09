"""Digests: equal for what is equal, different for what is not, and refused for what is unclear."""

from __future__ import annotations

import itertools
import json
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.base.digest import digest


class Colour(StrEnum):
    RED = "red"


@dataclass(frozen=True)
class Case:
    name: str
    rounds: int


@dataclass(frozen=True)
class Other:
    name: str
    rounds: int


DIFFERENT = [
    None, True, False, 0, 1, 0.0, -0.0, 1.0, "", "1", "red", Colour.RED, b"", b"1", (), (1,),
    (1, 1), ((1,), 1), (1, (1,)), ("ab",), ("a", "b"), {}, {"a": 1}, {"a": 2}, {"b": 1}, {1: "a"},
    Case("a", 1), Case("a", 2), Other("a", 1), np.zeros(2), np.zeros((2, 1)),
    np.zeros(2, np.float32), np.zeros(4, np.int64), np.array([0.0, -0.0]),
]  # fmt: skip


def test_different_values_have_different_digests() -> None:
    for one, other in itertools.combinations(DIFFERENT, 2):
        assert digest(one) != digest(other), (one, other)


def test_equal_values_have_one_digest() -> None:
    assert digest({"a": 1, "b": (2.5, None)}) == digest({"b": [2.5, None], "a": 1})
    assert digest(Case("a", 1)) == digest(Case("a", 1))
    assert digest(range(3)) == digest((0, 1, 2))
    array = np.arange(6.0).reshape(2, 3)
    assert digest(array) == digest(np.asfortranarray(array)) == digest(array[:, ::-1][:, ::-1])
    assert digest(array) != digest(array.T)


_PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text()
    | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=6,
)


@given(_PLAIN, _PLAIN)
def test_digests_tell_as_much_as_json_does(one: object, other: object) -> None:
    def text(value: object) -> str:
        return json.dumps(value, sort_keys=True, default=lambda data: {"bytes": data.hex()})

    assert (digest(one) == digest(other)) == (text(one) == text(other))


@pytest.mark.parametrize("value", [Path("a"), {1, 2}, object(), lambda: None, Case])
def test_what_has_no_value_is_refused(value: object) -> None:
    with pytest.raises(TypeError, match="no digest of"):
        digest((1, value))
