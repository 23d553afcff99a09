"""Server for the gdb remote protocol on loopback. A debugged run has the cycles of a plain run.

Source: "Debugging with GDB", appendix "Remote Protocol". Thread n is hart n - 1. If a peer sends
anything else, as a browser would, the server closes the connection.
"""

import select
import socket
import struct
import sys
from collections.abc import Callable, Iterator

from gnomon.base.errors import GnomonError
from gnomon.sim.debugged import DebugSession

_REGISTERS = 33  # x0 .. x31, pc
_PACKET_BYTES = 0x1000
_FEATURES = (
    '<?xml version="1.0"?><!DOCTYPE target SYSTEM "gdb-target.dtd"><target version="1.0">'
    '<architecture>riscv:rv32</architecture><feature name="org.gnu.gdb.riscv.cpu">'
    + "".join(f'<reg name="x{n}" bitsize="32" type="int32"/>' for n in range(_REGISTERS - 1))
    + '<reg name="pc" bitsize="32" type="code_ptr"/></feature></target>'
)
_INTERRUPT = b"\x03"
_BETWEEN = b"+-" + _INTERRUPT  # bytes allowed between packets
_TRAP, _INTERRUPTED = "T05", "T02"  # signals


def listen_for_gdb(port: int) -> Callable[[DebugSession], None]:
    """Listen on 127.0.0.1; return a function that waits for gdb and lets it control a run.

    If gdb detaches or the connection breaks, the run continues without gdb. Port 0 selects a free
    port; the server prints its number to stderr.

    Raises:
        GnomonError: if the port is unavailable. The returned function raises it if gdb kills the
            run.
    """
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(("127.0.0.1", port))
    except (OSError, OverflowError) as error:
        listener.close()
        raise GnomonError(f"--gdb {port}: cannot listen there: {error}") from None
    listener.listen(1)

    def debug(target: DebugSession) -> None:
        name = f"127.0.0.1:{listener.getsockname()[1]}"
        print(f"gnomon: waiting for gdb: target remote {name}", file=sys.stderr, flush=True)
        with listener:
            connection, _ = listener.accept()
        with connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            Session(target, connection).serve()

    return debug


