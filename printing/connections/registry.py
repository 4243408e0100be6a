"""How printers can be reached. A new way is a module beside this one and a line in `CONNECTIONS`.

A way by which printers poll also needs its endpoint, a module in `api/printers/`.
"""

from printing.connections.agent import AGENT
from printing.connections.base import Connection
from printing.connections.cloudprnt import CLOUDPRNT
from printing.connections.server_direct import SERVER_DIRECT

CONNECTIONS: dict[str, Connection] = {
    "agent": AGENT,
    "cloudprnt": CLOUDPRNT,
    "server_direct": SERVER_DIRECT,
}


def polling_codes() -> list[str]:
    return [code for code, connection in CONNECTIONS.items() if connection.polls]
