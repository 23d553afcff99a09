"""Click logs in their own formats: what is read, what is refused, and where."""

from __future__ import annotations

import gzip
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.base.errors import GnomonError
from gnomon.content.reports.logged.stand_in import STAND_INS, OpenBanditStandIn, write_stand_in
from gnomon.learn.logged import Visit, open_log
from gnomon.learn.logged._formats import FORMATS
from gnomon.learn.logged._yahoo import YahooLog, parse_visit
from gnomon.learn.rows import Malformed

if TYPE_CHECKING:
    from pathlib import Path

_REST = "4:0.1 5:0.1 6:0.1 1:1.000000"
R6A = (
    f"1241160900 109513 0 |user 2:0.000012 3:0.000000 {_REST}"
    f" |109498 2:0.306008 3:0.0 {_REST} |109513 2:0.5 3:0.25 {_REST}\n"
)
R6B = "1317513291 id-560620 1 |user 1 9 11 13 |id-552077 |id-560620 |id-560288 \n"


def test_a_line_of_r6a() -> None:
    visit, articles = parse_visit(R6A, "r6a")
    rest = (("4", 0.1), ("5", 0.1), ("6", 0.1), ("1", 1.0))
    user = (("2", 0.000012), ("3", 0.0), *rest)
    assert visit == Visit("109513", 0, 0.5, user, ("109498", "109513"))
    assert articles == (
        ("109498", (("2", 0.306008), ("3", 0.0), *rest)),
        ("109513", (("2", 0.5), ("3", 0.25), *rest)),
    )


def test_a_line_of_r6b() -> None:
    visit, _ = parse_visit(R6B, "r6b")
    assert visit.arm == "id-560620"
    assert visit.click == 1
    assert visit.propensity == pytest.approx(1 / 3)
    assert [name for name, _ in visit.user] == ["1", "9", "11", "13"]
    assert visit.pool == ("id-552077", "id-560620", "id-560288")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "must be a time, the article shown, a click and then |user, not ''"),
        ("12 a 0", "must be a time, the article shown, a click and then |user, not '12 a 0'"),
        (R6A.replace("1241160900", "-5"), "a time is a number of seconds, not '-5'"),
        (R6A.replace(" 0 |", " 2 |"), "a click is 0 or 1, not '2'"),
        (R6A.replace("109513 0", "7 0"), "the article shown, '7', is not in the pool"),
        (R6A.replace("0.000012", "x"), "the value of a feature is a finite number, not '2:x'"),
        (R6A.replace("0.000012", "inf"), "the value of a feature is a finite number, not '2:inf'"),
        (R6A.replace(" 3:0.000000", "", 1),
         "the user must have exactly the features 1 to 6; differing: 3"),
        (R6A.replace("|109498", "7:0.5 |109498"),
         "the user must have exactly the features 1 to 6; differing: 7"),
        (R6A.replace(" 3:0.25", ""),
         "article '109513' must have exactly the features 1 to 6; differing: 3"),
        (R6A.split("|109498", maxsplit=1)[0] + "|109513",
         "article '109513' must have exactly the features 1 to 6; differing: 1, 2, 3, 4, 5, 6"),
        (R6A.replace("2:0.306008", "9:0.306008"),
         "article '109498' must have exactly the features 1 to 6; differing: 2, 9"),
        (R6A.replace("3:0.000000", "3"), "a feature is index:value, not '3'"),
        (R6A.replace("3:0.000000", "2:0"), "feature 2 occurs twice"),
        (R6A.replace("|109498", "|109513"), "article '109513' is in the pool twice"),
        (R6A.replace("|109498", "| |109498"), "no article follows a bar"),
        (R6A.split("|109498", maxsplit=1)[0], "no pool of articles follows the user"),
        (R6B, "a feature is index:value, not '1'"),
    ],
)  # fmt: skip
def test_a_wrong_line_of_r6a(line: str, message: str) -> None:
    with pytest.raises(Malformed) as caught:
        parse_visit(line, "r6a")
    assert str(caught.value) == message


