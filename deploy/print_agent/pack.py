"""`python -m deploy.print_agent.pack print-agent.pyz`: writes the file that the portal offers."""

import sys
from pathlib import Path

from printing import agent_package


def pack(target: Path) -> None:
    target.write_bytes(agent_package.build())
    target.chmod(0o755)


if __name__ == "__main__":
    pack(Path(sys.argv[1] if len(sys.argv) > 1 else agent_package.FILE_NAME))
