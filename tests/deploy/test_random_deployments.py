"""A thousand random files of three programs and a learner on a battery: both engines agree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import yaml

from gnomon.deploy import PipelineResult, measure_stages, read_pipeline, simulate_pipeline
from tests.deploy.test_pipelines import same

if TYPE_CHECKING:
    from pathlib import Path

    from gnomon.deploy import StageService

_LOOP = """\
__attribute__((noinline)) void {name}(volatile int *x) {{ for (int i = 0; i < {n}; i++) *x += i; }}
int main(void) {{ static volatile int x; {name}(&x); return 0; }}
"""
_SOURCE = """\
def bursts(env, request, rng):
    while True:
        yield env.timeout(rng.exponential(0.002))
        for _ in range(int(rng.integers(1, 6))):
            request()
            yield env.timeout(0.0001 * int(rng.integers(0, 3)))
"""
_SIZES = {"sample": 20, "filter": 90, "infer": 300}
_LEARNER = {"name": "linucb-disjoint", "variant": "corrected", "d": 2, "arms": 2,
            "correction-period": 3}  # fmt: skip


class _Writer:
    """Writes random pipeline files: few distinct times, so that much happens at once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name, n in _SIZES.items():
            (folder / f"{name}.c").write_text(_LOOP.format(name=name, n=n))
        (folder / "source.py").write_text(_SOURCE)
        (folder / "times.csv").write_text("time_ms\n0\n0\n1.5\n3\n3\n3.01\n9\n")

    def write(self, seed: int) -> Path:
        rng = np.random.default_rng([7401, seed])

        def happens(share: float) -> bool:
            return bool(rng.random() < share)

        def choose(*options: Any) -> Any:
            return options[int(rng.integers(0, len(options)))]

        harts = int(rng.integers(1, 4))
        stages: dict[str, dict[str, Any]] = {}
        for name in ("sample", "filter", "infer", "decide", "learn"):
            keys: dict[str, Any] = {"priority": int(rng.integers(0, 3))}
            if name in _SIZES:
                keys["program"] = {"sources": [f"{name}.c"], "region": name}
            else:
                keys |= {"learner": dict(_LEARNER), "runs": 3}
                keys |= {"step": "select" if name == "decide" else "update"}
                keys |= {"service": choose("drawn", "in-order")}
            if not stages or happens(0.25):
                keys |= choose(
                    {"period": f"{choose(100, 300, 333, 1000)} us"}, {"rate": "2000 /s"},
                    {"period": "700 us", "jitter": "700 us"}, {"source": "source.py:bursts"},
                    {"file": "times.csv"},
                )  # fmt: skip
            else:
                keys |= {"after": choose(*stages), "every": choose(1, 1, 2, 3)}
                keys |= {"share": f"{choose(0, 30, 100)} %"} if happens(0.3) else {}
                keys |= {"delay": "200 us", "kind": choose("constant", "uniform", "exponential")} \
                    if happens(0.4) else {}  # fmt: skip
            keys |= {"deadline": f"{choose(0, 20, 60, 500)} us"} if happens(0.6) else {}
            keys |= {"hart": int(rng.integers(0, harts))} if happens(0.25) else {}
            keys |= {"waiting": int(rng.integers(0, 3))} if happens(0.4) else {}
            stages[name] = keys

        def figure(value: str) -> dict[str, str]:
            return {"value": value, "source": "sampled"}

        spec: dict[str, Any] = {
            "schema": 1, "name": "sampled", "length": f"{choose(1, 7, 20)} ms", "seed": seed,
            "stages": stages, "arch": "t13-paper-simd4", "set": {"clock": "50 MHz"},
            "device": {"harts": harts, "preempt": happens(0.6)},
            "power": {"static": choose("not included", figure("1 mW"))},
            "sleep": choose("never", {
                "after": f"{choose(0, 30)} us", "power": figure("10 uW"),
                "enter-time": figure(f"{choose(0, 10)} us"),
                "enter-energy": choose("idle", figure("1 uJ")),
                "wake-time": figure(f"{choose(0, 25)} us"), "wake-energy": "not included",
            }),
            "battery": {"capacity": figure(choose("1 mWh", "0.0001 mWh")), "usable": figure("80 %"),
                        "self-discharge": choose("not included", figure("2 %"))},
            "require": ["sample.p50 <= 40 us", "battery-life >= 1 h"],
        }  # fmt: skip
        if happens(0.5):
            power = figure(choose("1 uW", "200 mW"))
            spec["harvest"] = {"power": power, "efficiency": figure("50 %"),
                               "on": choose("1 ms", "24 h"), "of": "24 h"}  # fmt: skip
        path = self.folder / "sampled.yaml"
        path.write_text(yaml.safe_dump(spec, sort_keys=False))
        return path


def _features(result: PipelineResult) -> set[str]:
    """Return what happens in a run, by name."""
    record, life_ps = result.record, result.life_ps
    assert life_ps is not None
    made = {
        "sleeps": record.enters > 0,
        "wakes": record.wakes > 0,
        "unlimited life": life_ps.low == float("inf"),
        "empty before the end": life_ps.low < result.horizon_ps,
        "harts at once": int(record.worked_ps.sum()) > record.any_busy_ps,
        "misses a requirement": not result.keeps,
        "meets all": result.keeps,
    }
    for stage in result.stages:
        for name, there in {
            "drops": stage.dropped > 0,
            "interrupts": stage.interrupted > 0,
            "corrects": stage.corrected > 0,
            "misses deadlines": bool(stage.missed),
            "no request": stage.requests == 0,
            "waits": stage.most_waiting > 0,
            "waits at the end": stage.waiting > 0,
            "ages": len(stage.age_ps) > 0 and bool((stage.age_ps > stage.response_ps).any()),
        }.items():
            made[name] = made.get(name, False) or there
    return {name for name, there in made.items() if there}


@pytest.mark.heavy("studies")
def test_a_thousand_random_deployments(tmp_path: Path) -> None:
    writer = _Writer(tmp_path)
    services: tuple[StageService, ...] = ()
    met: set[str] = set()
    for seed in range(1000):
        pipeline = read_pipeline(writer.write(seed))
        services = services or measure_stages(pipeline)
        for longest in (False, True):
            fast, slow = (
                simulate_pipeline(pipeline, services, engine=engine, longest=longest)
                for engine in ("compiled", "simpy")
            )
            same(fast.record, slow.record)
            found = fast.to_json()
            assert found["stages"] == slow.to_json()["stages"]
            for stage in fast.stages:
                ended = stage.finished + stage.dropped + stage.waiting + stage.in_service
                assert ended == stage.requests
                assert (stage.missed or 0) <= stage.requests
            met |= _features(fast)
    assert met == {
        "sleeps", "wakes", "unlimited life", "empty before the end", "harts at once",
        "misses a requirement", "meets all", "drops", "interrupts", "corrects", "misses deadlines",
        "no request", "waits", "waits at the end", "ages",
    }  # fmt: skip
