"""``gnomon experiment ares``: Figures 3 to 5 of the paper, and acceptance criteria."""

from __future__ import annotations

from gnomon.report.criteria import criteria_json
from gnomon.report.study import Fresh, Json, Out, Size, default_out, finish, running, size_of

from .experiment import EXTENTS, run_ares
from .page import write_ares


def main(
    *, size: Size = "small", out: Out = None, fresh: Fresh = False, as_json: Json = False
) -> None:
    """Run and write."""
    extent = size_of(size, EXTENTS)
    with running(fresh=fresh) as (progress, keeps):
        result = run_ares(extent, progress, keeps.learning)
    paths = write_ares(result, out or default_out("ares"))
    finish({"criteria": criteria_json(result.criteria)}, paths, as_json=as_json)
