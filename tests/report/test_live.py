"""A run as a page: the file that ``--html`` writes, and ``gnomon live`` with its sliders."""

from __future__ import annotations

import http.client
import json
import signal
import socket
import struct
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest
from typer.testing import CliRunner

from gnomon.cli.app import app
from gnomon.report.live import Live
from gnomon.report.run_page import run_page
from tests.commands import gnomon
from tests.report.browser import TOO_WIDE, opened

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser

SOURCE = Path(__file__).parents[2] / "examples" / "c" / "fir.c"
ARCH = ("--arch", "t13-simd4")


def command(*words: str) -> Any:
    shown = CliRunner().invoke(app, [*words, "--json"], catch_exceptions=False)
    return json.loads(shown.stdout)


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    line = [sys.executable, "-m", "gnomon", "live", str(SOURCE), *ARCH, "--json"]
    # Where a shell ignores Ctrl-C for what it runs in the background, its children would, too.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    server = subprocess.Popen(line, stdout=subprocess.PIPE, text=True)
    signal.signal(signal.SIGINT, before)
    with server:
        assert server.stdout is not None
        try:
            yield json.loads(server.stdout.readline())["url"]
            server.send_signal(signal.SIGINT)
            assert server.wait(30) == 0
        finally:
            server.kill()


def status(address: str, method: str = "GET", **headers: str) -> int:
    parts = urlsplit(address)
    connection = http.client.HTTPConnection(parts.netloc, timeout=60)
    connection.request(method, f"{parts.path}?{parts.query}", headers=headers)
    return connection.getresponse().status


def test_only_who_has_the_address_is_answered(address: str) -> None:
    root = address.rsplit("/", 2)[0]
    assert status(address) == 200
    assert status(f"{address}view?vcu.simd=8") == 200
    assert status(f"{root}/") == 403
    assert status(f"{root}/{'x' * 32}/") == 403
    assert status(f"{root}/{'x' * 32}/view") == 403
    assert status(address, Host="gnomon.example") == 403
    assert status(address, Host=f"gnomon.example:{urlsplit(address).port}") == 403
    assert status(f"{address}../secret") == 404
    assert status(address, "POST") == 501


def test_a_view_is_what_the_command_line_says(address: str) -> None:
    parts = urlsplit(address)
    connection = http.client.HTTPConnection(parts.netloc, timeout=60)
    connection.request("GET", f"{parts.path}view?vcu.simd=8")
    view = json.loads(connection.getresponse().read())
    wider = command("why", str(SOURCE), *ARCH, "--set", "vcu.simd=8", "--no-what-if")
    assert view["wall_cycles"] == wider["wall_cycles"]
    assert [part["cycles"] for part in view["stack"]] == [part["cycles"] for part in wider["stack"]]


def test_it_listens_on_loopback_alone(address: str) -> None:
    port = urlsplit(address).port
    assert port is not None
    others = {each[4][0] for each in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)}
    for other in others - {"127.0.0.1"}:
        with socket.socket() as outside:
            outside.settimeout(5)
            assert outside.connect_ex((other, port)) != 0, other


def test_what_no_slider_has_is_refused(address: str) -> None:
    parts = urlsplit(address)
    connection = http.client.HTTPConnection(parts.netloc, timeout=60)
    for query in ("vcu.simd=3", "core.latency=none", "memory.data.waits=1&source=x"):
        connection.request("GET", f"{parts.path}view?{query}")
        told = json.loads(connection.getresponse().read())
        assert told == {"error": "no slider of the page has this value"}


