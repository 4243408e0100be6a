"""Who a request is counted as, when a limit is by network address."""

from ipaddress import IPv6Address, IPv6Network, ip_address


def client_network(address: str) -> str:
    """The address, or the /64 of an IPv6 address: one customer of a provider has at least that.

    What is no address is counted as it is written.
    """
    try:
        ip = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if not isinstance(ip, IPv6Address):
        return str(ip)
    if ip.ipv4_mapped is not None:
        return str(ip.ipv4_mapped)
    return str(IPv6Network((ip, 64), strict=False))
