import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.http import BadUrl, ConnectFailed, OutboundError, Policy, RefusedAddress, check_url
from core.http.guard import resolve
from core.http.public_addresses import is_loopback, is_public, why_refused
from tests.core.http.blocked_addresses import ADDRESSES, PUBLIC

HERE = Policy(allow_loopback=True)


@pytest.mark.parametrize(("address", "reason"), ADDRESSES)
def test_an_address_that_is_not_public(address, reason):
    assert not is_public(address), reason
    assert why_refused(ipaddress.ip_address(address))


@pytest.mark.parametrize("address", PUBLIC)
def test_the_neighbours_of_denied_addresses_are_public(address):
    assert is_public(address)


def test_our_list_is_stricter_than_the_standard_library():
    ours_only = [address for address, _ in ADDRESSES if ipaddress.ip_address(address).is_global]
    assert len(ours_only) >= 5


def test_a_zone_makes_any_address_local():
    assert not is_public("2606:2800:21f::1%eth0")
    assert not is_loopback(ipaddress.IPv6Address("::1%lo"))


@given(st.ip_addresses(v=6))
def test_no_ipv6_address_outside_2000_3_is_public(address):
    if address not in ipaddress.IPv6Network("2000::/3"):
        assert not is_public(address)


@given(st.ip_addresses(v=4))
def test_ipv4_in_any_ipv6_dress_is_refused(address):
    number = int(address)
    for base in ("::", "::ffff:0:0", "::ffff:0:0:0", "64:ff9b::", "64:ff9b:1::"):
        assert not is_public(ipaddress.IPv6Address(int(ipaddress.IPv6Address(base)) + number))
    six_to_four = ipaddress.IPv6Address((0x2002 << 112) | (number << 80) | 1)
    teredo = ipaddress.IPv6Address((0x20010000 << 96) | (number ^ 0xFFFFFFFF))
    assert not is_public(six_to_four)
    assert not is_public(teredo)


@pytest.mark.parametrize(
    ("url", "host", "port", "target", "text"),
    [
        ("http://example.com", "example.com", 80, "/", "http://example.com/"),
        ("HTTPS://Example.COM/A?b=C#d", "example.com", 443, "/A?b=C", "https://example.com/A?b=C"),
        ("https://example.com:80/", "example.com", 80, "/", "https://example.com:80/"),
        ("http://example.com:80/", "example.com", 80, "/", "http://example.com/"),
        ("http://example.com?a=b", "example.com", 80, "/?a=b", "http://example.com/?a=b"),
        ("http://example.com#x", "example.com", 80, "/", "http://example.com/"),
        ("http://example.com/%20%ff?x=%zz", "example.com", 80, "/%20%ff?x=%zz", None),
        ("http://example.com/café", "example.com", 80, "/caf%C3%A9", None),
        ('http://example.com/"<>^`{|}', "example.com", 80, "/%22%3C%3E%5E%60%7B%7C%7D", None),
        ("http://example.com/@x:y", "example.com", 80, "/@x:y", None),
        ("http://example.com//a/../b", "example.com", 80, "//a/../b", None),
        ("http://bücher.example/", "xn--bcher-kva.example", 80, "/", None),
        ("http://BÜCHER.example/", "xn--bcher-kva.example", 80, "/", None),
        ("http://xn--bcher-kva.example/", "xn--bcher-kva.example", 80, "/", None),
        ("http://例え。テスト/", "xn--r8jz45g.xn--zckzah", 80, "/", None),
        ("http://my_host.example.com/", "my_host.example.com", 80, "/", None),
        ("http://1and1.com/", "1and1.com", 80, "/", None),
        ("http://4.4.4.example/", "4.4.4.example", 80, "/", None),
        ("http://93.184.215.14/", "93.184.215.14", 80, "/", None),
        ("https://[2606:2800:21F::0001]/", "2606:2800:21f::1", 443, "/",
         "https://[2606:2800:21f::1]/"),
        ("https://[2606:2800:21f::1]:80/", "2606:2800:21f::1", 80, "/",
         "https://[2606:2800:21f::1]:80/"),
    ],
)  # fmt: skip
def test_a_good_url_is_read(url, host, port, target, text):
    found = check_url(url, Policy())
    assert (found.host, found.port, found.target) == (host, port, target)
    if text:
        assert str(found) == text
    assert check_url(str(found), Policy()) == found


@given(st.text(max_size=60) | st.from_regex(r"https?://[\x20-\x7e]{0,40}", fullmatch=True))
def test_any_text_is_read_or_refused(text):
    try:
        found = check_url(text, Policy())
    except OutboundError as error:
        str(error).encode()
        return
    str(found).encode("ascii")
    assert check_url(str(found), Policy()) == found
    assert found.literal is None or is_public(found.literal)


def test_a_refusal_is_a_sentence_with_a_code():
    with pytest.raises(RefusedAddress) as caught:
        check_url("http://10.0.0.1/", Policy())
    assert str(caught.value) == "10.0.0.1 is not a public address (a private network)"
    assert (caught.value.code, caught.value.sent) == ("refused_address", False)
    with pytest.raises(BadUrl, match=r"port 22 may not be called; allowed: 80, 443"):
        check_url("http://example.com:22/", Policy())


def test_other_ports_by_the_operators_setting():
    assert check_url("http://example.com:8443/", Policy(ports=frozenset({8443}))).port == 8443
    with pytest.raises(BadUrl):
        check_url("http://example.com/", Policy(ports=frozenset({8443})))


def test_loopback_is_allowed_only_in_development():
    for url in ("http://127.0.0.1:5000/", "http://localhost:5000/", "http://[::1]:5000/"):
        assert check_url(url, HERE).port == 5000
        with pytest.raises(RefusedAddress):
            check_url(url, Policy(ports=frozenset({5000})))
    for url in (
        "http://10.0.0.1/",
        "http://169.254.169.254/",
        "http://0.0.0.0/",
        "http://[::]/",
        "http://[::ffff:127.0.0.1]/",
    ):
        with pytest.raises(RefusedAddress):
            check_url(url, HERE)
    for url in ("http://2130706433/", "http://127.1/", "http://127.0.0.1.:80/"):
        with pytest.raises(BadUrl):
            check_url(url, HERE)
    with pytest.raises(BadUrl, match="port 5000"):
        check_url("http://example.com:5000/", HERE)


def test_a_name_gives_all_its_addresses_once():
    found = resolve("a.example", 80, Policy(), lambda *_: ["1.1.1.1", "2606::1", "1.1.1.1"])
    assert [str(address) for address in found] == ["1.1.1.1", "2606::1"]


def test_a_name_that_leads_nowhere():
    def fails(host, port):
        raise OSError("no such name")

    with pytest.raises(ConnectFailed, match="cannot be resolved"):
        resolve("a.example", 80, Policy(), fails)
    with pytest.raises(ConnectFailed, match="no address"):
        resolve("a.example", 80, Policy(), lambda *_: [])


def test_the_systems_own_resolver():
    assert [str(one) for one in resolve("127.0.0.1", 80, HERE)] == ["127.0.0.1"]
    with pytest.raises(RefusedAddress):
        resolve("localhost", 80, Policy())
