"""Random programs in lock-step with the real core, of which the user names a checkout."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from gnomon.cli.app import app
from gnomon.rtl import find_tools
from tests.conftest import need_checkout
from tests.rtl.conftest import need

PROGRAMS = 24  # each of the 24 settings once


@pytest.mark.heavy("rtl")
def test_random_programs_are_equal_on_the_core() -> None:
    """Seeds that the record has for other settings too; nothing has a tolerance."""
    sources = need_checkout("t13x") / "src_files.yml"
    need(next(tool for tool in find_tools() if tool.name == "ghdl"))
    done = CliRunner().invoke(
        app,
        ["rtl", "klessydra", "--sources", str(sources), "--top", "klessydra_t1_3th_core",
         "--scratch-edits", "--random", str(PROGRAMS), "--json"],
        catch_exceptions=False,
    )  # fmt: skip
    programs = json.loads(done.stdout)["programs"]
    assert done.exit_code == 0
    assert len(programs) == PROGRAMS
    assert [each["seed"] for each in programs if each["difference"] is not None] == []
    assert sum(each["issues"] for each in programs) > 1000 * PROGRAMS
