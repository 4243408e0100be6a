"""`make agent-executable`: builds the print agent for computers without Python.

It needs PyInstaller, which is not in the lock: install it with `pip install pyinstaller`. It builds
for the system it runs on, so run it once on each of Windows, macOS and Linux, and put the files
into the folder that PRINT_AGENT_DIR names.
"""

import importlib.util
import subprocess
import sys
import zipfile
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

from printing import agent_package

SYSTEM = {"win32": "windows", "darwin": "macos"}.get(sys.platform, "linux")


def command(source: Path, target: Path, work: Path) -> list[str]:
    name = Path(agent_package.EXECUTABLES[SYSTEM]).stem
    return [
        sys.executable, "-m", "PyInstaller", "--onefile", "--noconfirm", "--clean",
        "--name", name, "--paths", str(source),
        "--distpath", str(target), "--workpath", str(work), "--specpath", str(work),
        str(source / "__main__.py"),
    ]  # fmt: skip


def build(target: Path) -> Path:
    target.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as folder:
        source = Path(folder) / "source"
        with zipfile.ZipFile(BytesIO(agent_package.build())) as archive:
            archive.extractall(source)
        subprocess.run(command(source, target.resolve(), Path(folder) / "work"), check=True)
    return target / agent_package.EXECUTABLES[SYSTEM]


def main() -> None:
    if importlib.util.find_spec("PyInstaller") is None:
        sys.exit("PyInstaller is not installed. Run: pip install pyinstaller")
    made = build(Path(sys.argv[1] if len(sys.argv) > 1 else ".data/agent"))
    sys.stdout.write(f"Built {made}. Copy it into the folder that PRINT_AGENT_DIR names.\n")


if __name__ == "__main__":
    main()
