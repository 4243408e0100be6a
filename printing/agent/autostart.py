"""Start the agent with the computer: systemd on Linux, launchd on macOS, tasks on Windows.

`--install` copies the program into the data folder, so that the download can be deleted, and
registers it for the current user. No administrator rights are needed.
"""

import logging
import os
import plistlib
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

log = logging.getLogger("agent")

UNIT = "comanda-print-agent.service"
LABEL = "comanda.print-agent"
TASK = "Comanda print agent"
RUN_KEY = r"Software\Microsoft\Windows\CurrentVersion\Run"

Run = Callable[[Sequence[str]], bool]


class CannotInstall(Exception):
    """Raised with a sentence for people."""


@dataclass(frozen=True)
class Program:
    """The command to start, and the agent's data folder."""

    command: tuple[str, ...]
    data: Path

    @property
    def log(self) -> Path:
        return self.data / "agent.log"


def install(data: Path) -> str:
    """Register and start it. Returns where its log is. Raises CannotInstall."""
    program = Program((*_copied(data.resolve()), "--data", str(data.resolve())), data.resolve())
    if sys.platform == "win32":
        return _on_windows(program, _run)
    if sys.platform == "darwin":
        return _on_macos(program, _run)
    return _on_linux(program, _run)


def uninstall() -> None:
    """Stop and unregister it. The pairing and the journal stay."""
    if sys.platform == "win32":
        _run(["schtasks", "/End", "/TN", TASK])
        _run(["schtasks", "/Delete", "/F", "/TN", TASK])
        _forget_run_key()
    elif sys.platform == "darwin":
        _run(["launchctl", "bootout", f"gui/{os.getuid()}/{LABEL}"])
        _plist().unlink(missing_ok=True)
    else:
        _run(["systemctl", "--user", "disable", "--now", UNIT])
        _unit().unlink(missing_ok=True)


def _copied(data: Path) -> tuple[str, ...]:
    """Return the command that runs the copy of this program."""
    if getattr(sys, "frozen", False):  # an executable made by PyInstaller
        return (str(_copy(Path(sys.executable), data)),)
    source = Path(sys.argv[0]).resolve()
    if source.suffix != ".pyz":
        raise CannotInstall("--install works only with the downloaded print-agent.pyz.")
    python = Path(sys.executable)
    windowless = python.with_name("pythonw.exe")
    if sys.platform == "win32" and windowless.is_file():
        python = windowless
    return (str(python), str(_copy(source, data)))


def _copy(source: Path, data: Path) -> Path:
    target = data / source.name
    if source != target:
        part = target.with_suffix(".part")
        shutil.copyfile(source, part)
        part.chmod(0o700)
        try:
            part.replace(target)
        except OSError:  # Windows: the executable is running
            raise CannotInstall(
                f"{target} is in use. Run the agent with --uninstall first."
            ) from None
    return target


def unit_text(program: Program) -> str:
    command = " ".join(_systemd_quoted(one) for one in program.command)
    return f"""\
[Unit]
Description=Comanda print agent
StartLimitIntervalSec=0

[Service]
ExecStart={command}
Environment=PYTHONUNBUFFERED=1
Restart=always
RestartSec=2
# Wrong options, or removed in the portal: somebody has to pair it again first.
RestartPreventExitStatus=2 3
TimeoutStopSec=30

[Install]
WantedBy=default.target
"""


def _on_linux(program: Program, run: Run) -> str:
    if os.geteuid() == 0:
        raise CannotInstall("Run the agent without sudo, as the user that prints.")
    unit = _unit()
    unit.parent.mkdir(parents=True, exist_ok=True)
    unit.write_text(unit_text(program), "utf-8")
    if not run(["systemctl", "--user", "daemon-reload"]):
        raise CannotInstall("systemd is not available. Start the agent without --install.")
    run(["systemctl", "--user", "enable", UNIT])
    if not run(["systemctl", "--user", "restart", UNIT]):
        raise CannotInstall(f"The agent did not start. Check journalctl --user -u {UNIT}")
    # without it, the agent starts at sign-in, not with the computer
    if not run(["loginctl", "enable-linger"]):
        log.warning(
            "To start the agent before anyone signs in, run: sudo loginctl enable-linger %s",
            os.environ.get("USER", "$USER"),
        )
    return f"journalctl --user -u {UNIT}"


