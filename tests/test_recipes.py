"""The container file and the conda recipe follow pyproject.toml."""

from __future__ import annotations

import os
import re
import tomllib

import jinja2
import yaml

import gnomon
from hatch_build import SYSTEMS
from tests.wheels import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"]


def test_one_place_pins_the_compiler_of_the_figures() -> None:
    (pin,) = EXTRAS["study"]
    assert re.fullmatch(r"ziglang==\d+\.\d+\.\d+", pin)
    assert "gnomon[study]" in EXTRAS["dev"]
    others = [each for name, given in EXTRAS.items() if name != "study" for each in given]
    assert not [each for each in others if each.startswith("ziglang")]


def test_the_container_installs_extras_that_exist() -> None:
    text = (ROOT / "packaging" / "Containerfile").read_text()
    (extras,) = re.findall(r"^ARG EXTRAS=(\S+)$", text, re.MULTILINE)
    assert "study" in extras.split(",")
    assert set(extras.split(",")) <= set(EXTRAS)
    (python,) = re.findall(r"^FROM \S+/python:(\d+\.\d+)", text, re.MULTILINE)
    least = re.fullmatch(r">=(\d+)\.(\d+)", PROJECT["requires-python"])
    assert least is not None
    assert tuple(map(int, python.split("."))) >= tuple(map(int, least.groups()))
    assert f"{os.uname().machine}-linux" in SYSTEMS


def test_the_conda_recipe_needs_what_the_wheel_needs() -> None:
    folder = ROOT / "packaging" / "conda"

    def load_file_data(path: str, *, from_recipe_dir: bool) -> object:
        assert from_recipe_dir
        return tomllib.loads((folder / path).read_text())

    def load_file_regex(
        *, load_file: str, regex_pattern: str, from_recipe_dir: bool
    ) -> re.Match[str] | None:
        assert from_recipe_dir
        return re.match(regex_pattern, (folder / load_file).read_text(), re.DOTALL)

    text = jinja2.Environment(autoescape=False, undefined=jinja2.StrictUndefined).from_string(
        (folder / "meta.yaml").read_text()
    )
    functions = {"load_file_data": load_file_data, "load_file_regex": load_file_regex}
    recipe = yaml.safe_load(text.render(PYTHON="python", **functions))
    assert recipe["package"] == {"name": "gnomon", "version": gnomon.__version__}
    needed = {each.replace(" ", "") for each in recipe["requirements"]["run"]}
    wanted = {each for each in PROJECT["dependencies"] if not each.startswith("ziglang")}
    assert needed == wanted | {f"python{PROJECT['requires-python']}"}
    assert recipe["build"]["script"][0].endswith(EXTRAS["study"][0])
    assert {each.partition("=")[2] for each in recipe["build"]["script_env"]} == set(SYSTEMS)
