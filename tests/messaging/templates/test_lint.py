"""The linter explains what the network would refuse, with the field."""

from dataclasses import replace

import pytest

from messaging.templates.drafts import ButtonDraft, HeaderDraft, TemplateDraft
from messaging.templates.library import ENTRIES, LIBRARY_LANGUAGES, library_draft
from messaging.templates.lint import lint

GOOD = TemplateDraft(
    name="order_ready",
    language="en",
    category="utility",
    body="Hi {{1}}, your order {{2}} is ready. You can pick it up now.",
    examples={"1": "Deniz", "2": "1042"},
)


def found(**changes):
    return {(one.severity, one.field, one.code) for one in lint(replace(GOOD, **changes))}


def test_a_good_template_has_no_findings():
    assert lint(GOOD) == []


@pytest.mark.parametrize(
    ("changes", "finding"),
    [
        ({"body": "{{1}}, your order {{2}} is ready now."}, ("body", "placeholder_at_edge")),
        ({"body": "Your order is ready, dear {{1}}"}, ("body", "placeholder_at_edge")),
        (
            {"body": "Hi {{1}} {{2}}, your order is ready now, come."},
            ("body", "adjacent_placeholders"),
        ),
        ({"body": "Hi {{1}} on {{2}} ok."}, ("body", "too_many_placeholders")),
        ({"examples": {"1": "Deniz"}}, ("examples.2", "example_needed")),
        ({"header": HeaderDraft("text", "*Ready*")}, ("header.text", "invalid_text")),
        ({"header": HeaderDraft("text", "Ready 🎉")}, ("header.text", "invalid_text")),
        ({"header": HeaderDraft("text", "x" * 61)}, ("header.text", "too_long")),
        ({"body": "x" * 1025}, ("body", "too_long")),
        ({"footer": "x" * 61}, ("footer", "too_long")),
        ({"footer": "Code {{1}}"}, ("footer", "placeholder_not_allowed")),
        ({"body": GOOD.body + "\n\n\n\nBye."}, ("body", "gaps")),
        ({"body": GOOD.body + " See https://bit.ly/x."}, ("body", "url_shortener")),
        ({"body": GOOD.body + " Write to wa.me/90532."}, ("body", "chat_link")),
        (
            {
                "buttons": tuple(
                    ButtonDraft("url", f"B{at}", "https://a.example") for at in range(3)
                )
            },
            ("buttons", "too_many_buttons"),
        ),
        (
            {"buttons": tuple(ButtonDraft("quick_reply", f"B{at}") for at in range(11))},
            ("buttons", "too_many_buttons"),
        ),
        (
            {
                "buttons": (
                    ButtonDraft("quick_reply", "A"),
                    ButtonDraft("url", "B", "https://a.example"),
                    ButtonDraft("quick_reply", "C"),
                )
            },
            ("buttons", "button_order"),
        ),
        (
            {"buttons": (ButtonDraft("url", "Go", "https://tinyurl.com/x"),)},
            ("buttons.0.url", "url_shortener"),
        ),
        ({"language": "xx"}, ("language", "invalid_language")),
        ({"language": "ar"}, ("language", "wrong_language")),
    ],
)
def test_errors_name_their_field(changes, finding):
    assert ("error", *finding) in found(**changes)


@pytest.mark.parametrize(
    ("changes", "finding"),
    [
        ({"body": GOOD.body + " Get a 20% discount!"}, ("category", "promotional_words")),
        (
            {
                "language": "tr",
                "body": "Merhaba {{1}}, {{2}} siparişinde büyük indirim var, kaçırmayın.",
            },
            ("category", "promotional_words"),
        ),
        (
            {"buttons": (ButtonDraft("copy_code", example="SOUP"),)},
            ("category", "promotional_button"),
        ),
        ({"category": "marketing"}, ("footer", "no_opt_out")),
        ({"body": GOOD.body + " BUY THIS SOUP NOWADAYS"}, ("body", "capitals")),
        ({"body": GOOD.body + " *Thanks"}, ("body", "open_formatting")),
        (
            {"body": "Merhaba {{1}}, {{2}} numaralı siparişiniz hazır, gelip alabilirsiniz."},
            ("language", "looks_turkish"),
        ),
        ({"examples": {"1": "x", "2": "x"}}, ("examples", "same_examples")),
        (
            {"buttons": (ButtonDraft("url", "Go", "http://a.example"),)},
            ("buttons.0.url", "not_https"),
        ),
    ],
)
def test_warnings_name_their_field(changes, finding):
    assert ("warning", *finding) in found(**changes)


def test_one_error_does_not_hide_the_others():
    codes = {code for _, _, code in found(body="", footer="x" * 61, name="Bad Name")}
    assert {"empty_text", "too_long"} <= codes
    assert len(codes) >= 3


@pytest.mark.parametrize("language", LIBRARY_LANGUAGES)
@pytest.mark.parametrize("entry", ENTRIES, ids=lambda one: one.name)
def test_every_text_of_the_library_passes(entry, language):
    draft = library_draft(entry.name, language)
    assert draft is not None
    assert lint(draft) == []


def test_unknown_texts_of_the_library_are_none():
    assert library_draft("nothing", "en") is None
    assert library_draft("birthday", "xx") is None
