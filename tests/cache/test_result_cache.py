"""Cached results: what comes back, what decides them, and a run that was killed."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import time
import zlib
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from gnomon.base.cache import Store
from gnomon.base.errors import GnomonError
from gnomon.base.result_cache import ResultCache, cached_result, compute_uncached, unpickle_result
from gnomon.content.reports.bento_epsilon_greedy.bandits import unit_bandit
from gnomon.content.reports.bento_epsilon_greedy.experiment import play_instance

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parents[2]
SETTINGS: dict[str, Any] = {"seed": 3, "rounds": 400, "p": 20, "runs": 2}


@pytest.fixture(autouse=True)
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GNOMON_CACHE", str(tmp_path / "cache"))
    return tmp_path


def entries(root: Path) -> int:
    return len(list(root.glob("cache/experiment/*.entry")))


def same(one: object, other: object) -> bool:
    return pickle.dumps(one) == pickle.dumps(other)


def test_the_second_time_nothing_is_computed(root: Path) -> None:
    plain = compute_uncached(play_instance, unit_bandit(seed=1), **SETTINGS)
    keep = ResultCache()
    first = keep(play_instance, unit_bandit(seed=1), **SETTINGS)
    again = keep(play_instance, unit_bandit(seed=1), **SETTINGS)
    assert same(first, again)
    assert np.array_equal(first["curve"], plain["curve"])
    assert (keep.computed, keep.found, entries(root)) == (1, 1, 1)


@pytest.mark.parametrize("change", [*SETTINGS, "bandit"])
def test_each_argument_decides(change: str) -> None:
    keep = ResultCache()
    keep(play_instance, unit_bandit(seed=1), **SETTINGS)
    more = {} if change == "bandit" else {change: SETTINGS[change] + 1}
    keep(play_instance, unit_bandit(seed=2 if change == "bandit" else 1), **{**SETTINGS, **more})
    assert (keep.computed, keep.found) == (2, 0)


@pytest.mark.parametrize(
    "name", ["source_digest", "_get_versions", "_get_processor", "_get_variables"]
)
def test_changed_code_or_computer_is_a_miss(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ResultCache()(play_instance, unit_bandit(seed=1), **SETTINGS)
    monkeypatch.setattr(f"gnomon.base.result_cache.{name}", lambda *_, **__: "another")
    keep = ResultCache()
    keep(play_instance, unit_bandit(seed=1), **SETTINGS)
    assert (keep.computed, keep.found) == (1, 0)


def test_other_tools_are_a_miss() -> None:
    ResultCache(find_tools=lambda: ("zig 1",))(play_instance, unit_bandit(seed=1), **SETTINGS)
    keep = ResultCache(find_tools=lambda: ("zig 2",))
    keep(play_instance, unit_bandit(seed=1), **SETTINGS)
    assert keep.found == 0


def test_fresh_computes_again_and_caches_the_result(root: Path) -> None:
    ResultCache()(play_instance, unit_bandit(seed=1), **SETTINGS)
    keep = ResultCache(fresh=True)
    keep(play_instance, unit_bandit(seed=1), **SETTINGS)
    assert (keep.computed, keep.found, entries(root)) == (1, 0, 1)


def test_a_damaged_result_is_computed_again(root: Path, caplog: pytest.LogCaptureFixture) -> None:
    keep = ResultCache()
    first = keep(play_instance, unit_bandit(seed=1), **SETTINGS)
    (path,) = root.glob("cache/experiment/*.z")
    path.write_bytes(path.read_bytes()[:-1])
    assert same(keep(play_instance, unit_bandit(seed=1), **SETTINGS), first)
    assert keep.computed == 2
    assert caplog.messages == [f"{path}: is damaged; it is regenerated"]


def test_what_raises_is_not_kept(root: Path) -> None:
    def fail() -> None:
        raise GnomonError("no")

    with pytest.raises(GnomonError):
        cached_result("experiment", "ab" * 32, fail)
    assert entries(root) == 0


def test_progress_is_reported_as_often_whether_computed_or_not() -> None:
    from gnomon.content.reports.linucb.drift import DriftCase, run_drift

    case = DriftCase("linucb-disjoint", rounds=40, arms=2, dimensions=2, log_every=10)
    keep = ResultCache()
    told: list[str] = []
    first = keep(run_drift, case, progress=lambda: told.append("computed"))
    again = keep(run_drift, case, progress=lambda: told.append("found"))
    assert told == ["computed"] * 4 + ["found"] * 4
    assert pickle.dumps(first) == pickle.dumps(again)


class Colour(Enum):
    RED = 1


@dataclass(frozen=True, slots=True)
class Result:
    name: str
    values: Any = field(repr=False)


Result.__module__ = Colour.__module__ = "gnomon.kept_test"


@pytest.fixture
def as_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    module = type(sys)("gnomon.kept_test")
    module.Result, module.Colour, module.system = Result, Colour, os.system  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "gnomon.kept_test", module)


@pytest.mark.usefixtures("as_ours")
def test_values_come_back_with_their_types() -> None:
    value = Result(
        "a",
        {
            ("key", 1): (np.arange(3.0)[::-1], np.array([1, 2], np.int32), np.float64(0.1)),
            "b": [True, None, 2**70, 1e-310, Colour.RED, b"\0"],
        },
    )
    found = cached_result("experiment", "ab" * 32, lambda: value)
    assert repr(found.values) == repr(value.values)
    assert pickle.dumps(found.values["b"]) == pickle.dumps(value.values["b"])
    member = pickle.dumps(_Attack(getattr, Colour, "RED"))  # as Python 3.11.3 writes it
    assert unpickle_result(member) is Colour.RED


class _Attack:
    def __init__(self, call: Callable[..., object], *arguments: object) -> None:
        self.call, self.arguments = call, arguments

    def __reduce__(self) -> tuple[Any, ...]:
        return self.call, self.arguments


@pytest.mark.usefixtures("as_ours")
@pytest.mark.parametrize(
    "value",
    [
        _Attack(os.system, "exit 0"),
        _Attack(eval, "1"),
        Path("a"),
        _Attack(getattr, Result, "__init__"),
    ],
)
def test_nothing_else_is_made(value: object) -> None:
    Store("experiment", ".pickle.z").keep("ab" * 32, zlib.compress(pickle.dumps(value)))
    with pytest.raises(pickle.UnpicklingError, match="is not a type of results"):
        cached_result("experiment", "ab" * 32, lambda: None)


@pytest.mark.usefixtures("as_ours")
def test_nothing_that_our_modules_import_is_called() -> None:
    data = b"\x80\x04\x8c\x10gnomon.kept_test\x8c\x06system\x93\x8c\x06exit 0\x85R."
    Store("experiment", ".pickle.z").keep("ab" * 32, zlib.compress(data))
    named = r"gnomon\.kept_test\.system is not a type of results"
    with pytest.raises(pickle.UnpicklingError, match=named):
        cached_result("experiment", "ab" * 32, lambda: None)


SCRIPT = """
import pickle, sys
from gnomon.base.result_cache import ResultCache
from gnomon.content.reports.bento_epsilon_greedy import experiment
experiment.BASELINE_ROUNDS = 200
keep = ResultCache()
size = experiment.Size("tiny", 2_000, 20, tuple(range(16)), 3, full=False)
result = experiment.run_bento(size, keep=keep)
open(sys.argv[1], "wb").write(pickle.dumps(result))
print(keep.found, keep.computed)
"""


def run_script(target: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(target)],
        cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)}, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip


def test_a_killed_run_goes_on_and_gives_the_same(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    process = run_script(root / "killed")
    while entries(root) < 3:
        assert process.poll() is None
        time.sleep(0.001)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    there = entries(root)
    assert not (root / "killed").exists()
    out, _ = run_script(root / "again").communicate()
    total = 18  # bandits, the baselines, and what a run says of its constants
    assert out.split() == [str(there), str(total - there)]
    monkeypatch.setenv("GNOMON_CACHE", str(root / "other"))
    out, _ = run_script(root / "whole").communicate()
    assert out.split() == ["0", str(total)]
    assert (root / "again").read_bytes() == (root / "whole").read_bytes()


SCRIPT_OF_A_USER = """
from gnomon.base.result_cache import ResultCache
def double(x): return 2 * x
keep = ResultCache()
assert keep(double, 21) == 42
print(keep.computed)
"""


def test_an_edit_of_content_or_of_the_own_script_computes_again(root: Path) -> None:
    project = root / "project"
    files = ["arch/m.yaml", "kernels/k/k.c", "algorithms/a/learner.py", "models/power/p.yaml",
             "reports/r/study.py"]  # fmt: skip
    for name in files:
        (project / name).parent.mkdir(parents=True)
        (project / name).write_text("")
    (project / "gnomon.yaml").write_text("")
    (project / "own.py").write_text(SCRIPT_OF_A_USER)

    def computed() -> bool:
        done = subprocess.run(
            [sys.executable, "own.py"], cwd=project, env=os.environ | {"PYTHONPATH": str(ROOT)},
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        return bool(int(done.stdout))

    assert computed()
    assert not computed()
    for name in [*files, "own.py"]:
        (project / name).write_text((project / name).read_text() + "# changed\n")
        assert computed(), name
        assert not computed(), name
