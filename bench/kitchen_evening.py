"""`python -m bench.kitchen_evening`: 120 orders on the displays of four stations.

Real browsers tap every item; another display must show each change within a second (p95), and no
ticket may be lost.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.setup.stack import ROOT

ORDERS, MOST_MILLISECONDS = 120, 1000


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder) / "results.json"
        env = {
            **os.environ,
            "EVENING_ORDERS": str(ORDERS),
            "EVENING_MILLISECONDS": str(MOST_MILLISECONDS),
            "EVENING_RESULTS": str(results),
        }
        command = [sys.executable, "-m", "pytest", "-q", "-n", "0"]
        done = subprocess.run(
            [*command, "tests/browser/kitchen/test_evening.py"], cwd=ROOT, env=env, check=False
        )
        if results.exists():
            print(json.dumps(json.loads(results.read_text()), indent=1))
    print("within bounds" if done.returncode == 0 else "OUT OF BOUNDS")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
