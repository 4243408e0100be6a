"""`python -m bench.dining.tab_latency`: 50 tables of 4 guests; a payment is seen by the others.

Every phone waits at the live server and then reads its tab; the limit is two seconds (p95).
`measure()` is one row of the benchmark.
"""

import json
import sys
from typing import Any

from bench.dining import browser_rows
from bench.results import write

LIMIT_MS = 2000
TEST = "tests/journeys/load/test_tab_latency.py"


def measure() -> dict[str, Any]:
    """From the commit of a payment until a phone of the same table has it, in milliseconds."""
    return browser_rows.row(browser_rows.run_test(TEST, "TAB_RESULTS"), LIMIT_MS, "phones")


def main() -> int:
    measured = measure()
    write({"tab": measured})
    print(json.dumps(measured, indent=1))
    return 0 if measured["value"] <= LIMIT_MS else 1


if __name__ == "__main__":
    sys.exit(main())
