"""Texts in the reader's language, from catalogs that are loaded once."""

from io import BytesIO

import pytest
from babel.messages.catalog import Catalog as SourceCatalog
from babel.messages.mofile import write_mo

from core.i18n.catalogs import Catalog
from core.i18n.plurals import Plural

DAYS = Plural("{days} day left", "{days} days left", number="days")


@pytest.fixture
def texts(tmp_path):
    polish = SourceCatalog(locale="pl")
    polish.add("Hello {name}!", "Cześć {name}!")
    polish.add("Open", "Otwórz")
    polish.add("Open", "Otwarte", context="state")
    polish.add((DAYS.one, DAYS.other), ("{days} dzień", "{days} dni", "{days} dnia"))
    compiled = BytesIO()
    write_mo(compiled, polish)
    folder = tmp_path / "pl" / "LC_MESSAGES"
    folder.mkdir(parents=True)
    (folder / "shop.mo").write_bytes(compiled.getvalue())
    return Catalog("shop", tmp_path)


def test_a_text_is_in_the_readers_language_else_in_english(texts):
    assert texts.languages == {"en", "pl"}
    assert texts.text("pl", "Open") == texts.text("pl-PL", "Open") == "Otwórz"
    assert texts.text("en", "Open") == texts.text("sv", "Open") == "Open"
    assert texts.text("pl", "Not translated") == "Not translated"


def test_an_empty_value_leaves_no_gap(texts):
    assert texts.text("pl", "Hello {name}!", name="Ola") == "Cześć Ola!"
    assert texts.text("pl", "Hello {name}!", name="") == "Cześć!"
    assert texts.text("en", "Thanks, {name}!", name="") == "Thanks!"
    assert texts.text("en", "Thanks, {name}, we know.", name="") == "Thanks, we know."
    assert texts.gettext("pl", "Hello {name}!") == "Cześć {name}!"
    with pytest.raises(KeyError):
        texts.text("pl", "Hello {name}!")


@pytest.mark.parametrize(
    ("language", "days", "said"),
    [
        ("en", 1, "1 day left"),
        ("en", 2, "2 days left"),
        ("pl", 1, "1 dzień"),
        ("pl", 5, "5 dnia"),
        ("pl", 2, "2 dni"),
    ],
)
def test_a_number_decides_the_form(texts, language, days, said):
    assert texts.text(language, DAYS, days=days) == said


def test_a_context_separates_two_meanings(texts):
    functions = texts.template_functions("pl")
    assert (functions["_"]("Open"), functions["pgettext"]("state", "Open")) == ("Otwórz", "Otwarte")


def test_a_language_is_loaded_once(texts, tmp_path):
    assert texts.text("pl", "Open") == "Otwórz"
    (tmp_path / "pl" / "LC_MESSAGES" / "shop.mo").unlink()
    assert texts.text("pl", "Open") == "Otwórz"
    assert Catalog("shop", tmp_path).text("pl", "Open") == "Open"
