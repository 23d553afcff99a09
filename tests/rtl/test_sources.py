"""Lists of sources: what is read, and what errors say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gnomon.base.errors import GnomonError
from gnomon.rtl.sources import read_sources

if TYPE_CHECKING:
    from pathlib import Path


def _files(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("-- nothing\n")


def _list(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text)
    return path


def _names(path: Path) -> list[str]:
    return [str(each.relative_to(path.parent)) for each in read_sources(path)]


def test_src_files_keeps_order_lines_and_languages(tmp_path: Path) -> None:
    _files(tmp_path, "rtl/b.vhd", "rtl/a.vhdl", "c.sv")
    (tmp_path / "include").mkdir()
    path = _list(
        tmp_path,
        "src_files.yml",
        "core:\n  incdirs: [\n    include,\n  ]\n  files: [\n    rtl/b.vhd,\n    rtl/a.vhdl,\n  ]\n"
        "more:\n  files:\n    - c.sv\n    - rtl/b.vhd\n  defines: [SIZE=4]\n",
    )

    assert _names(path) == ["rtl/b.vhd", "rtl/a.vhdl", "c.sv"]
    assert [*read_sources(path).values()] == ["vhdl", "vhdl", "systemverilog"]


def test_groups_for_other_tools_are_left_out(tmp_path: Path) -> None:
    _files(tmp_path, "a.vhd", "b.vhd")
    path = _list(
        tmp_path,
        "src_files.yml",
        "fpga:\n  targets: [xilinx]\n  files: [b.vhd]\nrtl:\n  targets: [rtl]\n  files: [a.vhd]\n",
    )
    assert _names(path) == ["a.vhd"]


@pytest.mark.parametrize(
    ("text", "line", "told"),
    [
        ("core:\n  files: [\n    rtl/aa.vhd,\n  ]\n", 3, "no such file, did you mean 'a.vhd'"),
        ("core:\n  file: [rtl/a.vhd]\n", 2, "core.file: unknown key .*did you mean 'files'"),
        ("core:\n  files: rtl/a.vhd\n", 2, "core.files must be a list"),
        ("core:\n  files: [notes.txt]\n", 2, "unknown kind of source"),
        ("core:\n  files: [{a: b}]\n", 2, "an item must be a plain name"),
        ("core:\n  incdirs: []\n", 2, "core: has no key 'files'"),
        ("core: [\n", 2, "not YAML"),
        ("- a\n", 1, "must be a mapping"),
        ("core:\n  files: [elsewhere/a.vhd]\n", 2, "no folder"),
    ],
)
def test_src_files_errors_name_file_and_line(
    tmp_path: Path, text: str, line: int, told: str
) -> None:
    _files(tmp_path, "rtl/a.vhd")
    path = _list(tmp_path, "src_files.yml", text)
    with pytest.raises(GnomonError, match=rf"^{path}:{line}: .*{told}"):
        read_sources(path)


def test_f_lists_include_each_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _files(tmp_path, "a.vhd", "ip/b.v", "ip/c.sv", "d.vhd")
    (tmp_path / "inc").mkdir()
    (tmp_path / "ip" / "ip.f").write_text("b.v // one\nc.sv # two\n")
    monkeypatch.setenv("IP", "ip")
    path = _list(
        tmp_path, "core.f",
        "// the core\n+incdir+inc +define+N=3+FAST\n\n-F ${IP}/ip.f\na.vhd\n-v d.vhd\na.vhd\n",
    )  # fmt: skip

    assert _names(path) == ["ip/b.v", "ip/c.sv", "a.vhd", "d.vhd"]
    assert [*read_sources(path).values()] == ["verilog", "systemverilog", "vhdl", "vhdl"]


@pytest.mark.parametrize(
    ("text", "line", "told"),
    [
        ("a.vhd\n+incdirs+inc\n", 2, "unknown option .*did you mean"),
        ("a.vhd\n\n-timescale=1ns\n", 3, "unknown option"),
        ("+incdir+nowhere\n", 1, "no such folder"),
        ("-f\n", 1, "-f needs a file after it"),
        ("-f none.f\n", 1, "none.f: no such file"),
        ("$NOT_SET_ANYWHERE/a.vhd\n", 1, r"\$NOT_SET_ANYWHERE is not set"),
        ("b.vhd\n", 1, "no such file, did you mean 'a.vhd'"),
    ],
)
def test_f_errors_name_file_and_line(tmp_path: Path, text: str, line: int, told: str) -> None:
    _files(tmp_path, "a.vhd")
    path = _list(tmp_path, "core.f", text)
    with pytest.raises(GnomonError, match=rf"^{path}:{line}: .*{told}"):
        read_sources(path)


def test_a_list_that_includes_itself_is_an_error(tmp_path: Path) -> None:
    path = _list(tmp_path, "core.f", "-f core.f\n")
    with pytest.raises(GnomonError, match="includes itself"):
        read_sources(path)


_CORE = """CAPI=2:
name: ::core:1.0
filesets:
  rtl:
    files:
      - rtl/a.vhd
      - rtl/defs.vh: {is_include_file: true}
      - target_sim ? (rtl/b.vhd)
    file_type: vhdlSource-2008
  scripts:
    files: [run.tcl]
    file_type: tclSource
