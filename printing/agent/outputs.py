"""Outputs to a printer: the network, a device of this computer, or a file."""

import os
import select
import socket
import stat
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

if sys.platform != "win32":
    import fcntl
    import termios
    import tty

CONNECT_SECONDS = 4.0
STALL_SECONDS = 20.0
"""A printer with a full buffer that accepts nothing for this long is stuck."""
ANSWER_SECONDS = 1.0
_SLICE = 4096


class NothingSent(Exception):
    """Raised when certainly no byte has reached the printer."""


class ConnectionBroken(Exception):
    """Raised when a part may be printed."""


class Connection(Protocol):
    def send(self, data: bytes) -> None:
        """Raises ConnectionBroken."""

    def drain(self) -> None:
        """Wait until the other side has received everything. Raises ConnectionBroken."""

    def read_byte(self) -> int | None: ...


class Output(Protocol):
    can_answer: bool
    """Whether the status can be queried."""

    def connect(self) -> Any:
        """Return a context manager with a Connection. Raises NothingSent."""


class Network:
    can_answer = True

    def __init__(self, host: str, port: int) -> None:
        self.host, self.port = host, port

    @contextmanager
    def connect(self) -> Iterator[Connection]:
        try:
            wire = socket.create_connection((self.host, self.port), CONNECT_SECONDS)
        except OSError as failed:
            raise NothingSent(f"{self.host}:{self.port}: {failed}") from None
        with wire:
            yield _Socket(wire)
            _wait_until_sent(wire)


class _Socket:
    def __init__(self, wire: socket.socket) -> None:
        self.wire = wire

    def send(self, data: bytes) -> None:
        self.wire.settimeout(STALL_SECONDS)
        try:
            for start in range(0, len(data), _SLICE):
                self.wire.sendall(data[start : start + _SLICE])
        except OSError as failed:
            raise ConnectionBroken(str(failed) or type(failed).__name__) from None

    def drain(self) -> None:
        """Wait until our own buffers are empty. Only Linux reports how much is in them."""
        if sys.platform != "linux":
            return
        until = time.monotonic() + STALL_SECONDS
        while _unsent(self.wire):
            if error := self.wire.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR):
                raise ConnectionBroken(os.strerror(error))
            if time.monotonic() > until:
                raise ConnectionBroken("the printer stopped accepting data")
            time.sleep(0.01)

    def read_byte(self) -> int | None:
        self.wire.settimeout(ANSWER_SECONDS)
        try:
            got = self.wire.recv(1)
        except OSError:
            return None
        return got[0] if got else None


def _wait_until_sent(wire: socket.socket) -> None:
    """Wait until the printer has received everything: an early close would discard it."""
    try:
        wire.shutdown(socket.SHUT_WR)
        wire.settimeout(ANSWER_SECONDS)
        while wire.recv(_SLICE):
            pass
    except OSError:
        return


def _unsent(wire: socket.socket) -> int:
    answer = fcntl.ioctl(wire.fileno(), termios.TIOCOUTQ, b"\0\0\0\0")
    return int.from_bytes(answer, sys.byteorder)


class Device:
    """A character device: a serial line, or a USB printer on Linux."""

    def __init__(self, find: Callable[[], str], baud: int = 0, can_answer: bool = True) -> None:
        self.find, self.baud, self.can_answer = find, baud, can_answer

    @contextmanager
    def connect(self) -> Iterator[Connection]:
        try:
            name = self.find()
            flags = os.O_RDWR | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
            handle = _opened_device(name, flags)
        except OSError as failed:
            raise NothingSent(str(failed)) from None
        try:
            if self.baud:
                _set_serial_mode(handle, self.baud)
            yield _DeviceHandle(handle)
        finally:
            os.close(handle)


class _DeviceHandle:
    def __init__(self, handle: int) -> None:
        self.handle = handle

    def send(self, data: bytes) -> None:
        left = memoryview(data)
        last = time.monotonic()
        while left:
            _, ready, _ = select.select([], [self.handle], [], 1.0)
            try:
                written = os.write(self.handle, left[:_SLICE]) if ready else 0
            except BlockingIOError:
                written = 0
            except OSError as failed:
                raise ConnectionBroken(str(failed)) from None
            left = left[written:]
            last = time.monotonic() if written else last
            if time.monotonic() - last > STALL_SECONDS:
                raise ConnectionBroken("the printer stopped accepting data")

    def drain(self) -> None:
        if os.isatty(self.handle):
            termios.tcdrain(self.handle)

    def read_byte(self) -> int | None:
        ready, _, _ = select.select([self.handle], [], [], ANSWER_SECONDS)
        try:
            got = os.read(self.handle, 1) if ready else b""
        except OSError:
            return None
        return got[0] if got else None