class Session:
    """The exchange with gdb over one connection."""

    def __init__(self, target: DebugSession, connection: socket.socket) -> None:
        self._target, self._connection = target, connection
        self._received = b""
        self._acknowledged = True
        self._chosen = 0  # hart whose registers and memory gdb accesses
        self._stepped = 0
        self._signal = _TRAP  # of the last stop
        self._placed, self._lifted = set[int](), set[int]()  # breakpoints set; removed since

    def serve(self) -> None:
        """Answer packets until gdb detaches or disconnects.

        Raises:
            GnomonError: if gdb killed the run.
        """
        try:
            for packet in self._read_packets():
                if packet == "k":
                    raise GnomonError(f"gdb ended the run in cycle {self._target.cycle:,}")
                self._send(self._answer(packet))
                if packet.startswith("D"):
                    return
        except ConnectionError:
            if not self._target.ended:
                cycle = f"{self._target.cycle:,}"
                print(f"gnomon: no gdb in cycle {cycle}: the run continues", file=sys.stderr)

    def _read_packets(self) -> Iterator[str]:
        """Yield the bodies of packets; request a resend if a checksum is wrong."""
        while True:
            self._take_between()
            end = self._received.find(b"#")
            if end < 0 or len(self._received) < end + 3:
                self._receive()
                continue
            body, checksum = self._received[1:end], self._received[end + 1 : end + 3]
            self._received = self._received[end + 3 :]
            right = checksum.lower() == b"%02x" % (sum(body) % 256)
            if self._acknowledged:
                self._connection.sendall(b"+" if right else b"-")
            if right:
                yield body.decode("latin-1")

    def _receive(self) -> None:
        more = self._connection.recv(_PACKET_BYTES)
        if not more or len(self._received) > _PACKET_BYTES:
            raise ConnectionError
        self._received += more

    def _take_between(self) -> bytes:
        """Remove and return the bytes before the next packet."""
        packet = self._received.lstrip(_BETWEEN)
        found = self._received[: len(self._received) - len(packet)]
        if packet[:1] not in (b"", b"$"):
            raise ConnectionError
        self._received = packet
        return found

    def _send(self, text: str) -> None:
        body = text.encode("latin-1")
        self._connection.sendall(b"$%s#%02x" % (body, sum(body) % 256))

    def _is_interrupted(self) -> bool:
        """Return whether gdb requests a stop.

        Raises:
            ConnectionError: if gdb has disconnected.
        """
        if select.select([self._connection], [], [], 0)[0]:
            self._receive()
        if _INTERRUPT in self._take_between():
            self._signal = _INTERRUPTED
        return self._signal == _INTERRUPTED

    def _answer(self, packet: str) -> str:
        kind, rest = packet[:1], packet[1:]
        try:
            handlers: dict[str, Callable[[], str]] = {
                "?": lambda: self._report_stop(self._chosen), "D": lambda: "OK",
                "c": lambda: self._go(None, rest), "s": lambda: self._go(self._stepped, rest),
                "H": lambda: self._choose(rest), "T": lambda: self._check_alive(rest),
                "g": self._read_registers, "G": lambda: self._write_registers(rest),
                "p": lambda: self._read_register(rest), "P": lambda: self._write_register(rest),
                "m": lambda: self._read(rest), "M": lambda: self._write(rest),
                "Z": lambda: self._set_breakpoint(rest, there=True),
                "z": lambda: self._set_breakpoint(rest, there=False),
            }  # fmt: skip
            if kind in handlers:
                return handlers[kind]()
            return self._query(packet)
        except (ValueError, IndexError, struct.error):
            return "E01"

    def _query(self, packet: str) -> str:
        threads = range(1, self._target.harts + 1)
        if packet == "QStartNoAckMode":
            self._acknowledged = False
            return "OK"
        if packet.startswith("qXfer:features:read:target.xml:"):
            offset, size = (_parse_number(n) for n in packet.rpartition(":")[2].split(","))
            part = _FEATURES[offset : offset + size]
            return ("m" if offset + size < len(_FEATURES) else "l") + part
        if packet.startswith("qThreadExtraInfo,"):
            hart = self._parse_hart(packet.partition(",")[2])
            text = f"hart {hart}" + ", asleep" * self._target.asleep(hart)
            return text.encode().hex()
        if packet.startswith("qRcmd,"):
            command = bytes.fromhex(packet[6:]).decode("latin-1").strip()
            if command != "cycle":
                return b"monitor commands: cycle\n".hex()
            return f"{self._target.cycle}\n".encode().hex()
        if packet.startswith("vCont;"):
            # The answer waits for the hart that steps; all other harts run meanwhile.
            words = packet[6:].split(";")
            steps = [word for word in words if word[0] in "sS"]
            place = steps[0].partition(":")[2] if steps else ""
            if not steps and len(words) == 1 and ":" in words[0]:
                return self._go_alone(self._parse_hart(words[0].partition(":")[2]))
            return self._go(
                None if not steps else self._parse_hart(place) if place else self._chosen
            )
        fixed = {
            "qSupported": f"PacketSize={_PACKET_BYTES:x};qXfer:features:read+;QStartNoAckMode+;"
                          "vContSupported+",
            "vCont?": "vCont;c;C;s;S", "qC": f"QC{self._chosen + 1:x}", "qAttached": "1",
            "qfThreadInfo": "m" + ",".join(f"{n:x}" for n in threads), "qsThreadInfo": "l",
        }  # fmt: skip
        return fixed.get(packet.partition(":")[0], "")

    def _parse_hart(self, text: str) -> int:
        number = int(text, 16)
        if number in (-1, 0):
            return self._chosen
        if not 1 <= number <= self._target.harts:
            raise ValueError(text)
        return number - 1

    def _choose(self, rest: str) -> str:
        hart = self._parse_hart(rest[1:])
        if rest[0] == "g":
            self._chosen = hart
        else:
            self._stepped = hart
        return "OK"

    def _check_alive(self, rest: str) -> str:
        self._parse_hart(rest)
        return "OK"

    def _go_alone(self, hart: int) -> str:
        """Move one hart off a breakpoint that gdb removed, to the one that gdb set after it.

        Other harts could pass the removed breakpoint meanwhile. The hart has the next issue slot,
        so one issue moves it before the others.
        """
        if self._target.registers(hart)[-1] in self._lifted:
            answer = self._go(hart)
            if self._target.ended or self._target.registers(hart)[-1] in self._placed:
                return answer
        return self._go(None)

    def _go(self, hart: int | None, place: str = "") -> str:
        if place:
            return ""  # gdb then writes the pc
        self._lifted.clear()
        self._signal = _TRAP
        ended = self._target.ended
        return self._report_stop(0 if ended else self._target.go(hart, self._is_interrupted))

    def _report_stop(self, hart: int) -> str:
        if self._target.ended:
            code = self._target.exit_code
            return "X05" if code is None else f"W{code & 0xFF:02x}"
        self._chosen = self._stepped = hart
        return f"{self._signal}thread:{hart + 1:x};"

    def _read_registers(self) -> str:
        words = self._target.registers(self._chosen)
        return b"".join(word.to_bytes(4, "little") for word in words).hex()

    def _write_registers(self, rest: str) -> str:
        for number, value in enumerate(struct.unpack(f"<{_REGISTERS}I", bytes.fromhex(rest))):
            self._target.set_register(self._chosen, number, value)
        return "OK"

    def _read_register(self, rest: str) -> str:
        return self._target.registers(self._chosen)[_parse_number(rest)].to_bytes(4, "little").hex()

    def _write_register(self, rest: str) -> str:
        number, _, value = rest.partition("=")
        (word,) = struct.unpack("<I", bytes.fromhex(value))
        self._target.set_register(self._chosen, range(_REGISTERS)[_parse_number(number)], word)
        return "OK"

    def _read(self, rest: str) -> str:
        address, size = (_parse_number(n) for n in rest.split(","))
        return self._target.read(self._chosen, address, size).hex() or "E01"

    def _write(self, rest: str) -> str:
        place, _, data = rest.partition(":")
        address = _parse_number(place.partition(",")[0])
        return "OK" if self._target.write(self._chosen, address, bytes.fromhex(data)) else "E01"

    def _set_breakpoint(self, rest: str, *, there: bool) -> str:
        kind, address, _ = rest.split(",")
        if kind not in "01":
            return ""  # gdb then steps and compares
        at = _parse_number(address)
        if not self._target.set_breakpoint(at, there=there):
            return "E01"
        old, new = (self._lifted, self._placed) if there else (self._placed, self._lifted)
        old.discard(at)
        new.add(at)
        return "OK"


def _parse_number(text: str) -> int:
    """Return an unsigned hexadecimal number of the protocol.

    Raises:
        ValueError: if the text has another form.
    """
    if not text.isalnum():
        raise ValueError(text)
    return int(text, 16)
