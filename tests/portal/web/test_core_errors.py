"""Errors of core/ are shown as sentences in the reader's language."""

import ast
from pathlib import Path

import pytest

from core.errors import invalid
from core.http import OutboundError, Policy
from core.http.guard import check_url
from core.values.money import BadMoney, parse_money
from core.values.phone import BadPhone, check_phone, read_phone
from core.values.text import BadText, normalize_text
from portal.web import core_errors
from portal.web.i18n import error_message
from tests.portal.page_reader import text_of

CORE = Path(__file__).parents[3] / "core"
RAISED = {
    "values/phone.py": {"BadPhone"},
    "values/money.py": {"BadMoney"},
    "values/text.py": {"BadText"},
    "http/guard.py": {"BadUrl", "RefusedAddress"},
}
# Clauses that have their own sentence wherever they can reach a page.
ELSEWHERE = {"resolves to something odd"}
FAULTS = [
    (check_phone, ("+90 532 555 66 77",), BadPhone),
    (check_phone, ("hello",), BadPhone),
    (check_phone, ("123",), BadPhone),
    (check_phone, ("90532111",), BadPhone),
    (check_url, ("https://exa mple.com/", Policy()), OutboundError),
    (check_url, ("https://10.0.0.1/", Policy()), OutboundError),
    (check_url, ("https://localhost/", Policy()), OutboundError),
    (check_url, ("ftp://example.com", Policy()), OutboundError),
    (check_url, ("https://me:secret@example.com/", Policy()), OutboundError),
    (normalize_text, ("a\0b",), BadText),
    (parse_money, ("1,5", "TRY"), BadMoney),
    (parse_money, ("1.555", "TRY"), BadMoney),
]


def clauses():
    """Every clause that core/ raises, with `x` in place of each value."""
    for name, errors in RAISED.items():
        for node in ast.walk(ast.parse((CORE / name).read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in errors and node.args:
                said = node.args[0]
                if isinstance(said, ast.Constant):
                    yield said.value
                elif isinstance(said, ast.JoinedStr):
                    parts = (
                        one.value if isinstance(one, ast.Constant) else "x" for one in said.values
                    )
                    yield "".join(parts)


def test_every_clause_of_core_has_a_sentence(app):
    with app.test_request_context():
        # phone.py builds the part with the country beforehand.
        found = [one.replace("for x", "for country code x") for one in clauses()]
        assert len(found) > 20
        untold = [one for one in found if not core_errors.core_error_message(one)]
    assert not [one for one in untold if not any(odd in one for odd in ELSEWHERE)]


@pytest.mark.parametrize(("act", "given", "error"), FAULTS)
@pytest.mark.parametrize("locale", ["en", "tr"])
def test_a_fault_is_a_sentence_in_the_readers_language(app, act, given, error, locale):
    with pytest.raises(error) as caught:
        act(*given)
    raw = str(caught.value)
    with app.test_request_context(headers={"Accept-Language": locale}):
        payload = {
            error_message(invalid("field", "code", "{fault}", fault=raw)),
            error_message(invalid("field", "code", raw)),
        }
    (sentence,) = payload
    assert sentence != raw
    assert sentence[0].isupper() or sentence[0].isdigit() or raw.startswith("localhost")
    assert sentence.endswith(".")


def test_an_endpoint_is_refused_in_turkish(browser, restaurant):
    browser.signs_in(restaurant.owner)
    browser.post("/language", locale="tr", next="/home")
    page = text_of(browser.post("/webhooks/new", url="https://10.0.0.1/", every="yes"))
    assert "is not a public address" not in page
    assert "10.0.0.1 genel internette değil." in page


def test_forms_take_a_phone_as_people_write_it():
    for written in ("+90 532 555 66 77", "0090 532 555 66 77", "90 532 555 6677"):
        assert read_phone(written) == "905325556677"
    assert read_phone("0532 555 66 77", "TR") == "905325556677"
    with pytest.raises(BadPhone):
        read_phone("0532 555 66 77")
