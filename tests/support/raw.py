"""Raw sockets: bytes sent as they are, replies counted. For requests that no regular client sends."""
import socket
import time

from support.checks import Failure
from support.pace import SLOWER

QUIET_SECONDS = 0.25  # silence after which an open connection is considered complete
SECONDS = 60 * SLOWER  # for one call that sends or receives: ends a hanging test


class RawReply:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    @property
    def text(self):
        return self.body.decode(errors="replace")


class Raw:
    """with Raw(daemon.port) as c: c.send(...); c.reply()"""

    def __init__(self, port, address="127.0.0.1", seconds=SECONDS):
        self.socket = socket.create_connection((address, port), timeout=seconds)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.buffer = b""
        self.closed = False

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.socket.close()

    def close(self):
        self.socket.close()

    def send(self, data):
        """False if the daemon closed the connection before it had read everything."""
        try:
            self.socket.sendall(data if isinstance(data, bytes) else data.encode("latin-1"))
        except (BrokenPipeError, ConnectionResetError):
            return False
        return True

    def more(self):
        try:
            piece = self.socket.recv(65536)
        except ConnectionResetError:
            piece = b""
        if not piece:
            self.closed = True
        self.buffer += piece
        return bool(piece)

    def reply(self, method="GET"):
        """The next reply; a Failure when there is none."""
        while b"\r\n\r\n" not in self.buffer:
            if not self.more():
                raise Failure(f"the connection ended without a reply, after {self.buffer[:200]!r}")
        head, rest = self.buffer.split(b"\r\n\r\n", 1)
        lines = head.decode("latin-1").split("\r\n")
        status = int(lines[0].split()[1])
        headers = {line.split(":", 1)[0].lower(): line.split(":", 1)[1].strip() for line in lines[1:]}
        if status == 100:
            self.buffer = rest
            return RawReply(100, headers, b"")
        length = 0 if method == "HEAD" or status in (204, 304) else int(headers.get("content-length", "0"))
        while len(rest) < length:
            self.buffer = b""
            if not self.more():
                raise Failure(f"the reply's body ended after {len(rest)} of {length} bytes")
            rest += self.buffer
        self.buffer = rest[length:]
        return RawReply(status, headers, rest[:length])

    def replies(self, quiet=QUIET_SECONDS):
        """Every reply until the daemon closes or is quiet."""
        self.socket.settimeout(quiet)
        try:
            while self.more():
                pass
        except (TimeoutError, socket.timeout):
            pass
        out = []
        while self.buffer.startswith(b"HTTP/1."):
            out.append(self.reply())
        if self.buffer:
            raise Failure(f"bytes that are no reply: {self.buffer[:200]!r}")
        return out

    def ends(self, seconds=SECONDS):
        """Seconds until the daemon closes the connection; a Failure if it does not within `seconds`."""
        start = time.monotonic()
        self.socket.settimeout(seconds)
        try:
            while self.more():
                pass
        except (TimeoutError, socket.timeout):
            raise Failure(f"the connection is still open after {seconds} s") from None
        return time.monotonic() - start


def request(method, path, body=None, headers=(), host="localhost", version="HTTP/1.1"):
    """The bytes of a request. headers: (name, value) pairs; a body brings its Content-Length; host None leaves Host out."""
    lines = [f"{method} {path} {version}"]
    if host is not None:
        lines.append(f"Host: {host}")
    lines += [f"{name}: {value}" for name, value in headers]
    data = b"" if body is None else body if isinstance(body, bytes) else body.encode()
    if body is not None:
        lines.append(f"Content-Length: {len(data)}")
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1") + data


def ask(port, method, path, body=None, headers=(), **options):
    """One request on a connection of its own."""
    with Raw(port) as connection:
        connection.send(request(method, path, body, headers, **options))
        return connection.reply(method)
