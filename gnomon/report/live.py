"""Live page: served on loopback, to clients with the token in its address only.

A page of another site cannot read it: such a page lacks the token, and browsers withhold responses
from it. It cannot reach the server under another name, because the Host must be loopback. The page
requests only resources of this server.
"""

import json
import secrets
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from gnomon.base.errors import GnomonError

LOOPBACK = "127.0.0.1"
Answering = Callable[[Sequence[str]], Mapping[str, Any]]
"""Function from settings, ``KEY=VALUE`` each, to JSON-compatible data."""

_MOST_QUERY = 2_000
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; script-src"
    " 'unsafe-inline'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none';"
    " frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}


@dataclass
class Live:
    """Page and the data that it requests."""

    page: str  # the HTML
    knobs: Mapping[str, Sequence[str]]  # keys with their allowed values
    answers: Mapping[str, Answering]  # functions by the last part of the address
    # part of the address; requests without it are rejected
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24))

    def server(self, port: int) -> ThreadingHTTPServer:
        """Return a server that listens on loopback; port 0 selects a free port.

        Raises:
            GnomonError: if the port is unavailable.
        """
        try:
            return _Server((LOOPBACK, port), _handler(self))
        except (OSError, OverflowError) as error:
            raise GnomonError(f"--port {port}: {error}") from None

    def settings(self, query: str) -> list[str]:
        """Return the settings of a query.

        Raises:
            GnomonError: if no slider has the key or the value.
        """
        found = parse_qsl(query[:_MOST_QUERY], keep_blank_values=True)
        for key, value in found:
            if value not in self.knobs.get(key, ()):
                raise GnomonError("no slider of the page has this value")
        return [f"{key}={value}" for key, value in found]


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *request: Any) -> None:
        """Ignore clients that disconnect early; report any other error."""
        if not isinstance(sys.exception(), ConnectionError | TimeoutError):
            super().handle_error(*request)


def _handler(live: Live) -> type[BaseHTTPRequestHandler]:
    lock = Lock()  # one run at a time

    class Handler(BaseHTTPRequestHandler):
        timeout = 60
        server_version, sys_version = "gnomon", ""

        def do_GET(self) -> None:
            try:
                address = urlsplit(self.path)
            except ValueError:
                address = urlsplit("")
            token, _, what = address.path.removeprefix("/").partition("/")
            if not self._is_here() or not secrets.compare_digest(
                token.encode(), live.token.encode()
            ):
                self._send(HTTPStatus.FORBIDDEN, "text/plain", "refused")
            elif what == "":
                self._send(HTTPStatus.OK, "text/html", live.page)
            elif what in live.answers:
                self._answer(live.answers[what], address.query)
            else:
                self._send(HTTPStatus.NOT_FOUND, "text/plain", "nothing is here")

        def _is_here(self) -> bool:
            """Return whether the request names the server by its own address."""
            port = self.connection.getsockname()[1]
            return self.headers.get_all("Host") in ([f"{LOOPBACK}:{port}"], [f"localhost:{port}"])

        def _answer(self, answering: Answering, query: str) -> None:
            try:
                with lock:
                    answer = answering(live.settings(query))
            except GnomonError as error:
                answer = {"error": str(error)}
            self._send(HTTPStatus.OK, "application/json", json.dumps(answer))

        def _send(self, status: HTTPStatus, kind: str, text: str) -> None:
            body = text.encode()
            self.send_response(status)
            for name, value in _HEADERS.items():
                self.send_header(name, value)
            self.send_header("Content-Type", f"{kind}; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    return Handler
