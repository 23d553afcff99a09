"""Digests of sources: a file that a result depends on changes them, another does not."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from gnomon.base.sources import mentioned, source_files
from gnomon.base.yaml import Origin

ROOT = Path(__file__).resolve().parents[2]

FILES = {
    "gnomon/sim/__init__.py": "from gnomon.sim._run import run as simulate\n"
    "from gnomon.sim._other import other\n",
    "gnomon/sim/_run.py": "import numpy\nfrom typing import TYPE_CHECKING\n"
    "if TYPE_CHECKING:\n    from gnomon.sim._other import other\n"
    "from gnomon.base.content import content\nTABLE = content('models', 'power', f'{1}.yaml')\n"
    "def run():\n    from gnomon.sim import _late\n",
    "gnomon/sim/_late.py": "",
    "gnomon/sim/_other.py": "",
    "gnomon/sim/engine/loop.c": "",
    "gnomon/learn/__init__.py": "",
    "gnomon/learn/_a.py": "from gnomon.base import errors\n",
    "models/power/a.yaml": "",
    "models/area/a.yaml": "",
    "arch/m.yaml": "extends: family\n",
    "arch/family.yaml": "",
    "arch/other.yaml": "",
    "kernels/common/fx.h": "",
    "kernels/dot/kernel.yaml": "",
    "kernels/dot/dot.h": '#include "fx.h"\n',
    "kernels/dot/dot.c": "",
    "kernels/far/kernel.yaml": "",
    "kernels/far/far.c": "",
    "algorithms/ucb/algorithm.yaml": "sources: [ucb.c]\n",
    "algorithms/ucb/ucb.c": '#include "dot/dot.h"\n',
    "algorithms/ucb/learner.py": "from gnomon.learn import _a\nfrom . import state\n",
    "algorithms/ucb/state.py": "",
    "reports/study/study.yaml": "",
    "reports/study/results.csv": "",
    "reports/study/page.md.j2": "",
    "reports/study/study.py": "from gnomon.sim import simulate\nMACHINE = 'm'\n",
}
ASKED = {
    "run": (["gnomon.sim._run"], []),
    "learn": (["gnomon.learn._a"], []),
    "ucb": (["gnomon.learn._a"], ["ucb"]),
    "study": (["gnomon.content.reports.study.study"], []),
}
DECIDES = {
    "gnomon/base/errors.py": {"run", "learn", "ucb", "study"},
    "gnomon/base/content.py": {"run", "study"},
    "gnomon/base/units.py": set(),
    "gnomon/sim/__init__.py": set(),
    "gnomon/sim/_run.py": {"run", "study"},
    "gnomon/sim/_late.py": {"run", "study"},
    "gnomon/sim/_other.py": set(),
    "gnomon/sim/engine/loop.c": {"run", "study"},
    "gnomon/learn/_a.py": {"learn", "ucb"},
    "models/power/a.yaml": {"run", "study"},
    "models/area/a.yaml": set(),
    "arch/m.yaml": {"study"},
    "arch/family.yaml": {"study"},
    "arch/other.yaml": set(),
    "kernels/common/fx.h": {"ucb"},
    "kernels/dot/kernel.yaml": {"ucb"},
    "kernels/dot/dot.c": {"ucb"},
    "kernels/far/far.c": set(),
    "algorithms/ucb/algorithm.yaml": {"ucb"},
    "algorithms/ucb/learner.py": {"ucb"},
    "algorithms/ucb/state.py": {"ucb"},
    "reports/study/study.py": {"study"},
    "reports/study/results.csv": set(),
    "reports/study/page.md.j2": set(),
}


SCRIPT = """
import json, os, sys
from pathlib import Path
from gnomon.base.sources import source_digest

def digests():
    # In a process of its own, as digests are kept for as long as a process lives.
    get, put = os.pipe()
    if not os.fork():
        found = {k: source_digest(*m, names=n) for k, (m, n) in asked.items()}
        os.write(put, json.dumps(found).encode())
        os._exit(0)
    os.close(put)
    os.wait()
    with os.fdopen(get) as file:
        return json.load(file)

asked, names = json.loads(sys.argv[1])
before, decides = digests(), {}
for name in names:
    path = Path(name)
    text = path.read_text()
    path.write_text(text + "\\n# changed\\n")
    after = digests()
    decides[name] = [each for each in asked if after[each] != before[each]]
    path.write_text(text)
print(json.dumps(decides))
"""


def test_a_changed_file_changes_the_digest_of_what_depends_on_it(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "gnomon" / "base", tmp_path / "gnomon" / "base")
    for folder in ("", "content"):
        shutil.copy(ROOT / "gnomon" / folder / "__init__.py", _made(tmp_path / "gnomon" / folder))
    for name, text in FILES.items():
        (_made((tmp_path / name).parent) / Path(name).name).write_text(text)
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, json.dumps([ASKED, [*DECIDES]])],
        capture_output=True, text=True, check=True, cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
    )  # fmt: skip
    found = {name: set(decides) for name, decides in json.loads(done.stdout).items()}
    assert found == DECIDES


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def test_values_mention_their_types_and_the_words_in_them() -> None:
    modules, words = mentioned({"machine": ("t13", [Origin("a.yaml", 1)])})
    assert modules == {Origin.__module__}
    assert words == {"machine", "t13", "a.yaml"}


@pytest.mark.parametrize(
    ("module", "counts", "does_not"),
    [
        ("gnomon.explore._evaluate", "gnomon/sim/_engine.py", "gnomon/report/study.py"),
        ("gnomon.sim", "gnomon/isa/_table.py", "gnomon/learn/learner.py"),
    ],
)
def test_of_this_tree(module: str, counts: str, does_not: str) -> None:
    files = source_files(module)
    assert ROOT / does_not not in files
    assert any(path.parent == (ROOT / counts).parent for path in files)
