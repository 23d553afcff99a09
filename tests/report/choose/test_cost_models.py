"""The cost models of `gnomon choose`: the fit, and what held-out sizes say of it."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from gnomon.base.content import content_root
from gnomon.content.reports.choose import costs, fit, page
from gnomon.content.reports.choose.results import Results
from gnomon.explore.learner_costs import FAMILIES, MODELED, read_cost_models
from gnomon.explore.learner_terms import terms

COMMITTED = Results.committed()
HELD_OUT = COMMITTED.held_out


def test_a_planted_law_is_found_and_a_size_off_it_shows() -> None:
    sizes = [(n, arms) for n in (2, 3, 5, 9, 17, 32) for arms in (2, 7, 30)]
    rows = [terms("linucb-disjoint", "slowest_cycles", n, arms, 4) for n, arms in sizes]
    matrix = np.array([list(row.values()) for row in rows])
    planted = np.array(
        [{"1": 90.0, "arms*n*c": 2.5, "arms": 40.0}.get(name, 0) for name in rows[0]]
    )
    values = matrix @ planted
    assert matrix @ fit.solve(matrix, values) == pytest.approx(values, rel=1e-6)
    places = np.array(sizes, dtype=float)
    assert np.abs(fit.left_out(matrix, values, places)).max() < 1e-6
    values[7] *= 1.2
    errors = fit.left_out(matrix, values, places)
    assert len(errors) == len(sizes) - 4  # corners are no test of it
    assert errors.argmin() == 5
    assert errors[5] == pytest.approx(-math.log(1.2), rel=0.05)


def test_a_split_that_a_compiler_makes_is_found() -> None:
    rng = np.random.default_rng(4)
    sizes = rng.integers(2, (33, 65), (40, 2))
    own = pd.DataFrame(
        {"learner": "linucb-disjoint", "family": "t13", "machine": "t13", "n": n, "arms": arms,
         "slowest_cycles": arms * n * n * (2.0 if n <= 8 else 3.0) + 100.0}
        for n, arms in sizes.tolist()
    )  # fmt: skip
    split, said, errors = fit.law_of(own, "slowest_cycles")
    assert split == "n 8"
    assert {"arms*n*n@0:2", "arms*n*n@1:3"} <= set(said.split())
    assert np.abs(errors).max() < 1e-6


def test_one_more_size_lies_within_as_often_as_stated() -> None:
    """Whatever the errors are like, as conformal prediction has it."""
    rng = np.random.default_rng(3)
    for errors in (np.abs(rng.standard_cauchy((3000, 60))), rng.uniform(size=(3000, 60))):
        inside = np.mean([each[-1] <= fit.widening(each[:-1]) for each in errors])
        assert fit.LEVEL - 0.012 <= inside <= fit.LEVEL + 1 / 60 + 0.012
    assert fit.widening([1.0] * 18) == math.inf  # too few to say it
    assert fit.widening([*[1.0] * 18, 2.0]) == 2.0


def test_held_out_intervals_are_those_of_the_laws() -> None:
    laws = read_cost_models(COMMITTED.costs.to_dict("records"))
    families = {(law.learner, law.variant, machine): law for law in laws
                for machine in FAMILIES[law.family]}  # fmt: skip
    for row in HELD_OUT.to_dict("records"):
        law = families.get((row["learner"], row["variant"], row["machine"]))
        if law is None or not row["slowest_cycles"]:
            refused = law is not None and law.refuses(
                row["settings"], int(row["d"]), int(row["arms"])
            )
            assert (row["within"] == "yes") == refused
            continue
        size = int(row["d"]), int(row["arms"])
        within = True
        for name in MODELED:
            cost = law.cost(name, row["machine"], row["settings"], *size)
            assert row[f"{name}_low"] == f"{cost.low:.5g}"
            assert row[f"{name}_high"] == f"{cost.high:.5g}"
            ends = float(row[f"{name}_low"]), float(row[f"{name}_high"])
            within &= ends[0] <= float(row[name]) <= ends[1]
        assert (row["within"] == "yes") == within, row


def test_the_page_says_what_held_out_sizes_say() -> None:
    """All at once may fall short, and then it says so; each alone holds in nine of ten."""
    within = int((HELD_OUT["within"] == "yes").sum())
    text = (content_root() / "reports" / "choose" / "choose.md").read_text("utf-8")
    count = sum(block.held_out for block in costs.BLOCKS)
    assert len(HELD_OUT) == count
    assert f"{within} of {count} configurations" in text
    assert ("which the models miss" in text) == (within < count * page.ASKED)
    assert min(page.inside(HELD_OUT, name) for name in MODELED) >= page.ASKED


def test_refused_sizes_are_no_runs() -> None:
    """A law is of the sizes that build; beyond, the command says that it does not."""
    one = pd.DataFrame(
        {"learner": "linucb-disjoint", "variant": "optimized", "settings": "", "family": "t13",
         "machine": "t13", "d": d, "arms": 4,
         "refused": "" if d < 9 else "no",
         **dict.fromkeys(MODELED, 100.0 * d)}
        for d in range(2, 12)
    )  # fmt: skip
    law = next(iter(fit.by_key(fit.laws(one, pd.concat([one] * 20))).values()))
    assert (law.built, law.refused) == (((8, 4),), ((9, 4),))
    assert law.within("", 5, 4)
    assert law.refuses("", 11, 6)
    assert not law.refuses("", 11, 3)
    assert not law.within("", 11, 3)