class File:
    """Appends to a file; a device path is written to directly."""

    can_answer = False

    def __init__(self, path: Path) -> None:
        self.path = path

    @contextmanager
    def connect(self) -> Iterator[Connection]:
        try:
            if _is_device(str(self.path)):
                handle = _opened_device(str(self.path), os.O_WRONLY)
            else:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                handle = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o640)
        except OSError as failed:
            raise NothingSent(str(failed)) from None
        try:
            yield _FileHandle(handle)
        finally:
            os.close(handle)


class _FileHandle:
    def __init__(self, handle: int) -> None:
        self.handle = handle

    def send(self, data: bytes) -> None:
        try:
            left = memoryview(data)
            while left:
                left = left[os.write(self.handle, left) :]
            if stat.S_ISREG(os.fstat(self.handle).st_mode):
                os.fsync(self.handle)
        except OSError as failed:
            raise ConnectionBroken(str(failed)) from None

    def drain(self) -> None:
        return

    def read_byte(self) -> int | None:
        return None


def usb_device(vendor: str, product: str) -> str:
    """Return the device of a USB printer by vendor and product id, such as 04b8 and 0202."""
    ids = (_hex(vendor), _hex(product))
    for found in sorted(Path("/sys/class/usbmisc").glob("lp*")):
        usb = (found / "device").resolve().parent
        try:
            has = tuple(_hex((usb / name).read_text()) for name in ("idVendor", "idProduct"))
        except (OSError, ValueError):
            continue
        if has == ids:
            return f"/dev/usb/{found.name}"
    raise FileNotFoundError(f"USB printer {ids[0]:04x}:{ids[1]:04x} is not connected")


def create_output(settings: Mapping[str, Any], files: Path) -> Output:
    """Create the output from the server's settings. Raises ValueError with a sentence for people.

    The path is limited to a device or a file in the folder `files`, so that a portal user who may
    change a printer cannot write to other files of this computer.
    """
    match settings.get("kind"):
        case "network":
            return Network(str(settings["host"]), int(settings.get("port") or 9100))
        case "usb":
            vendor, product = str(settings["vendor"]), str(settings["product"])
            return Device(lambda: usb_device(vendor, product))
        case "serial":
            device = str(settings["device"])
            if not _is_device(device):
                raise ValueError(f"{device} is not a device of this computer, such as /dev/ttyUSB0")
            return Device(lambda: device, int(settings.get("baud") or 9600))
        case "file":
            path = str(settings["path"])
            return File(Path(path) if _is_device(path) else files / (Path(path).name or "tickets"))
    raise ValueError(f"this agent does not support the output {settings.get('kind')!r}")


def _is_device(path: str) -> bool:
    return os.path.normpath(path).startswith("/dev/")


def _opened_device(path: str, flags: int) -> int:
    """Open a character device. Raises NothingSent for anything else.

    /dev also has disks and files, which an agent that runs as root must not write to.
    """
    if not stat.S_ISCHR(Path(path).stat().st_mode):
        raise NothingSent(f"{path} is not a character device")
    handle = os.open(path, flags)
    if not stat.S_ISCHR(os.fstat(handle).st_mode):  # it was replaced in the meantime
        os.close(handle)
        raise NothingSent(f"{path} is not a character device")
    return handle


def _hex(text: str) -> int:
    return int(text.strip().lower().removeprefix("0x"), 16)


def _set_serial_mode(handle: int, baud: int) -> None:
    """Eight bits, no parity, no translation."""
    if sys.platform == "win32":
        raise NothingSent("serial printers work only on Linux and macOS")
    speed = getattr(termios, f"B{baud}", None)
    if speed is None:
        raise NothingSent(f"{baud} is not a valid serial speed")
    try:
        tty.setraw(handle)
        settings = termios.tcgetattr(handle)
        settings[4] = settings[5] = speed
        termios.tcsetattr(handle, termios.TCSANOW, settings)
    except termios.error as failed:
        raise NothingSent(str(failed)) from None
