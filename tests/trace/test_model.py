"""SAIF from a run: every toggle and time against a count over the cycles one by one."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from gnomon.arch import Architecture, load_architecture
from gnomon.base.errors import GnomonError
from gnomon.observe.trace import NetActivity, read_activity, write_saif
from gnomon.observe.trace._model import run_activity
from gnomon.program import build, load_elf
from gnomon.sim import Run, simulate

PROGRAMS = Path(__file__).parents[1] / "reference" / "t13x" / "programs"
MACHINES = {
    "p_conv_h1_s4": load_architecture("t13-simd4"),
    "p_matmul_h3_s1": load_architecture("t13-simd1"),
    "p_dotps_h3_s4_rep": load_architecture("t13-simd4", ["vcu.sharing=replicated"]),
}


@pytest.fixture(scope="module", params=list(MACHINES))
def traced(request: pytest.FixtureRequest) -> tuple[Run, Architecture]:
    architecture = MACHINES[request.param]
    program = load_elf(PROGRAMS / f"{request.param}.elf")
    return simulate(program, architecture, trace=True), architecture


def levels(run: Run) -> dict[str, list[int | None]]:
    """The value of every net in every cycle, written down one by one; None: unknown."""
    cycles = range(run.wall_cycles)
    holder: list[int | None] = [None] * run.wall_cycles
    pc: list[int | None] = list(holder)
    word: list[int | None] = list(holder)
    issue: list[int | None] = [0] * run.wall_cycles
    issues = {int(row["cycle"]): row for row in run.trace}
    for cycle in cycles:
        if cycle:
            holder[cycle], pc[cycle], word[cycle] = (
                holder[cycle - 1],
                pc[cycle - 1],
                word[cycle - 1],
            )
        if cycle in issues:
            row = issues[cycle]
            holder[cycle], pc[cycle], word[cycle] = (int(row[k]) for k in ("hart", "pc", "word"))
            issue[cycle] = 1
    found: dict[str, list[int | None]] = {"execute/issue": issue}
    for hart in range(len(run.harts)):
        found[f"execute/hart_{hart}"] = [int(h == hart) for h in holder]
    for bit in range(32):
        for name, values in (("pc", pc), ("instruction", word)):
            found[f"execute/{name}[{bit}]"] = [None if v is None else v >> bit & 1 for v in values]
    for unit in range(-1, len(run.harts)):
        busy: list[int | None] = [0] * run.wall_cycles
        for row in run.spans[run.spans["unit"] == unit]:
            for cycle in range(row["start"], min(row["last"] + 1, run.wall_cycles)):
                busy[cycle] = 1
        found["transfer/busy" if unit < 0 else f"vcu_{unit}/busy"] = busy
    return found


def check(run: Run, activity: NetActivity, first: int, end: int) -> None:
    expected = levels(run)
    seen = set()
    for signal in activity.signals:
        for bit, name in enumerate(signal.bit_names()):
            row = signal.first_bit + bit
            path = "/".join((*signal.scope[1:], name))
            seen.add(path)
            cycles = activity.state_times[row] * activity.timescale_fs / 10**7  # 100 MHz
            if path == "clk":
                assert activity.toggles[row] == 2 * (end - first)
                assert cycles.tolist() == [(end - first) / 2] * 2 + [0, 0, 0]
                continue
            values = expected[path]
            window = values[first:end]
            assert cycles.tolist() == [window.count(0), window.count(1), window.count(None), 0, 0]
            pairs = zip(
                values[max(first, 1) - 1 : end - 1], values[max(first, 1) : end], strict=True
            )
            assert activity.toggles[row] == sum({0, 1} == set(pair) for pair in pairs), path
    idle = {path for path in expected if path.endswith("/busy")} - seen
    assert set(expected) - idle == seen - {"clk"}
    assert not any(any(expected[path]) for path in idle)


def test_every_net_equals_a_count_cycle_by_cycle(traced: tuple[Run, Architecture]) -> None:
    run, architecture = traced
    activity = run_activity(run, architecture)
    check(run, activity, 0, run.wall_cycles)
    assert (activity.state_times.sum(axis=1) == activity.duration).all()
    assert activity.cycles(architecture.clock) == run.wall_cycles


def test_a_window_equals_a_count_too(traced: tuple[Run, Architecture]) -> None:
    run, architecture = traced
    middle = int(run.trace["cycle"][len(run.trace) // 2])
    for first, end in ((0, 1), (0, 3), (1, 3), (2, 9), (middle, middle + 50), (middle - 7, middle)):
        check(run, run_activity(run, architecture, first_cycle=first, end_cycle=end), first, end)


def test_the_vector_unit_is_seen(traced: tuple[Run, Architecture]) -> None:
    run, architecture = traced
    activity = run_activity(run, architecture)
    busy = {s.instance.split("/")[1]: activity.signal_toggles(s) for s in activity.signals
            if s.name == "busy"}  # fmt: skip
    worked = any(work.busy_cycles for work in run.vector_work)
    assert any(busy.values()) == worked
    units = 3 if architecture.vcu is not None and architecture.vcu.sharing != "shared" else 1
    assert len(busy) == 1 + units


def test_written_saif_reads_back_equal(traced: tuple[Run, Architecture], tmp_path: Path) -> None:
    run, architecture = traced
    activity = run_activity(run, architecture)
    again = read_activity(write_saif(activity, tmp_path / "a.saif"), clock=architecture.clock)
    assert (again.toggles == activity.toggles).all()
    assert (again.state_times == activity.state_times).all()
    assert again.duration == activity.duration
    assert again.check_clock(architecture.clock, architecture.name) == architecture.clock


@pytest.mark.parametrize(
    ("clock", "timescale_fs", "duration"),
    [
        ("100 MHz", 10**6, 10),
        ("200 MHz", 10**3, 5000),
        ("150 MHz", 1, 6_666_667),  # no whole number of femtoseconds: rounded
        ("32768 Hz", 1, 30_517_578_125),
    ],
)
def test_the_timescale_follows_the_clock(clock: str, timescale_fs: int, duration: int) -> None:
    architecture = load_architecture("t13-simd4", [f"clock={clock}"])
    run = simulate(load_elf(PROGRAMS / "p_conv_h1_s4.elf"), architecture, trace=True, max_cycles=99)
    one = run_activity(run, architecture, first_cycle=0, end_cycle=1)
    assert (one.timescale_fs, one.duration) == (timescale_fs, duration)
    whole = run_activity(run, architecture)
    assert whole.duration == round(99 * Fraction(10**15, architecture.clock) / timescale_fs)
    assert (whole.state_times.sum(axis=1) == whole.duration).all()
    assert (whole.state_times >= 0).all()
    assert whole.check_clock(architecture.clock, "it") is not None


def test_an_inorder_core_has_its_execute_stage(tmp_path: Path) -> None:
    architecture = load_architecture("rv32im")
    source = tmp_path / "small.c"
    source.write_text("int main(int hart) { (void)hart; return 7; }\n")
    run = simulate(build([source], architecture), architecture, trace=True)
    activity = run_activity(run, architecture)
    assert [signal.label for signal in activity.signals] == [
        "clk", "hart_0", "issue", "pc[31:0]", "instruction[31:0]",
    ]  # fmt: skip
    check(run, activity, 0, run.wall_cycles)


def test_unavailable_activity_is_rejected(traced: tuple[Run, Architecture]) -> None:
    run, architecture = traced
    with pytest.raises(GnomonError) as caught:
        run_activity(run, architecture, first_cycle=5, end_cycle=5)
    assert str(caught.value) == (
        f"{run.program}: cycles 5 to 5 are not a window of the run, which has {run.wall_cycles}"
        " cycles"
    )
    plain = simulate(load_elf(PROGRAMS / "p_conv_h1_s4.elf"), MACHINES["p_conv_h1_s4"])
    with pytest.raises(GnomonError) as caught:
        run_activity(plain, architecture)
    assert str(caught.value) == (
        f"{plain.program}: the run was not traced; simulate with trace=True"
    )
