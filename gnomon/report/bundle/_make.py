"""Make a bundle: run, record what is read, and prove that a copy of it gives the same results."""

import re
import sys
import sysconfig
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir

from gnomon.base.cache import cache_root
from gnomon.base.content import PROJECT_FILE, content_root, find, found, project_folder
from gnomon.base.errors import GnomonError
from gnomon.base.files import read_bytes, write_file
from gnomon.base.yaml import read_file, strip_lines
from gnomon.report.bundle._archive import RESULTS, Bundle, BundledRun, check_options, parse_bundle
from gnomon.report.bundle._runs import find_versions, read_results, run_command, run_in
from gnomon.report.study_file import read_study

_PACKAGE = Path(__file__).resolve().parents[2]
_SHIPPED = ("arch", "kernels", "algorithms", "units", "devices", "models", "rtl_tests", "reports")
_RECORDER = "gnomon.report.bundle._recorder"
_SYSTEM = ("/usr", "/etc", "/lib", "/lib64", "/proc", "/sys", "/dev", "/opt")
_HIDDEN = re.compile(r"/\.(cache|config|local|matplotlib)(/|$)")
_MOST_BYTES = 64 << 20  # of one input


def make_bundle(source: str, out: Path, options: Sequence[str] = ()) -> Bundle:
    """Run a sweep, a deployment, a folder of them or a study, and write its bundle.

    Files that the commands read below the current folder are packed; what gnomon ships is not. The
    commands then run again on a copy of these files alone.

    Args:
        source: a sweep or deployment file, a folder of them, or the name of a study.
        out: the archive to write.
        options: of the study.

    Raises:
        GnomonError: if a command fails, reads a file that cannot be packed, or gives other bytes
            in the copy.
    """
    root = Path.cwd()
    runs = _list_runs(source, root, tuple(options))
    names = [each.name for each in runs]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise GnomonError(f"{source}: two files have the name {twice!r}; rename one of them")
    with TemporaryDirectory() as work:
        first, copy = Path(work) / "first", Path(work) / "copy"
        (first / RESULTS).mkdir(parents=True)
        copy.mkdir()
        inputs = _record(root, runs, first)
        results = read_results(first)
        again = run_in(copy, inputs, runs)
    differing = sorted(name for name in {*results, *again} if results.get(name) != again.get(name))
    if differing:
        raise GnomonError(
            f"{RESULTS}/{differing[0]} differs if only the recorded inputs are there; one of them"
            " is outside of the current folder, or the result is not deterministic"
        )
    bundle = Bundle(runs, find_versions(), inputs, results)
    data = bundle.to_bytes()
    parse_bundle(data, out)  # or `gnomon report verify` would reject it
    write_file(out, data)
    return bundle


def _list_runs(source: str, root: Path, options: tuple[str, ...]) -> tuple[BundledRun, ...]:
    path = Path(source)
    if path.is_dir() or path.is_file():
        if options:
            raise GnomonError("--options are those of a study; a file holds all its settings")
        files = sorted(path.rglob("*.yaml")) if path.is_dir() else [path]
        runs = tuple(run for file in files if (run := run_of_file(file, root)) is not None)
        if not runs:
            raise GnomonError(
                f"{source}: no sweep and no deployment (has axes, requests or stages)"
            )
        return runs
    if path.suffix in (".yaml", ".yml") or "/" in source:
        raise GnomonError(f"{source}: no such file or folder")
    if source not in found("reports"):
        find("reports", source)  # says which studies there are
    try:
        check_options(options)
    except ValueError as error:
        raise GnomonError(f"--options must not hold {error}: the bundle sets it") from None
    group = read_study(found("reports")[source]).command
    return (BundledRun(source, "study", source, group, options),)


def run_of_file(file: Path, root: Path) -> BundledRun | None:
    """Return the run of a file, or None for another kind of file."""
    try:
        tree = strip_lines(read_file(file, "sweep or deployment")[0])
    except GnomonError:
        return None
    deployed = "requests" in tree or "stages" in tree
    kind = "sweep" if "axes" in tree else "deployment" if deployed else None
    if kind is None:
        return None
    what = _below(file, root)
    if not what.isprintable() or what.startswith("-") or file.stem in (".", ".."):
        raise GnomonError(f"{what!r} cannot be the name of a file in a bundle; rename it")
    return BundledRun(file.stem, kind, what)


def _below(file: Path, root: Path) -> str:
    """Return a path relative to the current folder.

    Raises:
        GnomonError: if it lies outside.
    """
    whole = file.absolute()
    if not whole.is_relative_to(root) or ".." in file.parts:
        raise GnomonError(
            f"{file}: outside of the current folder; run the command in a folder that holds all"
            " inputs"
        )
    return whole.relative_to(root).as_posix()


def _record(root: Path, runs: Sequence[BundledRun], folder: Path) -> dict[str, bytes]:
    """Run the commands in the current folder, and return the files that they read by path."""
    inputs = dict[str, bytes]()
    marker = (project_folder() or root) / PROJECT_FILE
    if marker.is_file():
        inputs[_below(marker, root)] = read_bytes(marker, _MOST_BYTES)
    for each in runs:
        listed = folder / "read.txt"
        # Results go next to the list; one process, so that none reads unseen.
        words = [part.replace("../", f"{folder}/") if part.startswith(f"../{RESULTS}/") else part
                 for part in each.command]  # fmt: skip
        alone = ["--jobs", "1"] if each.kind == "sweep" else []
        run_command(["-m", _RECORDER, str(listed), *words, *alone], root, each)
        for path in _read_files(listed, root, folder):
            name = path.relative_to(root).as_posix()
            if not name.isprintable():
                raise GnomonError(f"{name!r} cannot be the name of a file in a bundle; rename it")
            inputs[name] = read_bytes(path, _MOST_BYTES)
    return inputs


def _read_files(listed: Path, root: Path, folder: Path) -> Iterator[Path]:
    """Yield the recorded files below the current folder that gnomon does not ship.

    Raises:
        GnomonError: if a file is neither below the current folder nor of the installation.
    """
    shipped = [_PACKAGE, *(content_root() / name for name in _SHIPPED)]
    places = {sys.prefix, sys.base_prefix, *sysconfig.get_paths().values(), *_SYSTEM}
    installed = [Path(each) for each in places if not root.is_relative_to(each)]  # not /opt/mine
    apart = [cache_root().resolve(), folder, *installed, *shipped]
    for line in listed.read_text(encoding="utf-8").splitlines():
        path = Path(line.replace("\0", "\n"))
        if path.parent.name == "__pycache__":
            path = path.parent.parent / (path.name.partition(".")[0] + ".py")
        if not path.is_file() or any(path.is_relative_to(each) for each in apart):
            continue
        if path.is_relative_to(root):
            if ".git" not in path.parts:
                yield path
        elif not (path.is_relative_to(gettempdir()) or _HIDDEN.search(str(path))):
            raise GnomonError(
                f"{path}: is read by the command and outside of the current folder; run the command"
                " in a folder that holds all inputs"
            )
