"""Parse one row of a file into contact values, or report what is wrong with it."""

from dataclasses import dataclass, field
from typing import Any

from core.errors import invalid
from core.values.network_address import is_network_id
from core.values.text import BadText, normalize_text, one_line
from core.values.yes_no import words_of, yes_or_no
from messaging.contacts import consent as contact_consent
from messaging.contacts import custom_fields
from messaging.contacts import identities as people
from messaging.contacts import repository as contact_repository
from messaging.contacts import validation as contact_validation
from messaging.contacts.importing.csv_files import LONGEST_CELL, FileRow
from messaging.models import ContactField, ContactImport
from tenants import accounts

CONSENT_COLUMNS = frozenset({"consent", "consent_source"})


@dataclass
class ParsedRow:
    """A valid row."""

    line: int
    cells: list[str]
    phone: str
    """Empty if the row has only a network id."""
    key: str
    """The phone as it is stored, else the network id."""
    network_id: str = ""
    username: str = ""
    name: str = ""
    language: str = ""
    tags: list[str] = field(default_factory=list)
    fields: dict[str, str] = field(default_factory=dict)
    birthday: int | None = None
    birth_year: int | None = None
    note: str = ""
    source: str = ""
    """How they agreed; empty without consent."""
    consent: bool | None = None
    """True if given, False if refused, None if unclear."""


@dataclass(frozen=True)
class RowError:
    line: int
    cells: list[str]
    field: str
    cause: str
    values: dict[str, Any]


class RowParser:
    def __init__(self, one: ContactImport) -> None:
        options = one.options
        self.meanings: list[str] = one.columns["meanings"]
        self.country = options.get("country") or accounts.home_country() or None
        self.tags = list(options.get("tags") or ())
        self.source = str(options.get("consent_source") or "")
        self.file_name = one.file_name
        self.headings: dict[str, str] = dict(zip(self.meanings, one.columns["names"], strict=False))
        self.asks_consent = bool(self.source) or not CONSENT_COLUMNS.isdisjoint(self.meanings)
        self.updates = bool(options.get("update", True))
        self.own: dict[str, ContactField] = {one.id: one for one in custom_fields.list_fields()}

    def read(self, row: FileRow) -> ParsedRow:
        cells: dict[str, str] = {}
        tags: list[str] = []
        for meaning, cell in zip(self.meanings, row.cells, strict=False):
            if meaning:
                words = _clean_cell(cell, meaning)
                if meaning == "tags":
                    tags += words.replace(";", ",").replace("|", ",").split(",")
                else:
                    cells[meaning] = words
        phone, network_id = self._addresses(cells)
        name = cells.get("name", "")
        if not name:
            name = f"{cells.get('first_name', '')} {cells.get('last_name', '')}"
        birthday, year = contact_validation.parse_birthday(cells.get("birthday", ""))
        values = {
            meaning.removeprefix("field:"): custom_fields.parse_value(self.own[meaning[6:]], value)
            for meaning, value in cells.items()
            if meaning.startswith("field:") and meaning[6:] in self.own
        }
        agreed, source = self._consent(cells)
        return ParsedRow(
            line=row.line,
            cells=row.cells,
            phone=phone,
            key=people.canonical_spelling(phone) if phone else network_id,
            network_id=network_id,
            username=one_line(cells.get("username", "").lstrip("@"), people.LONGEST_USERNAME),
            name=contact_validation.parse_name(name),
            language=contact_validation.parse_language(cells.get("language", "")),
            tags=contact_validation.parse_tags([*tags, *self.tags]),
            fields={key: value for key, value in values.items() if value},
            birthday=birthday,
            birth_year=year,
            note=cells.get("note", "")[: contact_repository.LONGEST_NOTE],
            source=source,
            consent=agreed,
        )

    def _addresses(self, cells: dict[str, str]) -> tuple[str, str]:
        """The phone and the network id, one of which may be empty."""
        written, network_id = cells.get("phone", ""), cells.get("network_id", "").strip()
        if network_id and not is_network_id(network_id):
            raise invalid(
                "network_id",
                "invalid_network_id",
                "This is not a WhatsApp ID. It looks like TR.13491208655302741918 or "
                "123456789012345@lid.",
            )
        if not written and not network_id and cells.get("username"):
            raise invalid(
                "username",
                "missing_phone",
                "A user name alone is not enough, because it can change. Add the phone number or "
                "the WhatsApp ID.",
            )
        if not written and not network_id and "network_id" in self.meanings:
            raise invalid(
                "phone", "missing_phone", "The phone number and the WhatsApp ID are missing."
            )
        if not written and not network_id:
            raise invalid("phone", "missing_phone", "The phone number is missing.")
        if not written:
            return "", network_id
        phone = contact_validation.parse_phone(_undo_spreadsheet(written), self.country)
        return phone, network_id

    def _consent(self, values: dict[str, str]) -> tuple[bool | None, str]:
        """Return whether this row consents, and how.

        Only a clear yes or a stated way of agreeing counts as consent. A cell of the row takes
        precedence over the option for all rows.
        """
        way = values.get("consent_source", "")
        answered = yes_or_no(way) if len(words_of(way)) < 2 else None
        if answered is not None or not words_of(way):
            way = ""  # “no”, “1” or “-” is an answer, not a way of agreeing
        if "consent" in self.headings:
            agreed = None if answered is False else yes_or_no(values.get("consent", ""))
        elif answered is not None:
            agreed = answered
        elif "consent_source" in self.headings:
            agreed = bool(way) or None
        else:
            agreed = bool(self.source) or None
        if not agreed:
            return agreed, ""
        heading = self.headings.get("consent") or self.headings.get("consent_source")
        way = way or self.source or " · ".join(filter(None, (self.file_name, heading)))
        return True, one_line(way, contact_consent.LONGEST_SOURCE)


def _clean_cell(cell: str, meaning: str) -> str:
    if len(cell) > LONGEST_CELL:
        raise invalid(meaning, "long_cell", "This cell is longer than 10,000 characters.")
    try:
        return normalize_text(cell)
    except BadText:
        raise invalid(meaning, "invalid_text", "The text contains an invalid character.") from None


def _undo_spreadsheet(written: str) -> str:
    """Undo what spreadsheets do to long numbers: ="9053…", '9053…, 905321112233.0."""
    bare = written.removeprefix("=").strip("\"'` ")
    whole, dot, rest = bare.partition(".")
    return whole if dot and whole.isdigit() and len(whole) > 7 and not rest.strip("0") else bare
