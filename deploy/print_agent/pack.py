"""`python -m deploy.print_agent.pack print-agent.pyz`: the agent as one file for Python 3.11."""

import shutil
import sys
import zipapp
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[2]
PROGRAM = "import sys\n\nfrom printing.agent.__main__ import main\n\nsys.exit(main())\n"


def pack(target: Path) -> None:
    """Only the agent: none of the rest of the package goes to the restaurant."""
    with TemporaryDirectory() as folder:
        inside = Path(folder)
        shutil.copytree(
            ROOT / "printing" / "agent",
            inside / "printing" / "agent",
            ignore=shutil.ignore_patterns("__pycache__"),
        )
        (inside / "printing" / "__init__.py").touch()
        (inside / "__main__.py").write_text(PROGRAM)
        zipapp.create_archive(inside, target, "/usr/bin/env python3", compressed=True)


if __name__ == "__main__":
    pack(Path(sys.argv[1] if len(sys.argv) > 1 else "print-agent.pyz"))
