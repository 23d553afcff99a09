"""Terms of the cost of a step; ``models/learners/terms.yaml`` lists the learners."""

import math
from collections.abc import Iterable
from functools import cache
from typing import Literal

from pydantic import Field

from gnomon.base.content import content
from gnomon.base.tables import Entry, check_table, read_yaml_table


class LearnerTerms(Entry):
    """Inputs of the terms of a learner's cost model.

    Attributes:
        regression: ``each-arm``, on the numbers of a context, or ``all-arms``, on the numbers of
            all arms.
        window: whether a regression uses the contexts of a window, whose length is a setting.
        solves: quantities that include solving a linear system.
        pairs: whether it stores a word for each pair of arms.
        context: ``numbers``, of which there are d, or ``features``: it reads the features of the
            arms.
    """

    regression: Literal["each-arm", "all-arms"] = "each-arm"
    window: bool = False
    solves: list[str] = Field(default_factory=list)
    pairs: bool = False
    context: Literal["numbers", "features"] = "numbers"


class TermsFile(Entry):
    """Content of ``terms.yaml``.

    Attributes:
        schema_version: 1.
        made_by: the command that writes the tables of the folder.
        learners: by name; other learners have the default terms.
        not_ranked: why learners without laws have none, by name.
    """

    schema_version: Literal[1] = Field(alias="schema")
    made_by: str
    learners: dict[str, LearnerTerms]
    not_ranked: dict[str, str]


@cache
def terms_file() -> TermsFile:
    """Return the content of ``models/learners/terms.yaml``."""
    return check_table(read_yaml_table(content("models", "learners", "terms.yaml")), TermsFile)


def terms_of(learner: str) -> LearnerTerms:
    """Return the inputs of the terms of a learner."""
    return terms_file().learners.get(learner, LearnerTerms())


def length(learner: str, settings: str, d: int, arms: int) -> int:
    """Return n, the length of the vector that a regression of the learner uses."""
    of = terms_of(learner)
    if of.regression == "all-arms":
        return d * arms
    window = sum(int(each.partition("=")[2]) for each in settings.split() if "WINDOW" in each)
    return 1 + window * d if of.window else d


def terms(
    learner: str, quantity: str, n: int, arms: int, lanes: int, split: str = ""
) -> dict[str, float]:
    """Return the terms of a quantity of a step, by name.

    A regression has n * n numbers, in n * c passes through the lanes of a vector unit; c is ceil(n
    / lanes), 0 lanes denote the scalar core. ``models/learners/terms.yaml`` lists the learners that
    solve systems, or store a word for each pair of arms. ``split``, such as ``n 5 15``, gives terms
    separate factors up to 5, up to 15 and above, because compilers unroll short loops and harts
    share long ones. Code size has steps and kinks in both sizes.
    """
    of = terms_of(learner)
    of_all_arms = of.regression == "all-arms"
    own = n // arms if of_all_arms else n
    if quantity == "flash_bytes":
        bends = _bends("n", own, (3, 6, 8, 16), (2, 5))
        return {"1": 1.0} | bends | _bends("arms", arms, (4, 8, 16, 24), (2, 22))
    vector = lanes > 0 and quantity != "ram_bytes"
    c = math.ceil(n / lanes) if vector else n
    once = {"1": 1, "n": n, "n*n": n * n}
    if vector:
        once |= {"c": c, "n*c": n * c}
    if of_all_arms:
        found = {**once, "arms": arms, "d": own, "d*n": own * n, "d*c": own * c}
    else:
        if quantity in of.solves:
            once["n*n*n"] = n**3
        found = once | {"arms" if k == "1" else f"arms*{k}": arms * x for k, x in once.items()}
        if of.pairs:
            found["arms*arms"] = arms * arms
    if split:
        name, *ends = split.split()
        part = sum((own if name == "n" else arms) > int(end) for end in ends)
        return {f"{each}@{part}": float(x) for each, x in found.items()}
    return {each: float(x) for each, x in found.items()}


def _bends(name: str, x: int, bends: Iterable[int], steps: Iterable[int]) -> dict[str, float]:
    found = {name: float(x)}
    for at in bends:
        found |= {f"min({name},{at})": min(x, at), f"max({at}-{name},0)": max(at - x, 0)}
    for at in steps:
        found |= {f"{name}<={at}": x <= at, f"{name}>{at}": x > at}
    return {each: float(value) for each, value in found.items()}


def lanes_of(machine: str, family: str) -> int:
    """Return the lanes of the vector unit, for code that uses it; else 0."""
    return 0 if family == "t13" else int(machine[-1])
