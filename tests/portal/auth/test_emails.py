"""Names in e-mails never become links."""

import pytest

from portal.auth.emails import break_links


@pytest.mark.parametrize(
    "name", ["https://evil.example/pay", "www.evil.example", "Win at evil.example now"]
)
def test_a_name_that_is_an_address_is_no_link(name):
    shown = break_links(name)
    assert "." not in shown
    assert "://" not in shown


@pytest.mark.parametrize("name", ["Lokanta Mavi", "Dr. Ada Ferrer", "Kumru Atölye Ltd."])
def test_an_ordinary_name_stays_as_it_is(name):
    assert break_links(name) == name
