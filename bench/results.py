"""bench/results.json: `{"row": {"value": …, "unit": …, "floor": …, "ratio": …, "load": …}}`."""

import json
import os
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results.json"

Results = dict[str, dict[str, Any]]


def write(measured: Results) -> None:
    """Rows that were not measured this time stay as they were.

    Beside each is what else the machine did: above its cores, only ratios mean something.
    """
    for row in measured.values():
        row.setdefault("load", round(os.getloadavg()[0], 1))
    before: Results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    RESULTS.write_text(json.dumps(before | measured, indent=1) + "\n")
