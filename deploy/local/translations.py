"""Collects the texts of code and templates into the catalogs, one for each group of readers."""

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from babel import Locale
from babel.messages.catalog import Catalog
from babel.messages.extract import DEFAULT_KEYWORDS, extract_from_dir
from babel.messages.frontend import parse_keywords
from babel.messages.pofile import write_po

from core.i18n.catalogs import TRANSLATIONS
from core.i18n.compile import compile_translations, read_catalog, replacing
from deploy.local.processes.programs import ROOT

# Besides gettext: which argument of a domain error is its message (core/errors.py).
KEYWORDS = (
    "lazy_gettext",
    "Plural:1,2",
    "invalid:3",
    "RateLimited:1",
    "NotFound:1",
    *(
        f"{error}:2"
        for error in (
            "Invalid",
            "Conflict",
            "Forbidden",
            "PaymentRequired",
            "TryAgain",
            "NotOnMenu",
        )
    ),
    # Why an imported file, one of its rows or a value is refused.
    *("NotATable:1", "RowError:4", "_invalid_value:2", "fail:2"),
)


@dataclass(frozen=True)
class Domain:
    """The texts of one catalog, and the languages that it is translated into."""

    name: str
    languages: tuple[str, ...]
    code: tuple[str, ...] = ()
    pages: tuple[str, ...] = ()


GUEST_LANGUAGES = ("ar", "de", "es", "fr", "pt", "tr")
# The texts of a file belong to the first domain that lists it.
DOMAINS = (
    Domain(
        "chat",
        GUEST_LANGUAGES,
        code=("restaurant/chat_texts.py", "restaurant/own_words_texts.py"),
    ),
    Domain(
        "courier",
        GUEST_LANGUAGES,
        code=("portal/courier/texts.py",),
        pages=("portal/templates/courier/**.html",),
    ),
    Domain(
        "diner",
        GUEST_LANGUAGES,
        code=("portal/diner/texts.py",),
        pages=("portal/templates/diner/**.html",),
    ),
    Domain(
        "simulator",
        ("tr",),
        code=("messaging/simulator/**.py",),
        pages=("messaging/simulator/**.html",),
    ),
    Domain(
        "tickets",
        GUEST_LANGUAGES,
        code=("restaurant/orders/printing/ticket_texts.py", "printing/rendering/banners.py"),
    ),
    Domain(
        "messages",
        ("tr",),
        code=(
            "portal/**.py", "tenants/**.py", "restaurant/**.py", "messaging/**.py",
            "webhooks/**.py", "jobs/**.py", "printing/reasons.py", "printing/connections/**.py",
            "printing/rendering/encoders/**.py", "deploy/demo/**.py", "core/storage/images.py",
        ),
        pages=("portal/templates/**.html",),
    ),
)  # fmt: skip


def update_catalogs() -> int:
    """`make translations`: add new texts from code and templates to every language."""
    for domain in DOMAINS:
        template = collect_texts(domain)
        for language in domain.languages:
            path = catalog_path(domain, language)
            catalog = read_catalog(path) if path.is_file() else _new_catalog(domain, language)
            catalog.update(template, no_fuzzy_matching=True, update_creation_date=False)
            path.parent.mkdir(parents=True, exist_ok=True)
            with replacing(path) as file:
                write_po(file, catalog, width=76)
    for path in compile_translations():
        print(path.relative_to(ROOT))
    return 0


def catalog_path(domain: Domain, language: str) -> Path:
    return TRANSLATIONS / language / "LC_MESSAGES" / f"{domain.name}.po"


def collect_texts(domain: Domain) -> Catalog:
    """The texts of a domain, as they are in code and templates now."""
    earlier = DOMAINS[: DOMAINS.index(domain)]
    methods = [(pattern, "ignore") for one in earlier for pattern in (*one.code, *one.pages)]
    methods += [(pattern, "python") for pattern in domain.code]
    methods += [(pattern, "jinja2") for pattern in domain.pages]
    keywords = {**DEFAULT_KEYWORDS, **parse_keywords(KEYWORDS)}
    template = Catalog()
    for file, line, message, comments, context in extract_from_dir(
        ROOT, methods, keywords=keywords
    ):
        template.add(message, None, [(file, line)], auto_comments=comments, context=context)
    return template


def _new_catalog(domain: Domain, language: str) -> Catalog:
    name = Locale.parse(language).english_name
    catalog = Catalog(
        locale=language,
        project="Comanda",
        version="1",
        header_comment=f"# {name} texts of Comanda: {domain.name}.",
        last_translator="Comanda",
        language_team=name,
        revision_date=datetime.now(UTC),
        fuzzy=False,
    )
    catalog.msgid_bugs_address = ""
    return catalog
