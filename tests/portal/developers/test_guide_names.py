"""Bold words in the guides are names of buttons, menus and pages, as the pages show them."""

import re

import pytest
from babel.messages.pofile import read_po

from core.i18n.catalogs import TRANSLATIONS
from portal.developers.markdown import DOCS

ROOT = DOCS.parent
OF_OTHERS = {  # names on Meta's pages and of a file that Python installs
    "Admin",
    "App secret",
    "App settings > Basic",
    "Business",
    "Install Certificates.command",
    "Never",
    "Phone number ID",
    "Users > System users",
    "Verify and save",
    "WhatsApp",
    "WhatsApp > API Setup",
    "WhatsApp > Configuration",
    "WhatsApp Business Account ID",
}


def names_shown(locale: str) -> set[str]:
    """All texts of the portal, the guest and courier pages, the chat and the simulated phones."""
    shown: set[str] = set()
    for name in ("messages", "diner", "courier", "chat", "simulator"):
        with (TRANSLATIONS / f"tr/LC_MESSAGES/{name}.po").open("rb") as file:
            messages = [one for one in read_po(file, "tr") if one.id]
        texts = [one.id if locale == "en" else one.string for one in messages]
        shown |= {text for one in texts for text in ([one] if isinstance(one, str) else one)}
    return shown


def bold_words(text: str) -> set[str]:
    prose = re.sub(r"(?ms)^ *```.*?^ *```", "", text)
    return {" ".join(one.split()) for one in re.findall(r"\*\*([^*]+)\*\*", prose)}


@pytest.mark.parametrize("locale", ["en", "tr"])
def test_bold_words_are_names_on_the_pages(locale):
    shown = names_shown(locale)
    for file in DOCS.rglob("*.md"):
        place = file.relative_to(DOCS).parts
        if place[0] != "decisions" and (place[0] == "tr") == (locale == "tr"):
            assert bold_words(file.read_text()) <= shown | OF_OTHERS, file


def test_the_steps_of_the_readme_use_names_on_the_pages():
    steps = (ROOT / "README.md").read_text().split("## Next steps")[1].split("\n## ")[0]
    assert {"Guest page", "Order board"} <= bold_words(steps) <= names_shown("en")


def test_a_name_of_an_earlier_release_is_found():
    assert bold_words("Open **Orders board**, then **Guest\npage**.") - names_shown("en") == {
        "Orders board"
    }
