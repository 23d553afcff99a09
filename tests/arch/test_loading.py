"""Merging, overrides, provenance, and machines written back as YAML."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gnomon.arch import Described, list_architectures, load_architecture
from gnomon.base.content import content

from ._whole import whole_file

if TYPE_CHECKING:
    from pathlib import Path


def test_a_child_changes_what_it_names_and_keeps_the_rest(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("extends: t13-simd4\nname: mine\ntitle: Mine\nvcu: {scratchpads: {count: 8}}\n")
    mine, base = load_architecture(path), load_architecture("t13-simd4")
    assert mine.name == "mine"
    assert mine.vcu is not None
    assert mine.vcu.scratchpads.count == 8
    assert load_architecture(path, ["vcu.scratchpads.count=4"]).vcu == base.vcu
    assert (mine.core, mine.memory, mine.source) == (base.core, base.memory, base.source)


def test_a_child_can_do_without_the_vector_unit(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("extends: t13-simd4\nname: mine\ntitle: Mine\nvcu: none\n")
    assert load_architecture(path).vcu is None


def test_a_base_is_found_relative_to_the_file_that_names_it(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "base.yaml").write_text("extends: t13\nname: base\ntitle: B\nclock: 50 MHz\n")
    child = tmp_path / "deep" / "child.yaml"
    child.write_text("extends: ../base.yaml\nname: child\ntitle: C\n")
    assert load_architecture(child).clock == 50_000_000


def test_overrides_apply_in_order() -> None:
    machine = load_architecture(
        "t13-simd4",
        [
            "vcu.simd=2",
            "vcu.simd=8",
            "vcu.scratchpads.size = 16 KiB",
            "core.harts=0x4",
            "core.superscalar=False",
            "vcu.sharing=replicated",
        ],
    )
    assert machine.vcu is not None
    assert (machine.vcu.simd, machine.vcu.scratchpads.size) == (8, 16384)
    assert (machine.core.harts, machine.core.superscalar) == (4, False)
    assert machine.vcu.sharing == "replicated"


def test_an_override_removes_the_vector_unit() -> None:
    assert load_architecture("t13-simd4", ["vcu=none"]).vcu is None


def test_yaml_words_of_other_versions_stay_words(tmp_path: Path) -> None:
    path = tmp_path / "m.yaml"
    path.write_text("extends: t13\nname: m\ntitle: no\npower: 0o17\narea: '12'\n")
    machine = load_architecture(path)
    assert (machine.title, machine.power, machine.area) == ("no", "0o17", "12")


def test_underscores_group_hexadecimal_digits() -> None:
    machine = load_architecture("t13", ["memory.data.base=0x0020_0000"])
    assert machine.memory.data.base == 0x200000


def test_where_each_value_comes_from() -> None:
    rows = {row.path: row for row in Described.list_keys("t13-simd4", ["core.harts=4"])}
    origins = {path: row.origin.rsplit(":", 1)[0] for path, row in rows.items()}
    assert origins["core.model"] == "arch/t13.yaml"
    assert origins["vcu.sharing"] == "arch/t13-simd1.yaml"
    assert origins["vcu.simd"] == "arch/t13-simd4.yaml"
    assert rows["core.harts"].origin == "--set core.harts=4"
    assert rows["core.latency"].origin == "default"
    assert rows["core.latency"].value == "none"
    pads = rows["vcu.scratchpads.size"]
    assert (pads.value, pads.unit, pads.default) == ("4 KiB", "bytes", None)
    base = rows["vcu.scratchpads.base"]
    assert (base.value, base.unit, base.default) == ("0x10000000", "address", "0x10000000")


def test_origins_are_the_lines_of_the_files() -> None:
    shipped = {row.path: row for row in Described.list_keys("t13-simd8")}
    for path in ("vcu.simd", "core.reset_pc", "memory.unmapped"):
        name, line = shipped[path].origin.split(":")
        text = content(*name.split("/")).read_text().splitlines()[int(line) - 1]
        assert text.split("#")[0].strip() == (
            f"{path.rsplit('.', 1)[-1]}: {shipped[path].value}".replace("0x00000080", "0x80")
        )


def test_every_key_has_a_meaning_and_its_values() -> None:
    for name in list_architectures():
        rows = Described.list_keys(name)
        assert len({row.path for row in rows}) == len(rows), name
        for row in rows:
            assert row.meaning, (name, row.path)
            assert row.allowed, (name, row.path)
            assert row.value, (name, row.path)


def test_a_dumped_machine_loads_as_itself(tmp_path: Path) -> None:
    path = tmp_path / "dumped.yaml"
    for name in list_architectures():
        machine = load_architecture(name)
        path.write_text(whole_file(name))
        again = load_architecture(path)
        assert again == machine, name
        assert again.fingerprint == machine.fingerprint, name
        assert whole_file(str(path)) == path.read_text(), name


def test_an_earlier_spelling_of_a_divider_is_still_read() -> None:
    plain = load_architecture("t13")
    assert load_architecture("t13", ["core.divider=restoring-radix2"]) == plain
    assert plain.core.divider == "restoring_r2"


def test_dividers_and_tables_by_override() -> None:
    table = [1 + bits for bits in range(33)]
    machine = load_architecture(
        "t13-paper-simd4",
        [
            "core.divider=klessydra_vl_hf",
            "vcu.divider=table",
            "vcu.divider_table.by=quotient-bits",
            f"vcu.divider_table.cycles={table}",
            "vcu.divide_by_zero=riscv",
            "vcu.postscale_shift=mpsclfac",
            "vcu.morph_quirks.divide_drops_signs=true",
        ],
    )
    vcu = machine.vcu
    assert vcu is not None
    assert vcu.divider_table is not None
    assert (machine.core.divider, vcu.divider) == ("klessydra_vl_hf", "table")
    assert (vcu.divider_table.by, vcu.divider_table.cycles) == ("quotient-bits", tuple(table))
    assert (vcu.divide_by_zero, vcu.postscale_shift) == ("riscv", "mpsclfac")
    assert vcu.morph_quirks.divide_drops_signs
    shown = {row.path: row.value for row in Described.list_keys("t13-paper-simd4")}
    assert shown["vcu.divider_table"] == "none"
    assert shown["vcu.extensions"] == "[kdiv, kps]"


def test_a_table_of_a_file_is_dumped_and_loaded(tmp_path: Path) -> None:
    path = tmp_path / "m.yaml"
    table = ", ".join(str(3 + bits % 30) for bits in range(33))
    path.write_text(
        "extends: t13\nname: m\ntitle: M\ncore:\n  divider: table\n"
        f"  divider_table:\n    by: divisor-bits\n    cycles: [{table}]\n"
    )
    machine = load_architecture(path)
    path.write_text(whole_file(str(path)))
    assert load_architecture(path) == machine
    assert hash(load_architecture(path)) == hash(machine)


def test_the_proposed_instruction_is_off_by_default() -> None:
    for name in list_architectures():
        vcu = load_architecture(name).vcu
        assert vcu is None or "kdivps" not in vcu.extensions
    machine = load_architecture("t13-paper-simd4", ["vcu.extensions=[kdiv, kps, kdivps]"])
    assert machine.vcu is not None
    assert machine.vcu.extensions == ("kdiv", "kps", "kdivps")


flags = st.sampled_from(["true", "false"])
t13_settings = st.fixed_dictionaries(
    {
        "core.harts": st.sampled_from([3, 4, 5, 6, 7, 8]),
        "core.superscalar": flags,
        "core.count_all": flags,
        "core.reset_pc": st.integers(0, 1023).map(lambda page: hex(page * 256 + 0x80)),
        "core.quirks.trap_sets_mpie": flags,
        "memory.data.base": st.integers(0x100, 0x800).map(lambda page: hex(page << 12)),
        "memory.data.size": st.integers(1, 0x10000).map(lambda words: f"{4 * words} B"),
        "memory.unmapped": st.sampled_from(["protocol", "fault"]),
        "clock": st.integers(1, 10**11).map(lambda frequency_hz: f"{frequency_hz} Hz"),
        "vcu.simd": st.sampled_from([1, 2, 4, 8]),
        "vcu.sharing": st.sampled_from(["shared", "replicated", "multithreaded"]),
        "vcu.scratchpads.count": st.integers(1, 8),
        "vcu.scratchpads.size": st.integers(5, 20).map(lambda width: f"{2**width} B"),
        "vcu.quirks.spm_check_fixed_to_four": flags,
        "power": st.sampled_from(["none", "kintex7", "'true'", "'1'"]),
    }
)


@settings(max_examples=25)
@given(t13_settings)
def test_any_machine_dumps_and_loads_as_itself(
    tmp_path_factory: pytest.TempPathFactory, values: dict[str, object]
) -> None:
    overrides = [f"{path}={value}" for path, value in values.items()]
    path = tmp_path_factory.getbasetemp() / "any.yaml"
    path.write_text(whole_file("t13-simd4", overrides))
    assert load_architecture(path) == load_architecture("t13-simd4", overrides)


@given(st.text(st.characters().filter(str.isprintable), min_size=1, max_size=200))
def test_any_title_survives(tmp_path_factory: pytest.TempPathFactory, title: str) -> None:
    path = tmp_path_factory.getbasetemp() / "titled.yaml"
    path.write_text(
        f"extends: t13\nname: m\ntitle: {json.dumps(title, ensure_ascii=False)}\n", encoding="utf-8"
    )
    assert load_architecture(path).title == title
