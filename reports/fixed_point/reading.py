"""What the full study says: facts from the rows of ``cells.csv`` for the page's last section."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import pandas as pd

from gnomon.base.errors import GnomonError
from gnomon.base.frames import csv_text

if TYPE_CHECKING:
    from collections.abc import Mapping

_LAWS = ("uniform", "normal")
PUBLISHED_BITS = 15  # Q16.15
_DISJOINT, _HYBRID = "linucb-disjoint", "linucb-hybrid"


def facts(cells: pd.DataFrame) -> dict[str, Any]:
    """What ``reading.md.j2`` shows and chooses its sentences by.

    Args:
        cells: ``cells.csv``, of the size ``full``.

    Raises:
        GnomonError: a run that the words are about is not among them.
    """
    rows = pd.read_csv(io.StringIO(csv_text(cells)))
    rows["ratio"] = rows["regret"] / rows["regret_float"]
    rows["within"] = rows["regret_left_side"] == "within"
    rows["life"] = rows["regret_left_round"].fillna(rows["rounds"]).astype(int)
    paper = _of(rows, line="paper", context_scale=1)
    tuned = _of(rows, line="tuned", context_scale=1)
    disjoint = _of(paper, algorithm=_DISJOINT)
    by_law: list[dict[str, Any]] = [
        {
            "law": law,
            "longest": _longest(_of(disjoint, contexts=law, variant="standard")),
            "lives": {
                variant: int(_published(disjoint, variant, law)["life"])
                for variant in ("standard", "optimized")
            },
            "ratios": {
                variant: float(_published(disjoint, variant, law)["ratio"])
                for variant in ("optimized", "corrected", "standard")
            },
            "hybrid_ratios": {
                variant: _published(_of(paper, algorithm=_HYBRID), variant, law)["ratio"]
                for variant in ("optimized", "corrected")
            },
        }
        for law in _LAWS
    ]
    one, two = (_of(disjoint, variant=variant)["life"] for variant in ("standard", "optimized"))
    hybrid = {
        variant: _longest(_of(rows, algorithm=_HYBRID, line="paper", variant=variant))
        for variant in ("standard", "optimized")
    }
    return {
        "bits": PUBLISHED_BITS,
        "paper": paper,
        "tuned": tuned,
        "causes": paper["cause"].value_counts().to_dict(),
        "laws": by_law,
        "earlier": int((two.to_numpy() < one.to_numpy()).sum()),
        "pairs": len(one),
        "hybrid": hybrid,
        "hybrid_sooner": hybrid["standard"]["life"] < max(e["longest"]["life"] for e in by_law),
        "repairs": all(each["ratios"]["corrected"] < 0.5 * each["ratios"]["optimized"]
                       for each in by_law),
        "repairs_hybrid": all(
            each["hybrid_ratios"]["corrected"] < 0.5 * each["hybrid_ratios"]["optimized"]
            for each in by_law
        ),
        **_scaling(rows),
    }  # fmt: skip


def _scaling(rows: pd.DataFrame) -> dict[str, Any]:
    scale = next(each for each in rows["context_scale"] if each != 1)
    scaled = _of(rows, algorithm=_DISJOINT, line="paper", context_scale=scale)
    plain = _of(rows, algorithm=_DISJOINT, line="paper", context_scale=1)

    def stays(variant: str, law: str) -> list[int]:
        own = _of(scaled, variant=variant, contexts=law)
        return [int(each) for each in own[own["within"]]["fraction_bits"]]

    def cost(law: str) -> float:
        one, two = (_published(of, "standard", law)["regret_float"] for of in (scaled, plain))
        return float(one / two)

    return {
        "scaling": scale,
        "stays": {each: {law: stays(each, law) for law in _LAWS}
                  for each in ("standard", "optimized")},
        "costs": [cost(law) for law in _LAWS],
    }  # fmt: skip


def _of(rows: pd.DataFrame, **wanted: object) -> pd.DataFrame:
    there = rows
    for name, value in wanted.items():
        same: Any = there[name] == value
        there = there[same]
    if there.empty:
        raise GnomonError(f"the study has no run with {wanted}")
    return there


def _published(rows: pd.DataFrame, variant: str, law: str) -> Mapping[str, Any]:
    own = _of(rows, variant=variant, contexts=law, fraction_bits=PUBLISHED_BITS)
    return dict(own.iloc[0])


def _longest(rows: pd.DataFrame) -> Mapping[str, Any]:
    longest: Any = rows["life"].idxmax()
    return dict(rows.loc[longest])
