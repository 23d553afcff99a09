"""``gnomon experiment ek-ucb``: regret and time, exactness, number formats, steps on machines."""

from __future__ import annotations

from gnomon.report.criteria import findings_json
from gnomon.report.study import Fresh, Json, Out, Size, default_out, finish, running, size_of

from .criteria import kernel_criteria
from .experiment import SIZES, run_kernel
from .formats import run_formats, run_machines
from .page import NAME, write_page


def main(
    *, size: Size = "small", out: Out = None, fresh: Fresh = False, as_json: Json = False
) -> None:
    """Run the experiment and write its page."""
    size_of(size, SIZES)
    full = size == "full"
    with running(fresh=fresh) as (progress, keeps):
        result = run_kernel(size, progress, keeps.learning)
        formats = run_formats(full=full, keep=keeps.measuring)
        progress("number formats")
        machines = run_machines(full=full, keep=keeps.measuring)
        progress("machines")
    paths = write_page(result, formats, machines, out or default_out(NAME))
    finish({"criteria": findings_json(kernel_criteria(result))}, paths, as_json=as_json)
