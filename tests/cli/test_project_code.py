"""Code of a project runs where a command is asked to use it, and never to learn names."""

from __future__ import annotations

import subprocess
import sys
from itertools import cycle, product
from pathlib import Path

import pytest

from tests.commands import Ended, gnomon
from tests.rows import light_and_heavy

CODE = "import pathlib\npathlib.Path({ran!r}).touch()\n"
STUDY = "\n\ndef main(*, size: int = 3, out: str = 'x') -> None:\n    print('it ran', size)\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project of strangers: each file of code in it leaves a file `ran`."""
    folder = tmp_path / "project"
    ran = CODE.format(ran=str(tmp_path / "ran"))
    files = {
        "gnomon.yaml": "schema: 1\n",
        "reports/evil_study/study.yaml": "schema: 1\ncommand: report\ntitle: A study.\n",
        "reports/evil_study/study.py": ran + STUDY,
        "reports/evil_command/study.yaml": "schema: 1\ncommand: study\ntitle: A command.\n",
        "reports/evil_command/study.py": ran + STUDY,
        "algorithms/evil_learner/algorithm.yaml": (
            "schema: 1\ntitle: A learner.\nsource: yours\nfloat: {standard: learner.py:Evil}\n"
        ),
        "algorithms/evil_learner/learner.py": ran,
        "kernels/evil_kernel/kernel.yaml": "schema: 1\ntitle: A kernel.\n",
        "kernels/evil_kernel/model.py": ran,
        "arch/evil-machine.yaml": "schema: 1\nextends: t13\nname: evil-machine\ntitle: Mine\n",
        "gnomon.py": ran, "sitecustomize.py": ran,
    }  # fmt: skip
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


NAMES_ONLY = [
    ("--help",), ("--version",), ("list",),
    ("list", "studies", "--json"), ("report", "--help"), ("experiment", "--help"),
    ("report", "evil-study", "--help"), ("evil-command", "--help"), ("kernel", "--help"),
    ("report", "evil-studi"), ("arch", "list"), ("arch", "check", "evil-machine"),
    ("arch", "show", "evil-machine"), ("learner", "--help"), ("check", "--help"),
    ("schema", "study"),
]  # fmt: skip


PLACES = ("in it", "below", "elsewhere")


def at(place: str, *words: str, project: Path) -> Ended:
    """In the project, below it, and by --path from elsewhere."""
    if place == "elsewhere":
        return gnomon("--path", str(project), *words, folder=Path("/"))
    return gnomon(*words, folder=project if place == "in it" else project / "arch")


@pytest.mark.parametrize(
    ("words", "place"),
    light_and_heavy(
        "studies",
        list(zip(NAMES_ONLY, cycle(PLACES), strict=False)),
        product(NAMES_ONLY, PLACES),
        lambda words, place: f"{' '.join(words)}, {place}",
    ),
)
def test_names_are_learned_by_reading(words: tuple[str, ...], place: str, project: Path) -> None:
    done = at(place, *words, project=project)
    assert done.returncode in (0, 2), done.stderr
    assert not (project.parent / "ran").exists()


def test_a_start_in_the_project_runs_no_code_of_it(project: Path) -> None:
    """Neither what Python imports at a start, nor a file with the name of the package."""
    command = [str(Path(sys.executable).with_name("gnomon")), "list", "studies"]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=True)
    assert "evil-study" in done.stdout
    assert not (project.parent / "ran").exists()


@pytest.mark.parametrize(
    ("shell", "place"),
    light_and_heavy(
        "studies",
        2,
        [
            ("bash", "below"),
            ("zsh", "elsewhere"),
            ("bash", "in it"),
            ("bash", "elsewhere"),
        ],
    ),
)
def test_completion_names_what_is_found(shell: str, place: str, project: Path) -> None:
    script = at(place, "completion", shell, project=project).stdout
    assert not (project.parent / "ran").exists()
    for name in ("evil-study", "evil-command", "evil-machine", "t13-simd4"):
        assert name in script


def test_help_of_a_study_shows_its_parameters(project: Path) -> None:
    shown = gnomon("report", "evil-study", "--help", folder=project).stdout
    assert "A study." in shown
    assert "size: int" in shown
    assert str(project / "reports" / "evil_study" / "study.py") in shown


def test_a_command_that_is_asked_to_use_it_runs_it(project: Path) -> None:
    done = gnomon("report", "evil-study", "--size", "7", folder=project)
    assert (done.returncode, done.stdout) == (0, "it ran 7\n")
    assert (project.parent / "ran").exists()


@pytest.mark.parametrize("text", ["", "main = 3\n", "def other(): pass\n"])
def test_a_study_without_main_is_refused(text: str, project: Path) -> None:
    file = project / "reports" / "evil_study" / "study.py"
    file.write_text(text)
    done = gnomon("report", "evil-study", folder=project)
    assert done.returncode == 2
    assert f"{file}: has no function main" in done.stderr


def test_an_error_of_its_code_cannot_color_the_terminal(project: Path) -> None:
    assert gnomon("new", "learner", "mine", folder=project).returncode == 0
    (code,) = project.glob("algorithms/mine/learner.py")
    code.write_text(code.read_text().replace('("weights",)', '("\x1b[31mred",)'))
    done = gnomon("check", "mine", folder=project)
    assert done.returncode == 1
    assert "no attribute '\\x1b[31mred'" in done.stdout
    assert "\x1b" not in done.stdout + done.stderr


def test_commands_of_a_project_end_with_it(project: Path, tmp_path: Path) -> None:
    """Also where one process runs both, as these tests do."""
    for kind in ("report", "experiment"):
        study = project / "reports" / f"own_{kind}"
        study.mkdir()
        (study / "study.yaml").write_text(f"schema: 1\ncommand: {kind}\ntitle: Mine.\n")
        (study / "study.py").write_text(STUDY)
        assert f"own-{kind}" in gnomon(kind, "--help", folder=project).stdout
        assert f"own-{kind}" not in gnomon(kind, "--help", folder=tmp_path).stdout
