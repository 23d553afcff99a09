"""Area of machines: sums, counts of parts, sources, refusals; tables that are refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gnomon.arch import list_architectures, load_architecture
from gnomon.base.content import content
from gnomon.base.errors import GnomonError
from gnomon.cost.area import KINDS, RESOURCES, Area, read_synthesis_rows
from gnomon.cost.area._area import count_half_blocks
from gnomon.cost.area._table import read_area_table

if TYPE_CHECKING:
    from pathlib import Path

TABLE = content("models", "area", "t13-xc7.yaml")
T13 = [name for name in list_architectures() if name.startswith("t13")]


def of(machine: str, *overrides: str) -> Area:
    return Area.from_architecture(load_architecture(machine, overrides))


def counts(found: Area) -> dict[str, int]:
    return {part.figure.name: part.count for part in found.parts}


@pytest.mark.parametrize("name", T13)
def test_parts_sum_to_the_whole_and_each_has_a_source(name: str) -> None:
    found = of(name)
    assert {part.group for part in found.parts} <= {"core", "vcu", "scratchpad"}
    for resource in RESOURCES:
        total = found.total.of(resource)
        each = [part.resources.of(resource) for part in found.parts]
        assert total.value == pytest.approx(sum(one.value for one in each))
        assert total.low == pytest.approx(sum(one.low for one in each))
        assert total.high == pytest.approx(sum(one.high for one in each))
        groups = [found.group(group).of(resource).value for group in ("core", "vcu", "scratchpad")]
        assert sum(groups) == pytest.approx(total.value)
        kinds = [found.of_kind(kind, resource).value for kind in KINDS]
        assert sum(kinds) == pytest.approx(total.value)
        assert all(one.low <= one.value <= one.high for one in each)
    for part in found.parts:
        assert part.count >= 1
        assert part.figure.source
        assert part.figure.reasoning
        for origin in part.figure.origins:
            file, _, line = origin.rpartition(":")
            lines = content(file).read_text().splitlines()
            assert 1 <= int(line) <= len(lines)
            assert lines[int(line) - 1].strip()


def test_the_scalar_core_is_the_published_one() -> None:
    # Martino et al., table III: Klessydra T03 core, 4281 LUT, 1418 FF, 7 DSP, no BRAM.
    total = of("t13").total
    assert [total.of(name).value for name in RESOURCES] == [4281, 1418, 7, 0]


def test_a_row_of_the_table_is_named_by_its_own_line() -> None:
    parts = {part.figure.name: part.figure for part in of("t13-simd4").parts}
    file, _, line = parts["scratchpad.interface"].origins[0].rpartition(":")
    row = content(file).read_text().splitlines()[int(line) - 1]
    assert row.startswith("scratchpad.interface,vcu.simd=4 vcu.scratchpads.count=4,")
    assert float(row.split(",")[2]) == parts["scratchpad.interface"].resources.lut.value
    file, _, line = parts["vcu.control"].origins[0].rpartition(":")
    assert content(file).read_text().splitlines()[int(line) - 1] == "  vcu.control:"


def test_every_part_that_an_interval_could_hide_moves_the_total() -> None:
    plain = of("t13-paper-simd4")
    for index, part in enumerate(plain.parts):
        rest = plain.parts[:index] + plain.parts[index + 1 :]
        for name in RESOURCES:
            left = sum(one.resources.of(name).value for one in rest)
            taken = plain.total.of(name).value - left
            assert taken == pytest.approx(part.resources.of(name).value)


@pytest.mark.parametrize("simd", [2, 4, 8])
def test_more_lanes_take_more(simd: int) -> None:
    small = of("t13-paper-simd1").total
    large = of(f"t13-paper-simd{simd}").total
    assert large.lut.value > small.lut.value
    assert large.ff.value > small.ff.value
    assert large.dsp.value == 7 + 4 * simd
    # 4 scratchpads of 16 KiB are 16 blocks, however many banks they have
    assert large.bram.value == small.bram.value == 16


def test_sharing_decides_what_there_is_once() -> None:
    shared, replicated, threaded = (
        counts(of("t13-simd4", f"vcu.sharing={how}"))
        for how in ("shared", "replicated", "multithreaded")
    )
    assert (shared["vcu.adder"], replicated["vcu.adder"], threaded["vcu.adder"]) == (4, 12, 4)
    assert (shared["vcu.control"], replicated["vcu.control"], threaded["vcu.control"]) == (1, 3, 3)
    assert shared["scratchpad.bank"] * 3 == replicated["scratchpad.bank"]
    assert threaded["scratchpad.bank"] == replicated["scratchpad.bank"]
    assert "vcu.shared_units" not in replicated
    assert threaded["vcu.shared_units"] == 4 * 2


def test_a_divider_per_lane_and_its_choice() -> None:
    parts = {part.figure.name: part for part in of("t13-paper-simd8").parts}
    assert parts["vcu.divider"].count == 8
    # klessydra_vl_std, models/dividers/area-xc7.yaml
    assert parts["vcu.divider"].figure.resources.lut.value == 392
    assert "vcu.divider" not in counts(of("t13-simd8"))
    small = of("t13-paper-simd8", "vcu.divider=restoring_r2").total.lut.value
    saved = of("t13-paper-simd8").total.lut.value - small
    assert saved == 8 * (392 - 139)
    other = of("t13", "core.divider=restoring_r4").total
    assert other.lut.value == 4281 - 139 + 267
    wide = {p.figure.name: p for p in of("t13-paper-simd4", "vcu.extensions=[kdivps, kps]").parts}
    assert wide["vcu.divider"].figure.resources.lut.value == 1.25 * 392
    assert wide["vcu.divider"].figure.kind == "estimate"


def test_extensions_and_harts_are_parts_of_their_own() -> None:
    assert "vcu.post_scale" not in counts(of("t13-paper-simd4"))
    found = counts(of("t13-paper-simd4", "vcu.postscale_shift=mpsclfac"))
    assert (found["vcu.post_scale"], found["vcu.product_high"]) == (4, 4)
    assert counts(of("t13", "core.harts=5"))["core.hart"] == 2


def test_the_whole_unit_synthesised_lies_within_the_sum_of_parts() -> None:
    """rtl_tests/hdl/vcu.sv at once, beside the parts that no table of ours took from it."""
    rows = read_synthesis_rows(content("models", "area", "synth-whole-vcu-xc7.csv"))
    assert len(rows) == 32
    for row in rows:
        machine = load_architecture(
            f"t13-simd{row.conditions['vcu.simd']}",
            [f"vcu.scratchpads.count={row.conditions['vcu.scratchpads.count']}"],
        )
        assert row.holds_for(machine)
        found = Area.from_architecture(machine)
        parts = found.group("vcu") + found.group("scratchpad")
        for name in RESOURCES:
            own = parts.of(name)
            assert own.low <= row.counts[name] <= own.high, (row.origin, name)
        assert row.counts["dsp"] == parts.dsp.value
        assert row.counts["bram"] == parts.bram.value


@pytest.mark.parametrize(
    ("words", "halves"), [(1, 1), (512, 1), (513, 2), (1024, 2), (1025, 4), (4096, 8)]
)
def test_half_blocks_of_a_bank(words: int, halves: int) -> None:
    assert count_half_blocks(words) == halves


def test_every_width_and_number_of_scratchpads_is_known() -> None:
    for simd in (1, 2, 4, 8):
        for pads in range(1, 9):
            found = of(f"t13-simd{simd}", f"vcu.scratchpads.count={pads}")
            assert found.total.lut.value > 4281, (simd, pads)


@pytest.mark.parametrize(
    ("machine", "overrides", "message"),
    [
        ("rv32im", (), "area of rv32im is not known: it names no area table (key area)"),
        (
            "rv32im",
            ("area=t13-xc7",),
            (
                r"area of rv32im is not known: table t13-xc7 holds for core.model t13 "
                r"\(models/area/t13-xc7.yaml:\d+\), not inorder"
            ),
        ),
        (
            "t13",
            ("core.divider=srt_r4",),
            (
                r"the area of divider srt_r4 \(core.divider\) is not known to table t13-xc7 "
                r"\(known: restoring_r2, .*, early_divisor_only\)"
            ),
        ),
        (
            "t13",
            ("area=t13-xc6",),
            "no area table is called 't13-xc6' (known: t13-xc7, did you mean 't13-xc7'?)",
        ),
    ],
)
def test_what_is_not_known_is_refused(
    machine: str, overrides: tuple[str, ...], message: str
) -> None:
    pattern = message if "\\" in message else message.replace("(", r"\(").replace(")", r"\)")
    with pytest.raises(GnomonError, match="^" + pattern.replace("'?", "'\\?") + "$"):
        of(machine, *overrides)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("lut: {value: 600, low: 300", "lut: {value: 200, low: 300", "within low and high"),
        (
            "    kind: published\n",
            "    kind: guess\n",
            "must not be 'guess' .allowed: published",
        ),
        ("  lut: 203800", "  lutt: 203800", "allowed: name, source, lut, ff, dsp, bram, did you"),
        ("schema: 1", "schema: 2", "schema: must not be 2 .allowed: 1"),
        ("name: t13-xc7\n", "name: t13-xc7\nname: twice\n", "name: written twice, first at "),
        (
            "{low: 0.5, high: 1.7}",
            "{low: 1.5, high: 1.7}",
            "spread.lut.low: must not be 1.5",
        ),
    ],
)
def test_a_table_is_refused_at_its_line(old: str, new: str, message: str, tmp_path: Path) -> None:
    text = TABLE.read_text(encoding="utf-8")
    assert old in text
    path = tmp_path / "mine.yaml"
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(GnomonError, match=rf"mine\.yaml:\d+: .*{message}"):
        read_area_table(path)


HEADER = "part,conditions,lut,ff,dsp,bram,design,tool\n"


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("vcu.adder,,1,2,0,0,d", "2: must have 8 fields, not 7"),
        ("vcu.adder,,1,2,0,0,,t", "2: design: is empty"),
        ("vcu.adder,,-1,2,0,0,d,t", "2: lut: must be a number from 0 to 10000000, not '-1'"),
        ("vcu.adder,,nan,2,0,0,d,t", "2: lut: must be a number from 0 to 10000000, not 'nan'"),
        ("vcu.adder,simd,1,2,0,0,d,t", "2: conditions: must be key=value, not 'simd'"),
        (
            "vcu.adder,vcu.smid=4,1,2,0,0,d,t",
            r"2: conditions: no machine has a key 'vcu.smid', did you mean 'vcu.simd'\?",
        ),
    ],
)
def test_a_row_is_refused_at_its_line(row: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text(HEADER + row + "\n", encoding="utf-8")
    with pytest.raises(GnomonError, match=rf"rows\.csv:{message}$"):
        read_synthesis_rows(path)


def test_a_row_holds_for_the_machines_that_it_names(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text(HEADER + "p,vcu.simd=4 core.superscalar=true,1,2,0,0.5,d,t\n", encoding="utf-8")
    (row,) = read_synthesis_rows(path)
    assert row.holds_for(load_architecture("t13-simd4"))
    assert not row.holds_for(load_architecture("t13-simd2"))
    assert not row.holds_for(load_architecture("t13-simd4", ["core.superscalar=false"]))
    assert not row.holds_for(load_architecture("t13"))
