"""Which pages of docs/ are served, in reading order, and how to search them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache, partial

from flask import url_for
from flask_babel import force_locale, lazy_gettext
from markupsafe import Markup, escape

from portal.developers.markdown import DOCS, RenderedPage, Section, render_page, resolve_path
from portal.web.choices import sort_key

EXAMPLE = "https://comanda.example.com"
# In reading order. A page whose file is missing is not listed.
CHAPTER_ORDER = (
    (
        lazy_gettext("Getting started"),
        ("getting-started", "quick-start", "sending", "message-types", "magic-numbers", "costs"),
    ),
    (lazy_gettext("Going live"), ("going-live-cloud", "linked", "lines", "templates")),
    (
        lazy_gettext("Messaging customers"),
        ("inbox", "journeys", "contacts", "campaigns", "loyalty"),
    ),
    (
        lazy_gettext("Restaurant"),
        ("restaurant", "delivery", "payments", "printing", "print-agent"),
    ),
    (
        lazy_gettext("Stores and forms"),
        ("integrations/stores", "integrations/store", "integrations/no-code"),
    ),
    (
        lazy_gettext("For developers"),
        ("webhooks", "cli", "api", "agents", "partners", "errors", "python", "typescript", "php"),
    ),
    (lazy_gettext("Account and security"), ("security", "account", "reports")),
    (
        lazy_gettext("Operating the service"),
        (
            *("operations/install", "operations/processes", "operations/scale"),
            "operations/performance",
            *("operations/backup", "operations/upgrade", "operations/health"),
            *("operations/alerts", "operations/log-events"),
            *("operations/runbook", "operations/secrets", "operations/web-server"),
            *("operations/live", "operations/deliveries", "operations/linked"),
            *("rates", "simulator"),
        ),
    ),
)
FOR_OPERATORS = frozenset(CHAPTER_ORDER[-1][1])
LISTED = {name for _, names in CHAPTER_ORDER for name in names}
NOT_SERVED = ("README", "decisions/", "tr/")
UNLISTED = tuple(
    sorted(
        name
        for file in DOCS.rglob("*.md")
        if (name := str(file.relative_to(DOCS).with_suffix(""))) not in LISTED
        and not name.startswith(NOT_SERVED)
    )
)
CHAPTERS = (*CHAPTER_ORDER, (lazy_gettext("More guides"), UNLISTED))
GUIDE_NAMES = tuple(
    name for _, names in CHAPTERS for name in names if (DOCS / f"{name}.md").is_file()
)
MOST_FOUND, MOST_WORDS = 20, 8
FILE_LINK = re.compile(r"\[[\w/-]+\.md\]\((?P<file>[^()#]+\.md)(?P<mark>#[^()]*)?\)")


@dataclass(frozen=True)
class Guide:
    name: str
    title: str
    lede: str
    html: Markup
    sections: tuple[Section, ...]
    language: str

    @property
    def headings(self) -> list[Section]:
        return [one for one in self.sections if one.level == 2]


@dataclass(frozen=True)
class Chapter:
    title: str
    guides: list[Guide]


@dataclass(frozen=True)
class SearchResult:
    guide: Guide
    section: Section
    excerpt: Markup


@lru_cache(maxsize=8)
def guides_in(locale: str, base_url: str) -> list[Guide]:
    """The guides in the reader's language where translated, with this service's own base URL."""
    found = []
    with force_locale(locale):
        for name in GUIDE_NAMES:
            twin = f"{locale}/{name}"
            place, language = (twin, locale) if (DOCS / f"{twin}.md").is_file() else (name, "en")
            text = (DOCS / f"{place}.md").read_text()
            found.append(read_guide(name, text, place, base_url, language))
    return found


def read_guide(
    name: str, text: str, place: str = "", base_url: str = EXAMPLE, language: str = "en"
) -> Guide:
    place = place or name
    text = FILE_LINK.sub(partial(_by_title, place), text.replace(EXAMPLE, base_url))
    written: RenderedPage = render_page(text, partial(link_target, place, base_url))
    return Guide(
        name, written.title or name, written.lede, written.html, written.sections, language
    )


def _by_title(place: str, link: re.Match[str]) -> str:
    """Links between files use the file name in the repository and the page title in the portal."""
    file = resolve_path(place, link["file"])
    path = next(
        (DOCS / one for one in (file, file.removeprefix("tr/")) if (DOCS / one).is_file()), None
    )
    first = path.read_text().partition("\n")[0] if path else ""
    if not first.startswith("# "):
        return link[0]
    return f"[{first.removeprefix('# ').strip()}]({link['file']}{link['mark'] or ''})"


def link_target(place: str, base_url: str, target: str) -> str | None:
    """The URL of a linked guide; None if the file is not served."""
    if target.startswith(base_url):
        return target.removeprefix(base_url) or "/"
    if target.startswith(("#", "https://", "http://", "mailto:")):
        return target
    path, mark, rest = target.partition("#")
    file = resolve_path(place, path).removeprefix("tr/")
    if file == "README.md":
        return str(url_for("guides.index"))
    if file.startswith("images/"):
        picture = file.removeprefix("images/")
        return str(url_for("guides.picture", picture=picture)) if (DOCS / file).is_file() else None
    name = file.removesuffix(".md")
    if name not in GUIDE_NAMES or not file.endswith(".md"):
        return None
    return str(url_for("guides.page", guide=name)) + mark + rest


def chapters(guides: list[Guide]) -> list[Chapter]:
    named = {one.name: one for one in guides}
    made = (
        Chapter(str(title), [named[name] for name in names if name in named])
        for title, names in CHAPTERS
    )
    return [one for one in made if one.guides]


def search_guides(guides: list[Guide], query: str) -> list[SearchResult]:
    """Find sections in which each search term starts a word; titles score higher than text."""
    words = _words(query)[:MOST_WORDS]
    if not words:
        return []
    scored = []
    for at, guide in enumerate(guides):
        ranked = sorted(
            ((_score(guide, one, words), -place) for place, one in enumerate(guide.sections)),
            reverse=True,
        )
        for score, place in ranked[:3]:
            if score:
                scored.append((-score, at, -place, guide, guide.sections[-place]))
    scored.sort(key=lambda row: row[:3])
    return [
        SearchResult(guide, section, _excerpt(section.text, words))
        for *_, guide, section in scored[:MOST_FOUND]
    ]


def _score(guide: Guide, section: Section, words: list[str]) -> int:
    """Return 0 if a term is missing or if only the page title contains them all."""
    page, heading, text = (_fold(one) for one in (guide.title, section.title, section.text))
    first = section is guide.sections[0]
    total = 0
    for word in words:
        here = 4 * heading.count(f" {word}") + min(text.count(f" {word}"), 3)
        here += 8 * page.count(f" {word}") if first else 0
        if not here:
            return 0
        total += here
    return total


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", sort_key(text))


@lru_cache(maxsize=4096)
def _fold(text: str) -> str:
    return " " + " ".join(_words(text))


def _excerpt(text: str, words: list[str]) -> Markup:
    """The first line that contains one of the terms, shortened."""
    lines = [line for line in text.splitlines() if line.strip()]
    line = next((one for one in lines if any(f" {w}" in _fold(one) for w in words)), "")
    line = line or (lines[0] if lines else "")
    return Markup("").join(_marked(_cut(line, words), words))


def _cut(line: str, words: list[str], most: int = 180) -> str:
    if len(line) <= most:
        return line
    starts = [match.start() for match in re.finditer(r"\w+", line)]
    hit = next((at for at in starts if _fold(line[at:])[1:].startswith(tuple(words))), 0)
    begin = next((at for at in starts if at >= hit - most // 3), 0) if hit > most // 2 else 0
    end = line.rfind(" ", begin, begin + most)
    end = end if end > begin else begin + most
    return ("… " if begin else "") + line[begin:end] + (" …" if end < len(line) else "")


def _marked(line: str, words: list[str]) -> Iterator[Markup]:
    for part in re.split(r"(\w+)", line):
        if part and sort_key(part).startswith(tuple(words)):
            yield Markup("<mark>{}</mark>").format(part)
        else:
            yield escape(part)
