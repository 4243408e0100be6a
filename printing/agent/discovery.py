"""Find printers on the local network that listen on port 9100.

Nothing is sent to them: office printers listen there too and would print it.
"""

import ipaddress
import selectors
import socket
import time
from collections.abc import Iterable

PORT = 9100
WAIT_SECONDS = 1.0
AT_ONCE = 128
MOST_ADDRESSES = 1024


def own_networks(towards: str = "192.0.2.1") -> list[str]:
    """Return the /24 network of this computer's outgoing address; no packet is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect((towards, 9))
            own = probe.getsockname()[0]
        except OSError:
            return []
    address = ipaddress.ip_address(own)
    if not address.is_private or address.is_loopback:
        return []
    return [str(ipaddress.ip_network(f"{own}/24", strict=False))]


def scan(networks: Iterable[str], port: int = PORT) -> list[dict[str, object]]:
    hosts: list[str] = []
    for network in networks:
        known = ipaddress.ip_network(network, strict=False)
        found = [known.network_address] if known.num_addresses == 1 else list(known.hosts())
        hosts += [str(host) for host in found[:MOST_ADDRESSES]]
    open_hosts: list[str] = []
    for start in range(0, len(hosts), AT_ONCE):
        open_hosts += _listening(hosts[start : start + AT_ONCE], port)
    return [{"kind": "network", "host": host, "port": port, "name": ""} for host in open_hosts]


def _listening(hosts: list[str], port: int) -> list[str]:
    """Try all hosts at the same time."""
    answered: list[str] = []
    with selectors.DefaultSelector() as waiting:
        for host in hosts:
            knock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
            knock.setblocking(False)
            knock.connect_ex((host, port))
            waiting.register(knock, selectors.EVENT_WRITE, host)
        until = time.monotonic() + WAIT_SECONDS
        while waiting.get_map() and (left := until - time.monotonic()) > 0:
            for key, _ in waiting.select(left):
                knock = key.fileobj  # type: ignore[assignment]
                if knock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) == 0:
                    answered.append(key.data)
                waiting.unregister(knock)
                knock.close()
        for key in list(waiting.get_map().values()):
            key.fileobj.close()  # type: ignore[union-attr]
    return sorted(answered, key=lambda host: ipaddress.ip_address(host).packed)
