"""Every message of files that describe no machine, of missing keys, chains and overrides."""

from __future__ import annotations

from pathlib import Path

import pytest

from gnomon.arch import load_architecture
from gnomon.base.errors import GnomonError
from tests.arch._messages import SHIPPED, child, errors_of, errors_with

pytestmark = pytest.mark.usefixtures("empty_folder")

# Files that are not a machine at all.
FILES: dict[str, tuple[str | bytes, str]] = {
    "empty": ("", "m.yaml:1: empty: it describes no machine"),
    "comments only": ("# nothing\n", "m.yaml:1: empty: it describes no machine"),
    "null": ("~\n", "m.yaml:1: a machine is a list of 'key: value' lines, not nothing"),
    "a list": ("- 1\n", "m.yaml:1: a machine is a list of 'key: value' lines, not a list"),
    "a word": ("hello\n", "m.yaml:1: a machine is a list of 'key: value' lines, not 'hello'"),
    "a tab": (
        "schema: 1\ncore:\n\tharts: 3\n",
        "m.yaml:3: not YAML: a tab; indent and separate with spaces",
    ),
    "an open bracket": (
        "schema: 1\ncore: [1\n",
        "m.yaml:3: not YAML: did not find expected ',' or ']' while parsing a flow sequence",
    ),
    "not UTF-8": (b"schema: 1\nname: \xff\n", "m.yaml:2: not UTF-8 text: byte 0xff"),
    "binary": (
        b"schema: 1\n\x00\x01",
        "m.yaml:2: not YAML: it contains a character that text files do not have",
    ),
    "an anchor": (
        "a: &a [1]\nb: *a\n",
        "m.yaml:1: anchors and aliases are not read; use extends to share values",
    ),
    "an alias": (
        "a: 1\nb: *a\n",
        "m.yaml:2: anchors and aliases are not read; use extends to share values",
    ),
    "a tag": (
        "a: !!python/object:os.system 1\n",
        "m.yaml:1: tags are not read; remove 'tag:yaml.org,2002:python/object:os.system'",
    ),
    "a tagged list": ("a: !x []\n", "m.yaml:1: tags are not read; remove '!x'"),
    "two documents": (
        "schema: 1\n---\nschema: 1\n",
        "m.yaml:3: a second document; one file describes one machine",
    ),
    "a section as key": (
        "? {a: 1}\n: 2\n",
        "m.yaml:1: a key must be a word, not a section or a list",
    ),
    "deep nesting": ("[" * 5000, "m.yaml:1: nested deeper than 12 levels"),
    "deep mappings": (
        "".join(" " * n + "a:\n" for n in range(300)),
        "m.yaml:13: nested deeper than 12 levels",
    ),
    "a number without end": (
        "schema: " + "9" * 5000,
        (
            "m.yaml:1: '99999999999999999999999999999999999999999999999999999999... is "
            "too long for "
            "a number"
        ),
    ),
    "a long file": (
        "#" * (256 * 1024 + 1),
        "m.yaml:1: longer than 256 KiB; this is not a machine description",
    ),
    "no such base": (
        child("", "t14"),
        f"m.yaml:1: extends: no machine is called 't14' (known: {SHIPPED}, did you mean 't13'?)",
    ),
    "no such base file": (
        child("", "up/base.yaml"),
        "m.yaml:1: extends: no such file: up/base.yaml",
    ),
    "a base that is not a name": (
        child("", "[t13]"),
        "m.yaml:1: extends: must be the name of a shipped machine or the path of a file",
    ),
    "itself as base": (child("", "m.yaml"), "m.yaml:1: extends: a circle: m.yaml -> m.yaml"),
}


def test_not_a_machine_file() -> None:
    for case, (text, message) in FILES.items():
        assert errors_of(text) == [message], case