@pytest.mark.parametrize("version", ["r6a", "r6b"])
@pytest.mark.parametrize("packed", [False, True])
def test_a_last_line_without_its_end_is_malformed(
    version: str, packed: bool, tmp_path: Path
) -> None:
    line = {"r6a": R6A, "r6b": R6B}[version]
    whole = line.rstrip()
    cut = whole.rpartition(" |")[0]  # a pool that could have been so
    path = tmp_path / "log"
    for last, kept in ((cut, 1), (whole, 1), (f"{whole}\n", 2), (f"{whole}\r\n", 2)):
        text = (line + last).encode()
        path.write_bytes(gzip.compress(text) if packed else text)
        log = YahooLog([path], version, skip_malformed=True)  # type: ignore[arg-type]
        assert len(list(log.visits())) == kept
        assert log.skipped.lines == 2 - kept
    path.write_text(line + cut)
    with pytest.raises(GnomonError, match=r"log:2: .* the file may be cut there"):
        list(YahooLog([path], version).visits())  # type: ignore[arg-type]


def test_names_are_printable() -> None:
    for name in ("id-\0", "\x1b[2J"):
        with pytest.raises(Malformed, match="an article has a name of printable characters"):
            parse_visit(R6B.replace("id-560288", name), "r6b")


def test_r6a_is_not_r6b() -> None:
    with pytest.raises(Malformed, match=r"^a feature is an index, not '2:0.000012'"):
        parse_visit(R6A, "r6b")


@given(st.text(), st.sampled_from(["r6a", "r6b"]))
def test_any_text_is_a_visit_or_malformed(line: str, version: str) -> None:
    with suppress(Malformed):
        visit, _ = parse_visit(line, version)  # type: ignore[arg-type]
        assert visit.arm in visit.pool


_INDICES = st.integers(1, 200).map(str)
_VALUES = st.floats(-1e6, 1e6)


@given(
    head=st.tuples(st.integers(0, 2**33), st.sampled_from([0, 1])),
    user=st.fixed_dictionaries(dict.fromkeys("213456", _VALUES)),
    articles=st.dictionaries(
        _INDICES, st.fixed_dictionaries(dict.fromkeys("234561", _VALUES)), min_size=1
    ),
    shown=st.integers(0, 10**6),
    ending=st.sampled_from(["", "\n", "\r\n", " \n"]),
)
def test_what_is_written_is_read(
    head: tuple[int, int],
    user: dict[str, float],
    articles: dict[str, dict[str, float]],
    shown: int,
    ending: str,
) -> None:
    def words(features: dict[str, float]) -> str:
        return "".join(f" {name}:{value!r}" for name, value in features.items())

    time, click = head
    arm = list(articles)[shown % len(articles)]
    pool = " ".join(f"|{name}{words(features)}" for name, features in articles.items())
    visit, read = parse_visit(f"{time} {arm} {click} |user{words(user)} {pool}{ending}", "r6a")
    assert visit == Visit(arm, click, 1 / len(articles), tuple(user.items()), tuple(articles))
    assert read == tuple((name, tuple(features.items())) for name, features in articles.items())


@pytest.mark.parametrize("log_format", list(FORMATS))
def test_a_stand_in_is_read_as_it_was_drawn(log_format: str, tmp_path: Path) -> None:
    stand_in = STAND_INS[log_format](rounds=300, seed=5)
    log = open_log(write_stand_in(stand_in, tmp_path / "a"), log_format)
    drawn = list(stand_in.visits())
    assert list(log.visits()) == drawn
    assert list(log.visits()) == drawn  # a second reading is like the first
    assert any(visit.click for visit in drawn)
    again = write_stand_in(STAND_INS[log_format](rounds=300, seed=5), tmp_path / "b")
    assert again.read_bytes() == log.files[0].read_bytes()
    other = write_stand_in(STAND_INS[log_format](rounds=300, seed=6), tmp_path / "c")
    assert other.read_bytes() != again.read_bytes()
    assert open_log(tmp_path / "a", log_format).files == log.files  # by its folder


