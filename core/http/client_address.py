"""The network that a request counts as, for limits by network address."""

from ipaddress import IPv6Address, IPv6Network, ip_address


def client_network(address: str) -> str:
    """The address, or the /64 of an IPv6 address, because one customer of a provider has at least
    that.

    Text that is not an address is returned as it is.
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
