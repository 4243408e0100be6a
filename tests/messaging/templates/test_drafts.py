"""Templates that people write: limits, the network's form, and back."""

from dataclasses import replace

import pytest

from core.errors import Invalid
from messaging.templates.draft_checks import check_draft
from messaging.templates.drafts import (
    AppSignature,
    ButtonDraft,
    HeaderDraft,
    TemplateDraft,
    build_components,
    draft_of,
    network_payload,
)

PLAIN = TemplateDraft(
    "order_ready",
    "tr",
    "utility",
    "Merhaba {{1}}, {{2}} hazır. Afiyet olsun!",
    {"1": "Zeynep", "2": "Siparişiniz"},
)
RICH = replace(
    PLAIN,
    body="Hi {{first_name}}, your order is ready. Enjoy!",
    examples={"first_name": "Zeynep"},
    header=HeaderDraft("text", "Order {{number}}", "M-0184"),
    footer="Lokanta Mavi",
    buttons=(
        ButtonDraft("quick_reply", "Thanks"),
        ButtonDraft("quick_reply", "Call me"),
        ButtonDraft("url", "Track", url="https://example.com/o/{{1}}", example="184"),
        ButtonDraft("phone", "Call us", phone="+902121112233"),
        ButtonDraft("copy_code", example="TATLI7"),
    ),
)
CODE = TemplateDraft(
    "login_code",
    "en",
    "authentication",
    buttons=(ButtonDraft("otp"),),
    security_recommendation=True,
    code_expiration_minutes=10,
)
ONE_TAP = ButtonDraft("otp", otp_type="one_tap", apps=(AppSignature("com.a.b", "K8a/AINcGX7"),))


@pytest.mark.parametrize("draft", [PLAIN, RICH, CODE, replace(CODE, buttons=(ONE_TAP,))])
def test_a_good_draft_survives_the_way_to_the_network_and_back(draft):
    check_draft(draft)
    assert draft_of(draft.name, draft.language, draft.category, build_components(draft)) == draft


def test_numbers_and_names_have_different_examples():
    numbered, named = network_payload(PLAIN), network_payload(RICH)
    assert numbered["parameter_format"] == "POSITIONAL"
    assert numbered["components"][0]["example"] == {"body_text": [["Zeynep", "Siparişiniz"]]}
    assert named["parameter_format"] == "NAMED"
    header, body = named["components"][:2]
    assert header["example"] == {
        "header_text_named_params": [{"param_name": "number", "example": "M-0184"}]
    }
    assert body["example"] == {
        "body_text_named_params": [{"param_name": "first_name", "example": "Zeynep"}]
    }


def test_buttons_have_the_form_of_the_network():
    buttons = network_payload(RICH)["components"][-1]["buttons"]
    assert buttons[2] == {
        "type": "URL",
        "text": "Track",
        "url": "https://example.com/o/{{1}}",
        "example": ["https://example.com/o/184"],
    }
    assert buttons[3]["type"] == "PHONE_NUMBER"
    assert buttons[4] == {"type": "COPY_CODE", "example": "TATLI7"}


def test_media_headers_carry_the_handle_of_their_sample():
    draft = replace(PLAIN, header=HeaderDraft("image"))
    assert network_payload(draft, "4::aW")["components"][0] == {
        "type": "HEADER",
        "format": "IMAGE",
        "example": {"header_handle": ["4::aW"]},
    }


def buttons(*given):
    return {"buttons": given}


URL = ButtonDraft("url", "Go", url="https://example.com/x")
REPLY = ButtonDraft("quick_reply", "Yes")


@pytest.mark.parametrize(
    ("draft", "change", "field"),
    [
        (PLAIN, {"name": "Order"}, "name"),
        (PLAIN, {"language": "xx"}, "language"),
        (PLAIN, {"category": "other"}, "category"),
        (PLAIN, {"body": " "}, "body"),
        (PLAIN, {"body": "x" * 1025}, "body"),
        (PLAIN, {"body": "{{1}} merhaba", "examples": {"1": "a"}}, "body"),
        (PLAIN, {"body": "merhaba {{1}}", "examples": {"1": "a"}}, "body"),
        (PLAIN, {"body": "a {{1}} {{2}} b"}, "body"),
        (PLAIN, {"body": "a {{1}} b {{3}} c"}, "body"),
        (PLAIN, {"body": "a {{1}} b {{name}} c"}, "body"),
        (PLAIN, {"body": "a {{Name}} c"}, "body"),
        (PLAIN, {"examples": {"1": "Zeynep"}}, "examples.2"),
        (PLAIN, {"header": HeaderDraft("text", "x" * 61)}, "header.text"),
        (PLAIN, {"header": HeaderDraft("text", "*Hi*")}, "header.text"),
        (PLAIN, {"header": HeaderDraft("text", "Hi 🍰")}, "header.text"),
        (PLAIN, {"header": HeaderDraft("text", "Hi {{1}}")}, "header.example"),
        (PLAIN, {"header": HeaderDraft("text", "a {{1}} {{2}}")}, "header.text"),
        (PLAIN, {"header": HeaderDraft("gif")}, "header.type"),
        (PLAIN, {"footer": "x" * 61}, "footer"),
        (PLAIN, {"footer": "Hi {{1}}"}, "footer"),
        (PLAIN, buttons(*[ButtonDraft("quick_reply", str(n)) for n in range(11)]), "buttons"),
        (PLAIN, buttons(ButtonDraft("quick_reply", "x" * 26)), "buttons.0.text"),
        (PLAIN, buttons(REPLY, REPLY), "buttons"),
        (PLAIN, buttons(REPLY, URL, ButtonDraft("quick_reply", "No")), "buttons"),
        (PLAIN, buttons(replace(URL, url="example.com")), "buttons.0.url"),
        (PLAIN, buttons(replace(URL, url="https://a.b/{{1}}/c", example="x")), "buttons.0.url"),
        (PLAIN, buttons(replace(URL, url="https://a.b/{{1}}")), "buttons.0.example"),
        (PLAIN, buttons(URL, replace(URL, text="b"), replace(URL, text="c")), "buttons"),
        (PLAIN, buttons(ButtonDraft("phone", "Call", phone="12")), "buttons.0.phone"),
        (PLAIN, buttons(ButtonDraft("copy_code", example="x" * 16)), "buttons.0.example"),
        (PLAIN, buttons(ButtonDraft("otp")), "buttons.0.type"),
        (CODE, {"body": "Your code is ready."}, "body"),
        (CODE, {"header": HeaderDraft("location")}, "header"),
        (CODE, {"code_expiration_minutes": 91}, "code_expiration_minutes"),
        (CODE, buttons(REPLY), "buttons"),
        (CODE, buttons(replace(ONE_TAP, apps=())), "buttons.0.apps"),
        (
            CODE,
            buttons(replace(ONE_TAP, apps=(AppSignature("com.a.b", "short"),))),
            "buttons.0.apps.0.signature_hash",
        ),
        (CODE, buttons(replace(ONE_TAP, otp_type="zero_tap")), "buttons.0.terms_accepted"),
    ],
)
def test_what_the_network_would_refuse_names_its_field(draft, change, field):
    with pytest.raises(Invalid) as refused:
        check_draft(replace(draft, **change))
    assert refused.value.faults[0].field == field
