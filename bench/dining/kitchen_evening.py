"""`python -m bench.dining.kitchen_evening`: 120 orders on the displays of four stations.

Real browsers tap every item; another display must show each change within a second (p95), and no
ticket may be lost. `measure()` is one row of the benchmark.
"""

import json
import sys
from typing import Any

from bench.dining import browser_rows
from bench.results import write

ORDERS, LIMIT_MS = 120, 1000
TEST = "tests/browser/kitchen/test_evening.py"


def measure() -> dict[str, Any]:
    """The time from a tap at a station until the overview shows it, in milliseconds."""
    figures = browser_rows.run_test(
        TEST, "EVENING_RESULTS", EVENING_ORDERS=ORDERS, EVENING_MILLISECONDS=LIMIT_MS
    )
    return browser_rows.row(figures, LIMIT_MS, "orders", "changes", "lost")


def main() -> int:
    measured = measure()
    write({"kitchen": measured})
    print(json.dumps(measured, indent=1))
    return 0 if measured["passed"] else 1


if __name__ == "__main__":
    sys.exit(main())
