"""Paths recorded once and priced on other machines, next to direct runs.

Recording: one step of a learner, as a sweep measures it. Price: a program that does almost only
vector work, so that it has many events.
"""

from collections.abc import Callable
from functools import partial

from benchmarks.cases import Case
from benchmarks.harness import Found, Limit, best_of, cpu_of_call
from gnomon.arch import load_architecture
from gnomon.base.errors import CheckFailed
from gnomon.measure.learners import EmbeddedSizes, LearnerBench, find_embedded_learner
from gnomon.sim import Region, record_path, simulate

CASE = Case("vector3", "t13-simd1", 20_000, sharing="shared")
OTHER = "t13-simd1", ["vcu.simd=8", "vcu.sharing=multithreaded"]
LEARNER = "linucb-disjoint", "standard-vector", "t13-paper-simd1"
MAX_RECORDING_RUNS = 3.0
MIN_MEGAEVENTS_PER_SECOND = 100.0
MOST_CYCLES = 10**10


def measure(found: Found, rounds: int) -> None:
    """Time a run, the recording of its path, and the price of a path on another machine."""
    program, there = CASE.build(), load_architecture(*OTHER)
    regions = [Region("main", program.symbol("main").address)]
    path = record_path(program, CASE.architecture(), regions, max_cycles=MOST_CYCLES)
    if path.retime(there) != simulate(program, there, regions=regions).regions:
        raise CheckFailed(f"{CASE.name}: the price on another machine is not that of a run there")
    name, variant_name, machine = LEARNER
    learner, here, sizes = (
        find_embedded_learner(name),
        load_architecture(machine),
        EmbeddedSizes(8, 8),
    )
    variant = learner.variant(variant_name)
    bench = LearnerBench(learner, variant, here, sizes)
    built, step = bench.build(), bench.step(case="random")
    run, recording = f"{name}: a run", f"{name}: recording"
    price = f"{CASE.source}: price of a path"
    calls: dict[str, Callable[[], object]] = {
        run: partial(bench.measure, case="random", details=False, program=built, step=step),
        recording: partial(bench.record, built, step),
        price: partial(path.retime, there),
    }
    seconds = best_of({name: partial(cpu_of_call, call) for name, call in calls.items()}, rounds)
    events = {price: len(path.events)}
    events |= dict.fromkeys((run, recording), len(bench.record(built, step).events))
    rows = [
        {"what": what, "events": events[what], "cpu_seconds": each,
         "megaevents_per_second": events[what] / each / 1e6}
        for what, each in seconds.items()
    ]  # fmt: skip
    limits = [
        Limit("recording a path", "runs", seconds[recording] / seconds[run], MAX_RECORDING_RUNS),
        Limit("pricing a path", "M events/s", rows[2]["megaevents_per_second"],
              MIN_MEGAEVENTS_PER_SECOND, at_least=True),
    ]  # fmt: skip
    found.add("retime", rows, limits)
