"""Setup steps for the print agent on each operating system."""

from dataclasses import dataclass

from flask import url_for

from portal.printing.downloads import checksum, offered_executables
from printing import agent_package

SYSTEMS = {"windows": "Windows", "macos": "macOS", "linux": "Linux"}


@dataclass(frozen=True)
class Setup:
    system: str
    name: str
    """The name of the file to download."""
    url: str
    command: str
    """One line, with the server URL and the pairing code filled in."""
    needs_python: bool
    version: str
    sha256: str


def guess_system(agent: str) -> str:
    """Guess from the user agent; people usually set up the computer that will print."""
    text = agent.lower()
    if "windows" in text:
        return "windows"
    return "macos" if "mac os" in text and "iphone" not in text and "ipad" not in text else "linux"


def setup_for(system: str, server: str, code: str) -> Setup:
    system = system if system in SYSTEMS else "linux"
    executable = offered_executables().get(system)
    if executable is None:
        package = agent_package.package()
        path, sha256 = url_for("downloads.agent"), package.sha256
        name = package.name
    else:
        path, sha256 = url_for("downloads.executable", name=executable.name), checksum(executable)
        name = executable.name
    url = f"{server}{path}"
    options = f"--server {server} --pair {code} --install"
    return Setup(
        system=system,
        name=name,
        url=url,
        command=f"{_start(system, name, url, with_python=executable is None)} {options}",
        needs_python=executable is None,
        version=agent_package.version(),
        sha256=sha256,
    )


def _start(system: str, name: str, url: str, *, with_python: bool) -> str:
    if system == "windows":  # typed into PowerShell, in the browser's download folder
        file = f'"$HOME\\Downloads\\{name}"'
        return f"py {file}" if with_python else f"& {file}"
    if system == "macos":
        file = f"~/Downloads/{name}"
        return f"python3 {file}" if with_python else f"chmod +x {file} && {file}"
    fetch = f"curl -fLO {url}"  # often a small computer without a screen
    return f"{fetch} && " + (f"python3 {name}" if with_python else f"chmod +x {name} && ./{name}")