@pytest.mark.parametrize("skewed", [False, True])
def test_a_stand_in_shows_and_clicks_at_its_rates(skewed: bool) -> None:
    stand_in = OpenBanditStandIn(rounds=6000, seed=1, skewed=skewed)
    visits = list(stand_in.visits())
    for arm in ("0", "17", "33"):
        share = sum(visit.arm == arm for visit in visits) / len(visits)
        (expected,) = {visit.propensity for visit in visits if visit.arm == arm}
        assert share == pytest.approx(expected, abs=0.01)
    clicks = sum(visit.click for visit in visits)
    expected = sum(stand_in.click_rate(visit.user, visit.arm) for visit in visits)
    assert clicks == pytest.approx(expected, abs=4 * expected**0.5)
    assert (len({visit.propensity for visit in visits}) > 1) == skewed


def test_features_of_arms(tmp_path: Path) -> None:
    stand_in = OpenBanditStandIn(rounds=5)
    log = open_log(write_stand_in(stand_in, tmp_path), "open-bandit")
    assert log.arm_features == stand_in.item_features


def test_plain_files_and_days_in_order(tmp_path: Path) -> None:
    (tmp_path / "ydata-fp-td-clicks-v1_0.20090502").write_text(R6A.replace(" 0 |", " 1 |"))
    (tmp_path / "ydata-fp-td-clicks-v1_0.20090501.gz").write_bytes(gzip.compress(R6A.encode()))
    (tmp_path / "readme.txt").write_text("not a log")
    log = open_log(tmp_path, "yahoo-r6a")
    assert [visit.click for visit in log.visits()] == [0, 1]
    (tmp_path / "ydata-fp-td-clicks-v1_0.20090501").write_text(R6A)
    with pytest.raises(GnomonError, match=r"clicks-v1_0\.20090501 twice, plain and compressed$"):
        open_log(tmp_path, "yahoo-r6a")
    with pytest.raises(GnomonError, match=r"no file like ydata-fp-td-clicks-v2_0\.YYYYMMDD\.gz$"):
        open_log(tmp_path, "yahoo-r6b")


