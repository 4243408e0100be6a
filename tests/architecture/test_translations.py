"""Every catalog is complete: each text of code and templates, in each language of its readers."""

import ast
import re
from functools import cache
from itertools import chain

import pytest
from babel.messages.catalog import Catalog, Message

from core.i18n.catalogs import TRANSLATIONS
from core.i18n.compile import read_catalog
from deploy.local.translations import DOMAINS, Domain, catalog_path, collect_texts
from tests.architecture.layers import ROOT

# `%(name)s` and `{name}` are filled in here, `{{customer.name|default}}` when a message is sent.
PLACEHOLDER = re.compile(r"%\(\w+\)[sd]|\{\{[\w.]+|\{\w*\}")
# A Turkish suffix depends on the preceding sounds, which a placeholder does not have yet.
GLUED = re.compile(r"(?:%\(\w+\)[sd]|\})['’]?[^\W\d_]")

PACKAGES = (
    "api", "core", "jobs", "messaging", "portal", "printing", "restaurant", "tenants", "webhooks",
)  # fmt: skip
NOT_TRANSLATIONS = {
    "api/v1/schemas/restaurant/menus.py",  # examples of a menu's texts
    "portal/restaurant/menu_import_views.py",  # columns of a sample file
}

IN_EACH_LANGUAGE = pytest.mark.parametrize(
    ("domain", "language"),
    [
        pytest.param(domain, language, id=f"{domain.name}-{language}")
        for domain in DOMAINS
        for language in domain.languages
    ],
)


@cache
def collected(domain: Domain) -> Catalog:
    return collect_texts(domain)


@cache
def catalog(domain: Domain, language: str) -> Catalog:
    return read_catalog(catalog_path(domain, language))


def entries(domain: Domain, language: str) -> list[Message]:
    return [message for message in catalog(domain, language) if message.id]


def forms(text: str | tuple[str, ...]) -> tuple[str, ...]:
    return (text,) if isinstance(text, str) else tuple(text)


def placeholders(text: str) -> list[str]:
    return sorted(PLACEHOLDER.findall(text))


def untranslated(texts: Catalog, known: Catalog) -> list[str]:
    found = ((one, known.get(one.id, one.context)) for one in texts if one.id)
    return [str(one.id) for one, there in found if there is None or not all(forms(there.string))]


@IN_EACH_LANGUAGE
def test_every_text_is_translated(domain, language):
    missing = untranslated(collected(domain), catalog(domain, language))
    assert not missing, "run `make translations`, then fill in: " + "\n".join(missing)


@IN_EACH_LANGUAGE
def test_a_translation_keeps_its_placeholders(domain, language):
    for message in entries(domain, language):
        wanted = placeholders(forms(message.id)[-1])
        for translation in forms(message.string):
            assert placeholders(translation) == wanted, message.id
        assert not list(message.check(catalog(domain, language))), message.id


@IN_EACH_LANGUAGE
def test_no_translation_is_a_guess(domain, language):
    assert not catalog(domain, language).fuzzy
    assert not [message.id for message in entries(domain, language) if message.fuzzy]


@pytest.mark.parametrize("domain", DOMAINS, ids=lambda domain: domain.name)
def test_no_turkish_ending_is_glued_to_a_placeholder(domain):
    turkish = chain.from_iterable(forms(one.string) for one in entries(domain, "tr"))
    assert not [text for text in turkish if GLUED.search(text)]


def test_every_catalog_has_its_domain():
    found = {path.relative_to(TRANSLATIONS) for path in TRANSLATIONS.glob("*/*/*.po")}
    expected = {
        catalog_path(domain, language).relative_to(TRANSLATIONS)
        for domain in DOMAINS
        for language in domain.languages
    }
    assert found == expected


def test_texts_are_found_in_code_templates_and_errors():
    by_name = {domain.name: {one.id for one in collected(domain)} for domain in DOMAINS}
    assert {"Sign in", "Saved.", "Choose a role from the list."} <= by_name["messages"]


def translations_in(source: str) -> list[int]:
    """Lines of dictionaries from languages to texts, or to further dictionaries of them."""
    if '"tr"' not in source:
        return []
    return [
        node.lineno
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Dict)
        and {"en", "tr"} <= {getattr(key, "value", None) for key in node.keys}
        and all(isinstance(value, ast.Dict | ast.Constant) for value in node.values)
    ]


def test_no_module_keeps_translations_of_its_own():
    modules = (path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
    found = {
        path.relative_to(ROOT).as_posix() for path in modules if translations_in(path.read_text())
    }
    assert found == NOT_TRANSLATIONS


def test_translations_in_a_module_would_be_found():
    assert translations_in('A = {"en": "Open", "tr": "Açık"}\nB = {"en": {}, "tr": {}}') == [1, 2]
    assert not translations_in('WORDS = {"en": ("stop",), "tr": ("dur",)}')


def test_a_missing_translation_would_be_found():
    texts, known = Catalog(), Catalog(locale="tr")
    for text in ("Open", "Closed"):
        texts.add(text)
    known.add("Open", "Açık")
    known.add("Closed", "")
    assert untranslated(texts, known) == ["Closed"]