def plist_bytes(program: Program) -> bytes:
    return plistlib.dumps(
        {
            "Label": LABEL,
            "ProgramArguments": [*program.command, "--log", str(program.log)],
            "RunAtLoad": True,
            "KeepAlive": {"SuccessfulExit": False},
            "ThrottleInterval": 10,
            "ProcessType": "Interactive",
        }
    )


def _on_macos(program: Program, run: Run) -> str:
    plist, domain = _plist(), f"gui/{os.getuid()}"
    plist.parent.mkdir(parents=True, exist_ok=True)
    plist.write_bytes(plist_bytes(program))
    run(["launchctl", "bootout", f"{domain}/{LABEL}"])  # an older one
    if not run(["launchctl", "bootstrap", domain, str(plist)]):
        raise CannotInstall(f"launchd rejected {plist}. Start the agent without --install.")
    return str(program.log)


def task_xml(program: Program, user: str) -> str:
    """A task for this user only, which every user may register. It is restarted if it fails."""
    arguments = subprocess.list2cmdline([*program.command[1:], "--log", str(program.log)])
    return f"""\
<?xml version="1.0" encoding="UTF-16"?>
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <Triggers><LogonTrigger><Enabled>true</Enabled><UserId>{escape(user)}</UserId></LogonTrigger></Triggers>
  <Principals><Principal id="Author"><UserId>{escape(user)}</UserId>\
<LogonType>InteractiveToken</LogonType><RunLevel>LeastPrivilege</RunLevel></Principal></Principals>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>
    <RestartOnFailure><Interval>PT1M</Interval><Count>999</Count></RestartOnFailure>
  </Settings>
  <Actions Context="Author"><Exec><Command>{escape(program.command[0])}</Command>\
<Arguments>{escape(arguments)}</Arguments></Exec></Actions>
</Task>
"""


def _on_windows(program: Program, run: Run) -> str:
    user = "\\".join(filter(None, (os.environ.get("USERDOMAIN"), os.environ.get("USERNAME"))))
    file = program.data / "task.xml"
    file.write_text(task_xml(program, user), "utf-16")
    run(["schtasks", "/End", "/TN", TASK])  # an older one
    if run(["schtasks", "/Create", "/F", "/TN", TASK, "/XML", str(file)]):
        run(["schtasks", "/Run", "/TN", TASK])
    else:  # a computer whose policies forbid tasks
        command = [*program.command, "--log", str(program.log)]
        _set_run_key(subprocess.list2cmdline(command))
        subprocess.Popen(command, close_fds=True)
    return str(program.log)


def _set_run_key(command: str) -> None:
    if sys.platform == "win32":
        import winreg

        with winreg.CreateKey(winreg.HKEY_CURRENT_USER, RUN_KEY) as key:
            winreg.SetValueEx(key, TASK, 0, winreg.REG_SZ, command)


def _forget_run_key() -> None:
    if sys.platform == "win32":
        import winreg

        access = winreg.KEY_SET_VALUE
        with winreg.OpenKey(winreg.HKEY_CURRENT_USER, RUN_KEY, 0, access) as key:
            try:
                winreg.DeleteValue(key, TASK)
            except FileNotFoundError:
                return


def _unit() -> Path:
    return Path.home() / ".config" / "systemd" / "user" / UNIT


def _plist() -> Path:
    return Path.home() / "Library" / "LaunchAgents" / f"{LABEL}.plist"


def _systemd_quoted(word: str) -> str:
    inside = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    return f'"{inside}"'


def _run(command: Sequence[str]) -> bool:
    try:
        done = subprocess.run(command, capture_output=True, check=False, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