@pytest.mark.heavy("browser")
def test_sliders_say_what_the_command_line_says(browser: Browser, address: str) -> None:
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.set_default_timeout(120_000)
    asked: list[str] = []
    told: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: told.append(str(error)))
    page.goto(address, wait_until="load")
    here = command("why", str(SOURCE), *ARCH)
    assert page.locator("#headline").inner_text() == f"{here['wall_cycles']:,} wall cycles"
    page.locator("#stack rect").nth(1).hover()
    part = here["stack"][1]
    assert page.locator("#tip").inner_text().startswith(f"{part['heading']}: {part['cycles']:,} ")
    with page.expect_response(lambda answer: "/retime?" in answer.url) as retimed:
        page.locator("input[name='vcu.simd']").press("ArrowRight")
    page.get_by_text("by a run").wait_for()
    wider = command("why", str(SOURCE), *ARCH, "--set", "vcu.simd=8")
    assert retimed.value.json() == {"cycles": wider["what_if"]["cycles"]}
    assert page.locator("#headline").inner_text() == f"{wider['wall_cycles']:,} wall cycles"
    page.locator("input[name='memory.data.waits']").press("ArrowRight")
    both = command("why", str(SOURCE), *ARCH, "--set", "vcu.simd=8", "--set", "memory.data.waits=1",
                   "--no-what-if")  # fmt: skip
    page.get_by_text(f"{both['wall_cycles']:,} wall cycles, by a run").wait_for()
    assert page.locator("#energy").inner_text() == "not known"
    assert not told
    assert all(each.startswith(address) for each in asked if not each.startswith("data:"))
    page.close()


@pytest.mark.heavy("browser")
@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_file_is_whole_without_a_network(
    browser: Browser, why: Path, width: int, scheme: str
) -> None:
    with opened(browser, why, width, scheme) as page:
        assert page.evaluate("document.documentElement.scrollWidth") == width
        assert page.evaluate(TOO_WIDE) == []
        picture = page.locator("#stack svg").bounding_box()
        assert picture is not None
        assert picture["y"] < 250  # the first screen has it
        page.locator("#timeline rect").first.hover()
        assert "of its turns used" in page.locator("#tip").inner_text()
        assert page.locator("#source tr.hot").count()
        assert page.locator("#gains tbody tr").count() >= 3


def test_run_writes_the_same_page_without_gains(tmp_path: Path) -> None:
    file = tmp_path / "run.html"
    told = command("run", str(SOURCE), *ARCH, "--html", str(file))
    assert f"{told['exit_cycle'] + 1:,} wall cycles" in file.read_text("utf-8")
    again = file.read_bytes()
    command("run", str(SOURCE), *ARCH, "--html", str(file))
    assert file.read_bytes() == again


def test_a_source_cannot_end_the_script() -> None:
    text = "</script><script>alert(1)</script>"
    view = {"program": text, "arch": "t13", "wall_cycles": 1, "limit": text, "files": [text]}
    assert "<script>alert" not in run_page(view)


def test_a_taken_port_is_said() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        done = gnomon("live", str(SOURCE), *ARCH, "--port", str(port))
    assert done.returncode == 2
    assert done.stderr.startswith(f"gnomon: --port {port}: ")


@pytest.mark.parametrize(
    "sent",
    [b"GET x HTTP/1.1", b"GET //[ HTTP/1.1", b"GET  HTTP/1.1", b"\0\xff", b"GET /\xe9/ HTTP/1.0"],
)
def test_what_is_no_address_is_refused(sent: bytes, capfd: pytest.CaptureFixture[str]) -> None:
    server = Live("", {}, {}).server(0)
    threading.Thread(target=server.serve_forever, args=(0.01,)).start()
    try:
        with socket.create_connection(server.server_address[:2], timeout=20) as port:
            port.sendall(sent + b"\r\n\r\n")
            answer = b"".join(iter(lambda: port.recv(1 << 16), b""))
            assert b"refused" in answer or b"400" in answer
        with socket.create_connection(server.server_address[:2], timeout=20) as port:
            port.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            port.sendall(b"GET / HT")  # and gone: a reset
    finally:
        server.shutdown()
        server.server_close()
    assert capfd.readouterr().err == ""
