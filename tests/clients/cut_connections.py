"""A proxy that breaks connections at random moments, between a client and the service."""

import contextlib
import random
import socket
import threading
from urllib.parse import urlsplit


class CuttingProxy:
    """Passes bytes on. `cut` closes all open connections, some in the middle of a response."""

    def __init__(self, target: str) -> None:
        parts = urlsplit(target)
        self._target = (parts.hostname, parts.port)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()
        self.cuts = 0
        self.most_bytes: int | None = None
        """Close a connection after this number of bytes of its response."""
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    @property
    def connected(self) -> bool:
        return bool(self._open)

    def cut(self) -> None:
        with self._lock:
            broken, self._open = self._open, set()
        self.cuts += bool(broken)
        for one in broken:
            _close(one)

    def cut_next_response(self) -> None:
        self.most_bytes = random.randrange(1, 40_000)

    def close(self) -> None:
        self._listener.close()
        self.cut()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            far = socket.create_connection(self._target)
            with self._lock:
                self._open |= {near, far}
            for one, other, answers in ((near, far, False), (far, near, True)):
                arguments = (one, other, answers)
                threading.Thread(target=self._copy, args=arguments, daemon=True).start()

    def _copy(self, source: socket.socket, sink: socket.socket, answers: bool) -> None:
        passed = 0
        try:
            while data := source.recv(16 * 1024):
                if answers and self.most_bytes is not None:
                    left = self.most_bytes - passed
                    if len(data) >= left:
                        sink.sendall(data[: max(left, 0)])
                        self.most_bytes = None
                        self.cuts += 1
                        break
                sink.sendall(data)
                passed += len(data)
        except OSError:
            pass
        for one in (source, sink):
            _close(one)
            with self._lock:
                self._open.discard(one)


def _close(one: socket.socket) -> None:
    with contextlib.suppress(OSError):
        one.shutdown(socket.SHUT_RDWR)
    one.close()