def test_a_small_complete_file_needs_every_required_key() -> None:
    assert errors_of("schema: 1\n") == [
        "m.yaml:1: name: missing (allowed: lower-case letters, digits, '.', '_', '-', at most 64)",
        "m.yaml:1: title: missing (allowed: one line of at most 200 printable characters)",
        "m.yaml:1: source: missing (allowed: one paragraph of printable characters)",
        "m.yaml:1: clock: missing (allowed: such as 100 MHz)",
        (
            "m.yaml:1: memory: missing (a section with regions, link, instruction, data, "
            "unmapped, caches)"
        ),
        (
            "m.yaml:1: core: missing (a section with model, harts, superscalar, "
            "divider_table, divider, misaligned, count_all, "
            "reset_pc, isa, rtl, unit_port, latency, fetch, predictor, interrupts, quirks)"
        ),
    ]


def test_all_errors_come_at_once_each_at_its_line() -> None:
    text = child(
        "clock: fast\n"
        "core:\n"
        "  harts: 7\n"
        "  harts: 9\n"
        "  quirks:\n"
        "    trap_sets_mpie: maybe\n"
        "vcu:\n"
        "  simd: 16\n"
        "  scratchpads:\n"
        "    count: 0\n"
        "wires: red\n"
    )
    assert errors_of(text) == [
        "m.yaml:7: core.harts: written twice, first at m.yaml:6",
        (
            "m.yaml:4: clock: 'fast' is not a frequency; write a number and its unit, as in "
            "'100 MHz' (units: Hz, kHz, MHz, GHz)"
        ),
        (
            "m.yaml:7: core.harts: must be 3 to 8 with core.model t13, not 9 (with 2 "
            "harts the RTL executes wrong code after a jump; core.model inorder is one hart)"
        ),
        "m.yaml:9: core.quirks.trap_sets_mpie: must not be 'maybe' (allowed: true, false)",
        (
            "m.yaml:11: vcu.simd: must not be 16 "
            "(allowed: 1, 2, 4, 8; the RTL takes powers of two only)"
        ),
        (
            "m.yaml:13: vcu.scratchpads.count: must not be 0 (allowed: 1 to 8; the RTL "
            "checks addresses correctly for 4 only)"
        ),
        (
            "m.yaml:14: wires: unknown key (allowed: schema, name, title, source, clock, memory, "
            "core, vcu, devices, units, power, area, extends)"
        ),
    ]


def test_name_and_title_are_not_inherited() -> None:
    assert errors_of("extends: t13\n") == [
        "m.yaml:1: name: missing (allowed: lower-case letters, digits, '.', '_', '-', at most 64)",
        "m.yaml:1: title: missing (allowed: one line of at most 200 printable characters)",
    ]


def test_the_root_of_a_chain_names_its_schema() -> None:
    Path("root.yaml").write_text("core: {model: t13}\n")
    errors = errors_of(child("schema: 1", "./root.yaml"))
    assert errors[0] == (
        "root.yaml:1: schema: missing; a file that extends no other starts with 'schema: 1'"
    )
    assert not any("schema" in error for error in errors[1:])


def test_an_inherited_mistake_is_reported_where_it_is_written() -> None:
    Path("family").mkdir()
    Path("family/base.yaml").write_text(child("vcu: {simd: 5}"))
    assert errors_of(child("", "family/base.yaml")) == [
        (
            "family/base.yaml:4: vcu.simd: must not be 5 "
            "(allowed: 1, 2, 4, 8; the RTL takes powers of two only)"
        )
    ]
    errors = errors_of(child("", "../family/base.yaml"), "family/child.yaml")
    assert errors[0].startswith("family/base.yaml:4: vcu.simd: ")


def test_a_circle_of_two() -> None:
    Path("a.yaml").write_text(child("", "./b.yaml"))
    assert errors_of(child("", "./a.yaml"), "b.yaml") == [
        "a.yaml:1: extends: a circle: b.yaml -> a.yaml -> b.yaml"
    ]


