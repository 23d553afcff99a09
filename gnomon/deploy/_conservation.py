"""Laws that every run of a pipeline obeys; a run that breaks one is a defect of gnomon."""

import math

import numpy as np
import numpy.typing as npt

from gnomon.deploy._model import NEVER
from gnomon.deploy._stages import OUTSIDE, PipelineModel, StageRecord

_REL = 1e-9  # of sums of floating-point numbers


def check_pipeline(model: PipelineModel, record: StageRecord) -> None:
    """Compare the totals of the engine with its record of each request.

    Raises:
        AssertionError: if they differ.
    """
    first = model.first_job
    names = ("origin_ps", "ready_ps", "start_ps", "end_ps", "worked_ps", "corrected", "dropped")
    by_name = {name: record.split(name, first) for name in names}
    _check_equal("time in all states", int(record.state_ps.sum()), model.horizon_ps)
    for place, stage in enumerate(model.stages):
        origin_ps, ready_ps, start_ps, end_ps, worked_ps, corrected, dropped = (
            by_name[name][place] for name in names
        )
        made, ended, started = ready_ps >= 0, end_ps >= 0, start_ps >= 0
        _check_equal(
            f"stage {place}: runs finished and in service, requests waiting and dropped",
            int(ended.sum() + dropped.sum() + record.last_waiting[place] + record.serving[place]),
            int(made.sum()),
        )
        _check_equal(f"stage {place}: dropped and started", int((dropped & started).sum()), 0)
        _check_equal(
            f"stage {place}: younger than its origin", int((origin_ps > ready_ps).sum()), 0
        )
        run_ps = np.where(corrected, stage.corrected_ps[stage.sample], stage.run_ps[stage.sample])
        _check_same_array(f"stage {place}: work of finished runs", worked_ps, run_ps, ended)
        until_ps = np.where(ended, end_ps, model.horizon_ps)
        waits = (until_ps - ready_ps - worked_ps)[made & ~dropped].astype(np.float64)
        whole, integral = float(waits.sum()), float(record.waiting_ps[place])
        if not math.isclose(whole, integral, rel_tol=_REL, abs_tol=1.0):
            raise AssertionError(f"stage {place}: waits of {whole} ps, queues of {integral} ps")
        if stage.after != OUTSIDE:
            end_before_ps = by_name["end_ps"][stage.after]
            if made.sum() > int((end_before_ps >= 0).sum()) // stage.every:
                raise AssertionError(f"stage {place}: more requests than finished runs allow")
            if stage.every == 1:
                due_ps = end_before_ps + stage.due_ps
                wanted = (end_before_ps >= 0) & (due_ps < model.horizon_ps)
                if stage.wanted is not None:
                    wanted &= stage.wanted
                due_ps = np.where(wanted, due_ps, NEVER)
                _check_same_array(f"stage {place}: request after a run", ready_ps, due_ps, True)


def _check_equal(what: str, one: int, other: int) -> None:
    if one != other:
        raise AssertionError(f"{what}: {one}, expected {other}")


def _check_same_array(
    what: str, one: npt.NDArray[np.int64], other: npt.NDArray[np.int64],
    where: npt.NDArray[np.bool_] | bool,
) -> None:  # fmt: skip
    if not np.array_equal(one[where], other[where]):
        raise AssertionError(f"{what}: not as long or as late as expected")
