"""Which addresses are on the public internet. `ipaddress.is_global` is not used: it changes with
Python and accepts addresses that embed a private one.
"""

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

Address = IPv4Address | IPv6Address

DENIED_IPV4 = {
    IPv4Network("0.0.0.0/8"): "this network",
    IPv4Network("10.0.0.0/8"): "a private network",
    IPv4Network("100.64.0.0/10"): "a carrier's private network",
    IPv4Network("127.0.0.0/8"): "this machine",
    IPv4Network("169.254.0.0/16"): "link-local, cloud metadata",
    IPv4Network("172.16.0.0/12"): "a private network",
    IPv4Network("192.0.0.0/24"): "protocol assignments",
    IPv4Network("192.0.2.0/24"): "documentation",
    IPv4Network("192.88.99.0/24"): "the 6to4 relay",
    IPv4Network("192.168.0.0/16"): "a private network",
    IPv4Network("198.18.0.0/15"): "benchmarking",
    IPv4Network("198.51.100.0/24"): "documentation",
    IPv4Network("203.0.113.0/24"): "documentation",
    IPv4Network("224.0.0.0/4"): "multicast",
    IPv4Network("240.0.0.0/4"): "reserved or broadcast",
}

# Everything outside it is loopback, private, link-local, multicast, or a form or translation of
# IPv4 (::ffff:0:0/96, 64:ff9b::/96 and similar).
ALLOWED_IPV6 = IPv6Network("2000::/3")
DENIED_IPV6 = {
    IPv6Network("2001::/23"): "protocol assignments, Teredo",
    IPv6Network("2001:db8::/32"): "documentation",
    IPv6Network("2002::/16"): "6to4, an IPv4 address inside",
    IPv6Network("3fff::/20"): "documentation",
}


def why_refused(address: Address | str) -> str | None:
    """What the address is if it is not public; None if it is public."""
    ip = ip_address(address) if isinstance(address, str) else address
    if isinstance(ip, IPv4Address):
        return next((what for network, what in DENIED_IPV4.items() if ip in network), None)
    if ip.scope_id is not None:
        return "an address of one network card only"
    if ip not in ALLOWED_IPV6:
        return "not a public IPv6 address"
    return next((what for network, what in DENIED_IPV6.items() if ip in network), None)


def is_public(address: Address | str) -> bool:
    return why_refused(address) is None


def is_loopback(address: Address) -> bool:
    """Plain loopback only; not ::ffff:127.0.0.1 or other disguises."""
    if isinstance(address, IPv4Address):
        return address in IPv4Network("127.0.0.0/8")
    return address == IPv6Address("::1") and address.scope_id is None
