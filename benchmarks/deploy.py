"""Simulated requests per second of both deployment engines, on ``deployment.yaml``.

The SimPy model gets fewer requests; their results must equal those of the compiled engine.
"""

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.harness import Found, Limit, cpu_of_call
from gnomon.base.errors import CheckFailed
from gnomon.deploy import measure_service, read_deployment, simulate_deployment

MANY, FEW = 1_000_000, 10_000
LIMIT_SECONDS = 30.0  # for MANY requests, compiled, checks included


def measure(found: Found, _: int) -> None:
    """Measure the requests per second that both engines simulate."""
    deployment = read_deployment(Path(__file__).with_name("deployment.yaml"))
    service = measure_service(deployment)

    def run(count: int, engine: Any) -> dict[str, Any]:
        requests = deployment.requests.model_copy(update={"count": count})
        changed = replace(deployment, requests=requests)
        return simulate_deployment(changed, service, engine=engine).to_json()

    # The first call compiles the engine or loads it from the cache.
    if run(FEW, "compiled") != run(FEW, "simpy"):
        raise CheckFailed("the engines differ: times of one say nothing of the other")
    rows: list[dict[str, Any]] = []
    for engine, count in (("compiled", MANY), ("simpy", FEW)):
        seconds = cpu_of_call(partial(run, count, engine))
        rows.append({"engine": engine, "requests": count, "cpu_seconds": seconds,
                     "per_second": count / seconds})  # fmt: skip
    limit = Limit(f"{MANY:,} requests", "s CPU", rows[0]["cpu_seconds"], LIMIT_SECONDS)
    found.add("deployments", rows, [limit])
