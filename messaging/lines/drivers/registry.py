"""The line drivers. A new one is a folder beside this module and a line in `DRIVERS`.

The SQL function that claims messages leaves lines of the kind `linked` to their host.
"""

from messaging.lines.drivers.base import LineDriver
from messaging.lines.drivers.cloud.driver import CLOUD
from messaging.lines.drivers.linked.driver import LINKED

DRIVERS: dict[str, LineDriver] = {
    "cloud": CLOUD,
    "linked": LINKED,
}
