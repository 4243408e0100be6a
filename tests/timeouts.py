"""How long a test waits for other processes."""

import os


def allow_for_load(seconds: float) -> float:
    """Longer where the cores are shared: a busy machine is not a fault of ours."""
    return seconds * max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))
