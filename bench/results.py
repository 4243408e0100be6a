"""bench/results.json: `{"row": {"value": …, "unit": …, "floor": …, "ratio": …, "load": …}}`."""

import json
import os
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results.json"

Results = dict[str, dict[str, Any]]


def write(measured: Results) -> None:
    """Update the measured rows; the others stay as they were.

    Each row has the load of the machine: with more load than cores, only ratios are meaningful.
    """
    for row in measured.values():
        row.setdefault("load", round(os.getloadavg()[0], 1))
    before: Results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    RESULTS.write_text(json.dumps(before | measured, indent=1) + "\n")
