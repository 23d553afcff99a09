"""A learner as a pipeline of two stages: decisions, and updates that follow from their rewards."""

from collections.abc import Callable

import numpy as np

from gnomon.base.errors import GnomonError
from gnomon.deploy._compiled import simulate_compiled
from gnomon.deploy._conservation import check_pipeline
from gnomon.deploy._model import DeploymentRecord, Draw, Requests, ServingDevice, Stages
from gnomon.deploy._simpy_model import simulate_with_simpy
from gnomon.deploy._stages import PipelineModel, StageModel, StageRecord

_FIRST = {"decisions-first": (1, 0), "updates-first": (0, 1), "in-order": (0, 0)}


def make_learner_pipeline(
    requests: Requests, stages: Stages, device: ServingDevice, draw: Draw
) -> PipelineModel:
    """Return the two stages of a learner on its device.

    Raises:
        GnomonError: if arrays have different lengths, or a request names no measured step.
    """
    if device.preempt and device.priority != "decisions-first":
        raise GnomonError("decisions interrupt updates only with priority decisions-first")
    first, second = _FIRST[device.priority]
    decisions = StageModel(
        due_ps=requests.arrival_ps,
        sample=requests.sample,
        run_ps=stages.select_ps,
        extra_mw=draw.select_mw,
        priority=first,
        vector=stages.vector,
        places=device.decision_places,
    )
    updates = StageModel(
        due_ps=requests.delay_ps,
        sample=requests.sample,
        run_ps=stages.update_ps,
        extra_mw=draw.update_mw,
        after=0,
        wanted=requests.rewarded,
        priority=second,
        vector=stages.vector,
        interruptible=device.preempt,
        places=device.update_places,
        correction_period=stages.correction_period,
        correcting_ps=stages.correcting_ps,
        correcting_mw=draw.correcting_mw,
    )
    return PipelineModel(
        stages=(decisions, updates),
        horizon_ps=requests.horizon_ps,
        harts=device.harts,
        vector_units=device.vector_units,
        sleep=device.sleep,
        state_mw=draw.state_mw,
        enter_uj=draw.enter_uj,
        wake_uj=draw.wake_uj,
    )


def simulate_learner(
    requests: Requests, stages: Stages, device: ServingDevice, draw: Draw
) -> DeploymentRecord:
    """Simulate the deployment of a learner in C.

    Raises:
        GnomonError: if arrays have different lengths, or a request names no measured step.
    """
    return _simulate(simulate_compiled, requests, stages, device, draw)


def simulate_learner_with_simpy(
    requests: Requests, stages: Stages, device: ServingDevice, draw: Draw
) -> DeploymentRecord:
    """Simulate the deployment of a learner with SimPy, at about 10^4 requests per second."""
    return _simulate(simulate_with_simpy, requests, stages, device, draw)


def _simulate(
    simulate: Callable[[PipelineModel], StageRecord],
    requests: Requests,
    stages: Stages,
    device: ServingDevice,
    draw: Draw,
) -> DeploymentRecord:
    model = make_learner_pipeline(requests, stages, device, draw)
    record = simulate(model)
    check_pipeline(model, record)
    parts = {
        name: record.split(name, model.first_job)
        for name in ("ready_ps", "start_ps", "end_ps", "worked_ps", "corrected", "dropped")
    }
    waiting_decision_ps, waiting_update_ps = np.asarray(record.waiting_ps).tolist()
    last_decisions, last_updates = record.last_waiting.tolist()
    serving_decisions, serving_updates = record.serving.tolist()
    most_decisions, most_updates = record.most_waiting.tolist()
    return DeploymentRecord(
        select_start_ps=parts["start_ps"][0],
        select_end_ps=parts["end_ps"][0],
        select_worked_ps=parts["worked_ps"][0],
        update_ready_ps=parts["ready_ps"][1],
        update_start_ps=parts["start_ps"][1],
        update_end_ps=parts["end_ps"][1],
        update_worked_ps=parts["worked_ps"][1],
        corrected=parts["corrected"][1],
        select_dropped=parts["dropped"][0],
        update_dropped=parts["dropped"][1],
        state_ps=record.state_ps,
        any_busy_ps=record.any_busy_ps,
        waiting_decision_ps=waiting_decision_ps,
        waiting_update_ps=waiting_update_ps,
        last_decisions=last_decisions,
        last_updates=last_updates,
        serving_decisions=serving_decisions,
        serving_updates=serving_updates,
        most_decisions=most_decisions,
        most_updates=most_updates,
        enters=record.enters,
        wakes=record.wakes,
        preemptions=int(record.interrupted[1]),
        energy_uj=record.energy_uj,
    )
