"""Devices with a SimPy model: requests of a deployment that real firmware serves."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gnomon.arch import Architecture, load_architecture
from gnomon.base.errors import GnomonError
from gnomon.deploy import ArrivalDevice, read_arrivals, read_deployment, sample_arrivals
from gnomon.deploy.file import RequestKeys
from gnomon.program import build
from gnomon.sim import Run, simulate, translated_blocks

EXAMPLES = Path(__file__).parents[2] / "examples"
LOGGED = """
#include "gnomon.h"
#include <stdint.h>
#define QUEUE ((volatile uint32_t *)0x30000000)
struct { uint32_t number, taken, done; } log_of[256];
uint32_t served;
static uint32_t now(void) {
    uint32_t cycle;
    __asm__ volatile("csrr %0, mcycle" : "=r"(cycle));
    return cycle;
}
int main(int hart) {
    volatile uint32_t work = (uint32_t)hart;
    __asm__ volatile("csrw mie, %0" ::"r"(0x800));
    while (QUEUE[3]) {
        const uint32_t number = QUEUE[0];
        if (!number) { __asm__ volatile("wfi" ::: "memory"); continue; }
        const uint32_t taken = now();
        for (uint32_t n = 150 + 900 * (number % 5 == 0); n; n--) work = work * 5u + n;
        QUEUE[1] = number;
        log_of[served].number = number;
        log_of[served].taken = taken;
        log_of[served++].done = now();
    }
    return (int)QUEUE[4];
}
"""


@pytest.fixture(scope="module")
def board() -> Architecture:
    return load_architecture(EXAMPLES / "arrivals" / "board.yaml")


def run_logged(folder: Path, machine: Architecture) -> tuple[Run, np.ndarray]:
    source = folder / "logged.c"
    source.write_text(LOGGED)
    program = build([source], machine)
    run = simulate(program, machine, max_cycles=20_000_000)
    assert run.halted == "exit"
    served = int.from_bytes(run.bytes_at(program.symbol("served").address, 4) or b"", "little")
    data = run.bytes_at(program.symbol("log_of").address, 12 * served)
    assert data is not None
    return run, np.frombuffer(data, dtype="<u4").reshape(-1, 3).astype(np.int64)


def test_each_request_waits_for_what_earlier_ones_took(board: Architecture, tmp_path: Path) -> None:
    """The queue, computed again from the times that the firmware itself measured."""
    run, log = run_logged(tmp_path, board)
    keys = {"arrivals": "poisson", "period": "50 us", "count": 200, "seed": 1}
    ps = sample_arrivals(RequestKeys.model_validate(keys))
    arrival = [-(-int(each) * int(board.clock) // 10**12) for each in ps]
    places, waiting, dropped, taken = 4, list[int](), set[int](), {n: t for n, t, _ in log.tolist()}
    for number, cycle in enumerate(arrival, 1):
        waiting = [each for each in waiting if taken[each] >= cycle]
        if len(waiting) == places:
            dropped.add(number)
        else:
            waiting.append(number)
    assert dropped
    assert [number for number, *_ in log.tolist()] == [
        number for number in range(1, 201) if number not in dropped
    ]
    free = 0
    for number, start, end in log.tolist():
        # It begins a few instructions after it has arrived and the one before is done.
        assert 0 <= start - max(free, arrival[number - 1]) < 60
        free = end
    results = run.devices["queue"].results
    assert (results["served"], results["dropped"], results["arrived"]) == (
        len(log),
        len(dropped),
        200,
    )
    latency_us = (log[:, 2] - np.array(arrival)[log[:, 0] - 1]) * 1e6 / int(board.clock)
    assert results["mean_latency_us"] == pytest.approx(latency_us.mean(), abs=0.3)
    assert results["worst_latency_us"] == pytest.approx(latency_us.max(), abs=0.3)
    assert run.exit_code == len(dropped)


def test_the_example_is_the_same_in_every_tier_and_slice(board: Architecture) -> None:
    program = build([EXAMPLES / "arrivals" / "service.c"], board)
    runs = []
    for blocks, quantum in (("off", 20_000_000), ("force", 20_000_000), ("off", 999)):
        with translated_blocks(blocks):
            runs.append(simulate(program, board, max_cycles=20_000_000, quantum_cycles=quantum))
    first, *others = runs
    results = first.devices["queue"].results
    assert results["served"] + results["dropped"] == 200
    assert results["served"] > 150
    assert first.counters["hart0.parked"] > 0
    assert all(each.to_json() == first.to_json() for each in others)


def test_more_work_per_request_makes_the_queue_longer(tmp_path: Path) -> None:
    waits = []
    for period_us in (200, 60, 30):
        machine = load_architecture(
            EXAMPLES / "arrivals" / "board.yaml",
            [f"devices.queue.parameters.period_us={period_us}",
             "devices.queue.parameters.places=1000"],
        )  # fmt: skip
        run, _ = run_logged(tmp_path, machine)
        results = run.devices["queue"].results
        assert results["served"] == 200
        waits.append(results["mean_waiting_us"])
    assert waits == sorted(waits)
    assert waits[0] < waits[2] / 3


def test_a_deployment_file_gives_its_arrivals(tmp_path: Path) -> None:
    path = EXAMPLES / "wearable.yaml"
    found = read_arrivals(path)
    keys = read_deployment(path).requests
    assert (found == sample_arrivals(keys)).all()
    assert len(found) == keys.count
    recorded = tmp_path / "own.yaml"
    recorded.write_text("requests: {arrivals: recorded, file: times.csv}\n")
    (tmp_path / "times.csv").write_text("time_us\n1\n5\n9\n")
    assert read_arrivals(recorded).tolist() == [10**6, 5 * 10**6, 9 * 10**6]
    recorded.write_text("schema: 1\n")
    with pytest.raises(GnomonError, match=r"own.yaml:1: requests: missing"):
        read_arrivals(recorded)
    recorded.write_text("requests:\n  arrivals: poison\n")
    with pytest.raises(GnomonError, match=r"own.yaml:2: arrivals: must not be 'poison'"):
        read_arrivals(recorded)


def test_a_request_that_is_not_in_service_cannot_end() -> None:
    device = ArrivalDevice(np.array([10**6], dtype=np.int64), 10**8, 4)
    assert device.next(0) == 100
    assert not device.level(99)
    assert device.level(100)
    device.write(4, 1, 15, 120)
    assert device.results()["not_in_service"] == 1
    assert device.read(0, 15, 130) == 1
    assert not device.level(131)
    device.write(4, 1, 15, 150)
    assert device.results()["worst_latency_us"] == pytest.approx(0.5)