def test_a_wrong_line_has_its_place(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_text(R6A + "what?\n" + R6A + "\n")
    with pytest.raises(GnomonError) as caught:
        list(YahooLog([path], "r6a").visits())
    message = "must be a time, the article shown, a click and then |user, not 'what?'"
    assert str(caught.value) == f"{path}:2: {message}"
    log = YahooLog([path], "r6a", skip_malformed=True)
    assert len(list(log.visits())) == 2
    assert log.skipped.lines == 2
    assert log.skipped.first == f"{path}:2: {message}"
    assert len(list(log.visits())) == 2
    assert log.skipped.lines == 2  # of one reading


@pytest.mark.parametrize(
    ("find", "replace", "message"),
    [
        ("propensity_score", "pscore", "1: there is no column 'propensity_score'"),
        (",cefa,", ",cefa,,", "3: must have 9 columns, not 10"),
        ("\n1,t,1,", "\n1,t,9,", "3: item '9' is not in item_context.csv"),
        ("\n1,t,1,2", "\n1,t,1,4", "3: a position is 1, 2, 3, not '4'"),
        ("2,1,0.25", "2,x,0.25", "3: a click is 0 or 1, not 'x'"),
        ("2,1,0.25", "2,1,0.0", "3: a propensity is above 0, up to 1, not '0.0'"),
        ("2,1,0.25", "2,1,nan", "3: a propensity is above 0, up to 1, not 'nan'"),
        (",1.0\n", ",1.0", "3: the last line has no end of line, so the file may be cut there"),
    ],
)
def test_a_wrong_row_of_open_bandit(find: str, replace: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "item_context.csv").write_text(",item_id,item_feature_0,item_feature_1\n"
                                               "0,0,-0.5,aed7\n1,1,0.25,31af\n")  # fmt: skip
    path = tmp_path / "all.csv"
    text = (
        ",timestamp,item_id,position,click,propensity_score,user_feature_0,user_feature_1,"
        "user-item_affinity_0\n0,t,0,1,0,0.75,cefa,2d03,0.0\n1,t,1,2,1,0.25,cefa,f1c2,1.0\n"
    )
    path.write_text(text)
    log = open_log(tmp_path, "open-bandit")
    first, second = log.visits()
    assert first.user == (("position=1", 1.0), ("user_feature_0=cefa", 1.0),
                          ("user_feature_1=2d03", 1.0))  # fmt: skip
    assert second == Visit("1", 1, 0.25, (("position=2", 1.0), ("user_feature_0=cefa", 1.0),
                                          ("user_feature_1=f1c2", 1.0)), ("0", "1"))  # fmt: skip
    assert log.arm_features["0"] == (("item_feature_0", -0.5), ("item_feature_1=aed7", 1.0))
    assert find in text
    at = text.rindex(find)
    path.write_text(text[:at] + replace + text[at + len(find) :])
    with pytest.raises(GnomonError) as caught:
        list(open_log(path, "open-bandit").visits())
    assert str(caught.value).startswith(f"{path}:{message}")


def test_what_is_no_log(tmp_path: Path) -> None:
    with pytest.raises(GnomonError, match=r"no format 'yahoo' \(allowed: .*did you mean 'yahoo-"):
        open_log(tmp_path, "yahoo")
    with pytest.raises(GnomonError, match=r"gone: there is no such file or folder$"):
        open_log(tmp_path / "gone", "yahoo-r6a")
    with pytest.raises(GnomonError, match=r"holds no CSV file with item_context.csv next to it$"):
        open_log(tmp_path, "open-bandit")
    for campaign in ("men", "women"):
        (tmp_path / campaign).mkdir()
        (tmp_path / campaign / "item_context.csv").write_text("")
        (tmp_path / campaign / f"{campaign}.csv").write_text("")
    with pytest.raises(GnomonError, match=r"give one of men/men.csv, women/women.csv$"):
        open_log(tmp_path, "open-bandit")
    with pytest.raises(GnomonError, match=r"item_context.csv:1: there is no column 'item_id'$"):
        list(open_log(tmp_path / "men", "open-bandit").visits())


def test_a_file_that_is_cut_off(tmp_path: Path) -> None:
    path = write_stand_in(STAND_INS["yahoo-r6b"](rounds=200), tmp_path)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(GnomonError, match=r"is not a complete gzip file: "):
        list(open_log(path, "yahoo-r6b").visits())
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(GnomonError, match=r"is not UTF-8 text$"):
        list(open_log(path, "yahoo-r6b").visits())


def test_features_of_r6b_are_numbered_up_to_136() -> None:
    for name in ("0", "137", "9" * 5000):
        with pytest.raises(Malformed, match=r"^the user has feature .*, but they are 1 to 136$"):
            parse_visit(R6B.replace(" 11 ", f" {name} "), "r6b")


def test_a_line_without_end_is_refused(tmp_path: Path) -> None:
    """Plain and packed: 64 MiB of one line in little memory."""
    path = tmp_path / "log"
    for data in (b"x" * (3 << 20), gzip.compress(b"x" * (64 << 20))):
        path.write_bytes(data)
        for log_format in ("yahoo-r6a", "yahoo-r6b"):
            with pytest.raises(
                GnomonError,
                match=r"log:1: a line of a click log has fewer than 1,048,576 characters",
            ):
                list(open_log(path, log_format).visits())


def test_two_columns_of_one_name_are_refused(tmp_path: Path) -> None:
    (tmp_path / "item_context.csv").write_text("item_id,item_feature_0\n0,1\n")
    path = tmp_path / "all.csv"
    path.write_text("timestamp,item_id,position,click,propensity_score,click\nt,0,1,0,0.5,1\n")
    with pytest.raises(GnomonError, match=r"all.csv:1: there are two columns 'click'"):
        list(open_log(path, "open-bandit").visits())