def test_a_chain_without_end() -> None:
    for n in range(20):
        Path(f"m{n}.yaml").write_text(child("", f"m{n + 1}.yaml"))
    with pytest.raises(GnomonError) as caught:
        load_architecture("m0.yaml")
    chain = " -> ".join(f"m{n}.yaml" for n in range(17))
    assert str(caught.value) == f"m15.yaml:1: extends: a chain of more than 16 files: {chain}"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "t13-simd3",
            (
                f"no machine is called 't13-simd3' (known: {SHIPPED}, did you mean "
                f"'t13-simd8'?); "
                "give a user-defined file by its path, such as ./mine.yaml"
            ),
        ),
        (
            "",
            (
                f"no machine is called '' (known: {SHIPPED}); "
                "give a user-defined file by its path, such as ./mine.yaml"
            ),
        ),
        ("none.yaml", "none.yaml: no such file"),
        ("./t13", "./t13: no such file"),
        ("a\0b/c", "'a\\x00b/c': no such file"),
        (".", ".: not a file; a machine is one YAML file"),
        ("x" * 5000 + ".yaml", "x" * 5000 + ".yaml: no such file"),
    ],
)
def test_no_such_machine(name: str, message: str) -> None:
    with pytest.raises(GnomonError) as caught:
        load_architecture(name)
    assert str(caught.value) == message


OVERRIDES = {
    "core.harts=9": (
        "core.harts: must be 3 to 8 with core.model t13, not 9 (with 2 "
        "harts the RTL executes wrong code after a jump; core.model inorder is one hart)"
    ),
    "core.harts=": (
        "core.harts: must not be none (allowed: 3 to 8 with core.model t13; 1 with inorder)"
    ),
    "core.hart=4": "core.hart: unknown key, did you mean 'core.harts'?",
    "simd=4": "simd: unknown key, did you mean 'vcu.simd'?",
    "core=4": "core: a section; set one of its keys, such as core.model",
    "vcu=4": "vcu: a section; set one of its keys, or vcu=none to remove it",
    "vcu.scratchpads.size=4096": (
        "vcu.scratchpads.size: a size needs its unit, as in '4 KiB'; got 4096 "
        "(units: B, KiB, MiB, GiB)"
    ),
    "clock=[1]": "clock: takes one value, not a section or a list",
    "clock={a: 1}": "clock: takes one value, not a section or a list",
    "clock=[1": ("clock: not YAML: did not find expected ',' or ']' while parsing a flow sequence"),
    "clock=*a": "clock: anchors and aliases are not read; use extends to share values",
    "extends=t13": "extends: cannot be overridden; it belongs to the file",
    "schema=1": "schema: cannot be overridden; it belongs to the file",
    "core.harts": "write dotted.path=value, such as core.harts=3",
    "=3": "write dotted.path=value, such as core.harts=3",
    "core..harts=3": "core..harts: unknown key, did you mean 'core.harts'?",
    "core.latency.alu=1": (
        "core.latency: only core.model inorder has a latency table; t13 keeps the RTL's timing"
    ),
}


def test_one_wrong_override() -> None:
    for override, message in OVERRIDES.items():
        assert errors_with("t13-simd4", override) == [f"--set {override}: {message}"]


def test_an_override_of_a_vector_unit_that_is_not_there() -> None:
    expected = "this machine has no vcu; extend one with a vcu, such as t13-simd4"
    assert errors_with("t13", "vcu.simd=4") == [f"--set vcu.simd=4: vcu.simd: {expected}"]
    assert errors_with("t13-simd4", "vcu=none", "vcu.simd=4") == [
        f"--set vcu.simd=4: vcu.simd: {expected}"
    ]


def test_overrides_and_values_are_reported_together() -> None:
    assert errors_with("t13-simd4", "core.hart=4", "vcu.simd=3") == [
        "--set core.hart=4: core.hart: unknown key, did you mean 'core.harts'?",
        (
            "--set vcu.simd=3: vcu.simd: must not be 3 "
            "(allowed: 1, 2, 4, 8; the RTL takes powers of two only)"
        ),
    ]


def test_a_flag_in_a_message_stays_on_its_line() -> None:
    assert errors_with("t13-simd4", "a\nb=1") == ["--set 'a\\nb=1': a", "b: unknown key"]
