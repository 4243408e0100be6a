"""The processes of the service on several machines, with an init system that restarts them."""

import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from core.settings import Settings
from deploy.local.processes.child_process import kill_group, spawn
from tests.forked_process import ForkedProcess
from tests.hosts.machine_process import MachineProcess
from tests.hosts.machines import Machine, data_dir
from tests.hosts.proxy import Proxy
from tests.hosts.service_settings import environment_of

ROOT = Path(__file__).parents[2]
RESTART_SECONDS = 0.3
WEB_THREADS = 24
ALL = ("web", "worker-1", "worker-2", "scheduler", "live", "linked")
Key = tuple[str, str]


@dataclass(frozen=True)
class Release:
    """Where its code is."""

    root: Path = ROOT


NEWEST = Release()


@dataclass
class Fleet:
    machines: list[Machine]
    settings: Settings
    folder: Path
    """Has a DATA_DIR for each machine. Files of tenants are in the BLOB_URL of the settings."""
    web_port: int
    live_port: int
    release: Release = NEWEST
    forked: bool = False
    """Quicker to start, and only for the newest release."""
    processes: dict[Key, "subprocess.Popen[bytes] | ForkedProcess"] = field(default_factory=dict)
    releases: dict[Key, Release] = field(default_factory=dict)
    deaths: Counter[str] = field(default_factory=Counter)
    _kept: set[Key] = field(default_factory=set)
    _lock: threading.RLock = field(default_factory=threading.RLock)
    _stopped: threading.Event = field(default_factory=threading.Event)

    @property
    def log(self) -> Path:
        return self.folder / "fleet.log"

    def start(self, machine: Machine, name: str, release: Release | None = None) -> None:
        key = (machine.name, name)
        with self._lock, self.log.open("ab") as log:
            chosen = release or self.releases.get(key) or self.release
            self.releases[key] = chosen
            command = [sys.executable, *self._arguments(machine, name)]
            environment = self.environment(machine)
            self.processes[key] = (
                MachineProcess(machine, command, environment)
                if self.forked
                else spawn(
                    machine.command(command),
                    env=environment,
                    cwd=chosen.root,
                    output=log,
                    death_signal=signal.SIGKILL,
                )
            )
            self._kept.add(key)

    def start_all(self, names: tuple[str, ...] = ALL) -> None:
        for machine in self.machines:
            for name in names:
                self.start(machine, name)

    def watch(self) -> None:
        """Restart what dies, as an init system does."""

        def go() -> None:
            while not self._stopped.wait(0.1):
                for (place, name), process in list(self.processes.items()):
                    if process.poll() is None or (place, name) not in self._kept:
                        continue
                    self.deaths[name] += 1
                    time.sleep(RESTART_SECONDS)
                    machine = next(one for one in self.machines if one.name == place)
                    with self._lock:
                        if (place, name) in self._kept:
                            self.start(machine, name)

        threading.Thread(target=go, daemon=True).start()

    def kill(self, machine: Machine, *names: str) -> None:
        """SIGKILL to the processes with all their children."""
        for name in names:
            kill_group(self.processes[(machine.name, name)].pid, signal.SIGKILL)

    def end(self, machine: Machine, name: str, seconds: float = 40.0) -> None:
        """An orderly stop."""
        with self._lock:
            self._kept.discard((machine.name, name))
            process = self.processes.pop((machine.name, name), None)
        if process is None:
            return
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            kill_group(process.pid, signal.SIGKILL)
            process.wait()

    def replace(self, machine: Machine, name: str, release: Release) -> None:
        self.end(machine, name)
        self.start(machine, name, release)
        if name == "web":
            self.wait_for(machine, self.web_port, 60)

    def wait_for(self, machine: Machine, port: int, seconds: float = 60.0) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                machine.connect(port, 2.0).close()
            except OSError:
                time.sleep(0.1)
            else:
                return
        raise RuntimeError(f"{machine.name} does not listen on {port}; see {self.log}")

    def wait_until_up(self) -> None:
        for machine in self.machines:
            self.wait_for(machine, self.web_port)
            self.wait_for(machine, self.live_port)

    def reach(self, port: int) -> None:
        """Make this port of 127.0.0.1 reachable on the machines."""
        for machine in self.machines:
            machine.reach([port])

    def add_to(self, proxy: Proxy) -> None:
        for machine in self.machines:
            proxy.servers["web"].append((machine, self.web_port))
            proxy.servers["live"].append((machine, self.live_port))

    def close(self) -> None:
        self._stopped.set()
        with self._lock:
            self._kept.clear()
            for process in self.processes.values():
                kill_group(process.pid, signal.SIGKILL)
            for process in self.processes.values():
                process.wait()
            self.processes.clear()

    def _arguments(self, machine: Machine, name: str) -> list[str]:
        web = ["-m", "granian", "--interface", "wsgi", "--host", machine.address]
        web += ["--port", str(self.web_port), "--workers", "1", "--no-ws"]
        web += ["--blocking-threads", str(WEB_THREADS), "--workers-kill-timeout", "30"]
        live = ["-m", "api.live", "--host", machine.address, "--port", str(self.live_port)]
        return {
            "web": [*web, "--log-level", "error", "wsgi:app"],
            "worker-1": ["-m", "jobs.worker"],
            "worker-2": ["-m", "jobs.worker"],
            "scheduler": ["-m", "jobs.scheduler"],
            "live": live,
            "linked": ["-m", "jobs.linked.host"],
        }[name]

    def environment(self, machine: Machine) -> dict[str, str]:
        settings = self.settings
        return {
            **environment_of(settings),
            "DATA_DIR": str(data_dir(self.folder, machine)),
            "BLOB_URL": settings.blob_url,
            "WEB_PROCESSES": str(len(self.machines)),
            "TRUSTED_PROXIES": "1",
            "WAITING_SENDS": str(WEB_THREADS // 3),
        }
