"""How long a test waits for other processes."""

import os


def allow_for_load(seconds: float) -> float:
    """Longer on a busy machine, which is not a fault of the code."""
    return seconds * max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))
