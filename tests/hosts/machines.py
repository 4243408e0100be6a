"""Machines for tests: network namespaces, or addresses of the loopback network.

In a namespace a process sees only its own loopback network: two web servers can have the same port,
and nothing is reached that was not named. `reach` makes the shared servers (PostgreSQL, Valkey, the
networks) reachable there, at the same address as here. Namespaces need Linux and root; without them
a machine is an address of its own, and the ports are shared.
"""

import asyncio
import ctypes
import os
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path

CHUNK = 64 * 1024
HOLDER = 'hostname "$0" && ip link set lo up && echo ready && exec sleep infinity'
PROGRAMS = ("unshare", "nsenter", "ip", "hostname")


class Machine:
    """An address of the loopback network."""

    forwarder: "Forwarder"

    def __init__(self, name: str, address: str) -> None:
        self.name, self.address = name, address

    def command(self, arguments: Sequence[str]) -> list[str]:
        return list(arguments)

    def new_socket(self) -> socket.socket:
        return socket.socket()

    def connect(self, port: int, seconds: float) -> socket.socket:
        made = self.new_socket()
        made.settimeout(seconds)
        try:
            made.connect((self.address, port))
        except BaseException:
            made.close()
            raise
        return made

    @property
    def namespaces(self) -> list[str]:
        """The files to enter them by."""
        return []

    def reach(self, ports: Sequence[int]) -> None:
        """Everything on 127.0.0.1 is reached from here already."""

    def close(self) -> None:
        pass


class NamespaceMachine(Machine):
    """A network namespace and a host name of its own, for as long as its first process lives."""

    def __init__(self, name: str) -> None:
        super().__init__(name, "127.0.0.1")
        self._holder = subprocess.Popen(
            ["unshare", "--net", "--uts", "sh", "-c", HOLDER, name],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        stdout = self._holder.stdout
        if stdout is None or stdout.readline() != b"ready\n":
            self.close()
            raise OSError("network namespaces are not permitted here")

    @property
    def namespaces(self) -> list[str]:
        return [f"/proc/{self._holder.pid}/ns/{kind}" for kind in ("net", "uts")]

    def command(self, arguments: Sequence[str]) -> list[str]:
        net, uts = self.namespaces
        return ["nsenter", f"--net={net}", f"--uts={uts}", "--", *arguments]

    def new_socket(self) -> socket.socket:
        """A socket belongs to the namespace of the thread that makes it, also later."""
        here = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
        try:
            enter(self.namespaces[0])
            return socket.socket()
        finally:
            _set_namespace(here)
            os.close(here)

    def reach(self, ports: Sequence[int]) -> None:
        for port in ports:
            listening = self.new_socket()
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind(("127.0.0.1", port))
            listening.listen(128)
            self.forwarder.add(listening, port)

    def close(self) -> None:
        self._holder.kill()
        self._holder.wait()
        if self._holder.stdout is not None:
            self._holder.stdout.close()


class Forwarder:
    """Carries connections from the machines to the servers of this process's network."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    def add(self, listening: socket.socket, port: int) -> None:
        async def carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            with suppress(OSError, asyncio.CancelledError):
                there, to_there = await asyncio.open_connection("127.0.0.1", port)
                await asyncio.gather(_copy(reader, to_there), _copy(there, writer))
            writer.close()

        started = asyncio.start_server(carry, sock=listening)
        asyncio.run_coroutine_threadsafe(started, self._loop).result(10)

    def close(self) -> None:
        asyncio.run_coroutine_threadsafe(self._cancel_all(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)

    async def _cancel_all(self) -> None:
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while data := await reader.read(CHUNK):
            writer.write(data)
            await writer.drain()
    with suppress(OSError):
        writer.close()


def enter(namespace: str) -> None:
    """Move this thread there."""
    number = os.open(namespace, os.O_RDONLY)
    try:
        _set_namespace(number)
    finally:
        os.close(number)


def _set_namespace(number: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.setns(number, 0) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


@contextmanager
def two_machines(names: tuple[str, str], ports: Sequence[int]) -> Iterator[list[Machine]]:
    """Both reach these ports of 127.0.0.1. Namespaces if they are permitted."""
    forwarder = Forwarder()
    machines: list[Machine] = []
    try:
        machines += _namespaces(names) or [
            Machine(name, f"127.0.0.{number}") for number, name in enumerate(names, 2)
        ]
        for machine in machines:
            machine.forwarder = forwarder
            machine.reach(ports)
        yield machines
    finally:
        for machine in machines:
            machine.close()
        forwarder.close()


def _namespaces(names: Sequence[str]) -> list[Machine]:
    if sys.platform != "linux" or not all(map(shutil.which, PROGRAMS)):
        return []
    made: list[Machine] = []
    try:
        made.extend(map(NamespaceMachine, names))
        with closing(made[0].new_socket()):
            return made
    except OSError:
        for machine in made:
            machine.close()
        return []


def data_dir(folder: Path, machine: Machine) -> Path:
    found = folder / machine.name
    found.mkdir(parents=True, exist_ok=True)
    return found
