"""Lines, filters, headers and order of an endpoint in the portal."""

import pytest

from core.db import db
from tests.line_factory import make_line
from webhooks.custom_headers import HIDDEN, unpack_headers
from webhooks.models import Endpoint

URL = "https://example.com/hook"


@pytest.fixture
def owner(browser, restaurant):
    return browser.signs_in(restaurant.owner)


def stored(business):
    with business.scope():
        [found] = db.session.query(Endpoint).filter_by(tenant_id=business.tenant_id).all()
        return found


def text(answer):
    return answer.get_data(as_text=True)


def test_options_are_saved_shown_and_kept(owner, restaurant):
    line = make_line(restaurant)
    make_line(restaurant, default=False)
    owner.post(
        "/webhooks/new",
        url=URL,
        every="yes",
        lines=[str(line.id)],
        filters="data.type in text, image\r\ntotal_amount > 500",
        headers="X-Token: s3cret",
        ordered="y",
    )
    made = stored(restaurant)
    assert (made.line_ids, made.ordered) == ([line.id], True)
    assert [one["op"] for one in made.filters] == ["in", ">"]
    assert unpack_headers(made.headers) == {"X-Token": "s3cret"}
    page = text(owner.get(f"/webhooks/{made.id}"))
    assert "data.type in text, image\ntotal_amount &gt; 500" in page
    assert f"X-Token: {HIDDEN}" in page
    assert "s3cret" not in page
    owner.post(
        f"/webhooks/{made.id}",
        url=URL,
        every="yes",
        filters="",
        headers=f"X-Token: {HIDDEN}\r\nX-Other: two",
    )
    changed = stored(restaurant)
    assert (changed.line_ids, changed.filters, changed.ordered) == (None, [], False)
    assert unpack_headers(changed.headers) == {"X-Token": "s3cret", "X-Other": "two"}


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"filters": "nonsense"}, "is not a filter"),
        ({"headers": "Host: x"}, "The header Host is set by Comanda."),
        ({"headers": "X-Token"}, "has no colon"),
        ({"lines": ["999"]}, "valid choice"),
    ],
)
def test_a_wrong_option_is_explained(owner, restaurant, fields, sentence):
    page = text(owner.post("/webhooks/new", url=URL, every="yes", **fields))
    assert sentence in page
    with restaurant.scope():
        assert not db.session.query(Endpoint).filter_by(tenant_id=restaurant.tenant_id).all()
