"""Requests that arrive as in a deployment, and wait in a queue for firmware.

Arrivals are those of ``gnomon deploy`` with the same keys. ``gnomon.deploy.ArrivalDevice`` has the
registers. A device with the arrivals of a deployment file next to it is this class with
``read_arrivals(Path(__file__).with_name("deployment.yaml"))``.
"""

from __future__ import annotations

from gnomon.deploy import ArrivalDevice, sample_arrivals
from gnomon.deploy.file import RequestKeys


class Device(ArrivalDevice):
    """The queue of one run."""

    def __init__(
        self,
        poisson: int,
        period_us: int,
        jitter_us: int,
        count: int,
        seed: int,
        places: int,
        clock_hz: int,
    ) -> None:
        keys: dict[str, object] = {"period": f"{period_us} us", "count": count, "seed": seed}
        keys["arrivals"] = "poisson" if poisson else "periodic"
        if not poisson:
            keys["jitter"] = f"{jitter_us} us"
        super().__init__(sample_arrivals(RequestKeys.model_validate(keys)), clock_hz, places)
