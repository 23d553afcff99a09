"""A bundle: its bytes depend on its content alone; another place gives the same results, or why."""

from __future__ import annotations

import json
import zipfile
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.base.errors import GnomonError
from gnomon.report.bundle import BundleCheck, _make, make_bundle
from gnomon.report.bundle._archive import Bundle, BundledRun, read_bundle
from gnomon.report.bundle._make import run_of_file
from gnomon.report.bundle._verify import Difference
from tests.commands import gnomon

if TYPE_CHECKING:
    from collections.abc import Mapping

PROGRAM = """\
#include "size.h"
int main(void) { int sum = 0; for (int k = 0; k < N; k++) sum += k; return sum & 1; }
"""
SWEEP = """\
schema: 1
name: lanes
program: {{sources: [{source}]}}
arch: t13-simd1
axes: {{vcu.simd: [1, 2]}}
objectives: [minimize time, minimize area]
"""
NAMES = st.text("abcdefgh_-. ", min_size=1, max_size=8).filter(lambda name: name.strip("."))
PATHS = st.lists(NAMES, min_size=1, max_size=3).map("/".join)
FILES = st.dictionaries(PATHS, st.binary(max_size=40), max_size=5)
RUN = BundledRun("lanes", "sweep", "lanes.yaml")


@given(FILES, FILES)
def test_a_bundle_is_read_as_it_was_written_and_depends_on_no_order(
    inputs: dict[str, bytes], results: dict[str, bytes]
) -> None:
    def turned(files: Mapping[str, bytes]) -> dict[str, bytes]:
        return dict(reversed(list(files.items())))

    made = Bundle((RUN,), {"compiler zig": "1"}, inputs, results)
    data = made.to_bytes()
    assert replace(made, inputs=turned(inputs), results=turned(results)).to_bytes() == data
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("gnomon.report.bundle._archive.read_bytes", lambda *_: data)
        assert read_bundle(Path("x.zip")) == made


def repacked(data: bytes, changes: Mapping[str, Any], **files: bytes) -> bytes:
    """Return a bundle with another manifest and with other files."""
    made = BytesIO()
    with zipfile.ZipFile(BytesIO(data)) as old, zipfile.ZipFile(made, "w") as new:
        for name in old.namelist():
            text = old.read(name)
            if name == "bundle.json":
                text = json.dumps(json.loads(text) | dict(changes)).encode()
            new.writestr(name, files.get(name, text))
    return made.getvalue()


