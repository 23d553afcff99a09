"""The container of editors has the packages that the checks install, and schemas that there are."""

from __future__ import annotations

import json
import re
from pathlib import Path

from gnomon.cli._schema import KINDS

_ROOT = Path(__file__).resolve().parents[2]
_INSTALL = re.compile(r"--no-install-recommends ([\w\s.+-]+)")


def test_packages_are_those_of_the_checks_and_schemas_those_of_gnomon() -> None:
    container = json.loads((_ROOT / ".devcontainer" / "devcontainer.json").read_text("utf-8"))
    checks = (_ROOT / ".ci" / "run").read_text("utf-8").replace("\\\n", " ")
    wanted, found = (
        _INSTALL.findall(text)[0].split() for text in (checks, container["onCreateCommand"])
    )
    assert wanted == found
    schemas = container["customizations"]["vscode"]["settings"]["yaml.schemas"]
    assert {Path(name).stem for name in schemas} == set(KINDS)
    for patterns in schemas.values():
        for pattern in [patterns] if isinstance(patterns, str) else patterns:
            assert list(_ROOT.glob(pattern)), pattern
    for kind in KINDS:
        assert re.search(rf"\b{kind}\b", container["postCreateCommand"])