targets:
  default:
    filesets: [rtl, scripts, 'tool_modelsim ? (missing)']
"""


def test_core_files_take_the_filesets_of_the_default_target(tmp_path: Path) -> None:
    _files(tmp_path, "rtl/a.vhd", "rtl/b.vhd", "rtl/defs.vh")
    path = _list(tmp_path, "core.core", _CORE)

    assert _names(path) == ["rtl/a.vhd"]


@pytest.mark.parametrize(
    ("old", "new", "line", "told"),
    [
        ("CAPI=2:", "CAPI=1:", 1, "must begin with 'CAPI=2:'"),
        ("default:", "sim:", 14, "no target 'default'"),
        ("[rtl, scripts,", "[rlt, scripts,", 15, "no fileset 'rlt', did you mean 'rtl'"),
        ("    files: [run.tcl]", "    depend: ['::fpu']", 11, "depends on ::fpu"),
        ("target_sim", "use_sim", 8, "cannot be decided"),
        ("rtl/a.vhd", "rtl/c.vhd", 6, "no such file"),
    ],
)
def test_core_errors_name_file_and_line(
    tmp_path: Path, old: str, new: str, line: int, told: str
) -> None:
    _files(tmp_path, "rtl/a.vhd", "rtl/b.vhd", "rtl/defs.vh")
    path = _list(tmp_path, "core.core", _CORE.replace(old, new, 1))
    with pytest.raises(GnomonError, match=rf"^{path}:{line}: .*{told}"):
        read_sources(path)


@pytest.mark.parametrize("name", ["sources.txt", "core.py"])
def test_other_files_are_no_lists(tmp_path: Path, name: str) -> None:
    path = _list(tmp_path, name, "")
    with pytest.raises(GnomonError, match="not a list of sources"):
        read_sources(path)


def test_a_list_of_nothing_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(GnomonError, match="names no source file"):
        read_sources(_list(tmp_path, "core.f", "# nothing\n"))


def test_a_missing_list_is_named(tmp_path: Path) -> None:
    with pytest.raises(GnomonError, match=r"none\.f: cannot be read"):
        read_sources(tmp_path / "none.f")


_WORD = st.sampled_from(
    ["core:", "files:", "[", "]", "- a.vhd", "a.vhd", "{", "}", "&x", "*x", ":", "+incdir+", "-f",
     "CAPI=2:", "filesets:", "targets:", "default:", "\t", "!!python/object", "${A}", "? (x)"]
)  # fmt: skip


@given(
    name=st.sampled_from(["x.yml", "x.f", "x.core"]),
    lines=st.lists(st.lists(_WORD, max_size=4), max_size=8),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=200)
def test_any_text_gives_sources_or_a_message(
    tmp_path: Path, name: str, lines: list[list[str]]
) -> None:
    _files(tmp_path, "a.vhd")
    path = _list(tmp_path, name, "\n".join("  ".join(words) for words in lines))
    told = ""
    try:
        found = read_sources(path)
    except GnomonError as error:
        told = str(error)
    # One that is read by -f is a list, too, and named itself.
    lists = [path, *(tmp_path / "a.vhd" for words in lines if name == "x.f" and "-f" in words)]
    assert any(str(each) in told for each in lists) if told else found