@pytest.mark.parametrize(
    ("changes", "files", "said"),
    [
        ({}, {"results/a": b"other"}, "results/a differs from its digest"),
        ({"inputs": {"../a": "0"}}, {}, "'../a' leads out of the bundle"),
        ({"inputs": {"/a": "0"}}, {}, "'/a' leads out of the bundle"),
        ({"inputs": {"a\0": "0"}}, {}, "cannot be the name of a file"),
        ({"runs": [{"name": "x", "kind": "sweep", "what": "a\0", "group": "", "options": []}]},
         {}, "damaged"),
        ({"inputs": {"b": "0"}}, {}, "inputs/b is missing"),
        ({"schema": 9}, {}, "is of schema 9"),
        ({"runs": [{"name": "../x", "kind": "sweep", "what": "a", "group": "", "options": []}]},
         {}, "damaged"),
        ({"runs": [{"name": "x", "kind": "study", "what": "a", "group": "report",
                    "options": ["--out=/etc"]}]}, {}, "damaged"),
        ({"runs": [{"name": "x", "kind": "shell", "what": "a", "group": "", "options": []}]},
         {}, "damaged"),
    ],
)  # fmt: skip
def test_a_damaged_or_hostile_bundle_is_rejected(
    tmp_path: Path, changes: dict[str, Any], files: dict[str, bytes], said: str
) -> None:
    data = Bundle((RUN,), {}, {}, {"a": b"1"}).to_bytes()
    path = tmp_path / "bundle.zip"
    path.write_bytes(repacked(data, changes, **files))
    with pytest.raises(GnomonError, match=said.replace(".", r"\.")):
        read_bundle(path)
    path.write_bytes(data[: len(data) // 2])
    with pytest.raises(GnomonError, match="is not a bundle"):
        read_bundle(path)


def test_a_wrong_kind_of_compression_is_no_defect(tmp_path: Path) -> None:
    """Deflate, bzip2, LZMA and an unknown kind instead of none."""
    path = tmp_path / "bundle.zip"
    data = Bundle((RUN,), {}, {}, {"a": bytes(range(256))}).to_bytes()
    central = data.index(b"PK\x01\x02")
    for method in (8, 12, 14, 99):
        changed = bytearray(data)
        changed[central + 10 : central + 12] = method.to_bytes(2, "little")
        path.write_bytes(changed)
        with pytest.raises(GnomonError, match=r"is not a bundle|is missing or damaged"):
            read_bundle(path)


def test_the_cause_is_the_version_that_differs() -> None:
    changed = (Difference("results/a", "line 1"),)
    zig, numpy = ("compiler zig", "0.16.0", "0.17.0"), ("numpy", "2.3", "2.4")
    assert BundleCheck(1, (), (zig,)).cause == ""
    assert BundleCheck(1, changed, ()).cause.startswith("no version differs")
    alone = BundleCheck(1, changed, (zig,)).cause
    assert alone == "cause: compiler zig is 0.17.0 here and 0.16.0 in the bundle"
    both = BundleCheck(1, changed, (numpy, zig)).cause
    assert both.startswith("cause, most likely: compiler zig is")
    assert both.endswith("or: numpy is 2.4 here and 2.3 in the bundle")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a sweep of a program that includes a header, as the current folder."""
    folder = tmp_path / "project"
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "sum.c").write_text(PROGRAM)
    (folder / "src" / "size.h").write_text("#define N 20\n")
    (folder / "lanes.yaml").write_text(SWEEP.format(source="src/sum.c"))
    monkeypatch.chdir(folder)
    return folder


def test_a_sweep_is_verified_and_a_difference_has_its_cause(project: Path) -> None:
    out = project.parent / "bundle.zip"
    made = make_bundle("lanes.yaml", out)
    assert sorted(made.inputs) == ["lanes.yaml", "src/size.h", "src/sum.c"]
    assert {name.partition("/")[0] for name in made.results} == {"lanes"}
    done = gnomon("report", "verify", str(out), "--cached", "--json")
    assert (done.returncode, json.loads(done.stdout)["equal"]) == (0, True)
    points = made.results["lanes/points.csv"].replace(b"yes", b"YES", 1)
    versions = dict(made.versions) | {"compiler zig": "0.1.0"}
    other = replace(made, versions=versions, results={**made.results, "lanes/points.csv": points})
    out.write_bytes(other.to_bytes())
    done = gnomon("report", "verify", str(out), "--cached", "--json")
    told = json.loads(done.stdout)
    assert (done.returncode, told["equal"]) == (1, False)
    assert [each["file"] for each in told["differences"]] == ["results/lanes/points.csv"]
    assert told["cause"].startswith("cause: compiler zig is 0.")


def test_an_input_outside_of_the_folder_is_an_error(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    below = project / "below"
    below.mkdir()
    (below / "lanes.yaml").write_text(SWEEP.format(source="../src/sum.c"))
    monkeypatch.chdir(below)
    monkeypatch.setattr("gnomon.report.bundle._make.gettempdir", lambda: "/nowhere")
    with pytest.raises(GnomonError, match=r"outside of the current folder"):
        make_bundle("lanes.yaml", project.parent / "bundle.zip")
    assert not (project.parent / "bundle.zip").exists()


@pytest.mark.parametrize(
    "name", ["a\u00a0b.yaml", "-a.yaml", "..yaml", "a\udce9.yaml", "a\nb.yaml"]
)
def test_a_name_that_no_bundle_can_hold_is_rejected_at_once(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`gnomon report verify` rejects such a name, such as one with a no-break space."""
    monkeypatch.chdir(tmp_path)
    Path(name).write_text("schema: 1\naxes: {}\n")
    with pytest.raises(GnomonError, match=r"cannot be the name of a file in a bundle; rename it"):
        make_bundle(f"./{name}", tmp_path / "it.zip")
    assert not (tmp_path / "it.zip").exists()


def test_files_of_a_project_below_a_folder_of_the_system_are_inputs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such as a project in /opt, where packages are too."""
    monkeypatch.setattr(_make, "_SYSTEM", (str(tmp_path), str(tmp_path / "other")))
    project, listed = tmp_path / "project", tmp_path / "read.txt"
    (tmp_path / "other").mkdir()
    project.mkdir()
    own, system = project / "own.c", tmp_path / "other" / "stdint.h"
    for path in (own, system):
        path.write_text("")
    listed.write_text(f"{own}\n{system}\n")
    assert list(_make._read_files(listed, project, tmp_path / "out")) == [own]


@pytest.mark.parametrize(
    ("text", "kind"),
    [("axes: {n: [1]}", "sweep"), ("requests: {}", "deployment"), ("stages: {}", "deployment"),
     ("core: {}", None)],
)  # fmt: skip
def test_the_kind_of_a_file_is_known_by_its_keys(
    tmp_path: Path, text: str, kind: str | None
) -> None:
    file = tmp_path / "one.yaml"
    file.write_text(text)
    run = run_of_file(file, tmp_path)
    assert (None if run is None else run.kind) == kind
