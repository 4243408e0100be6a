"""The content of a ticket as a tree, independent of printers. Stored with its job as JSON."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Literal, get_args

Align = Literal["left", "center", "right"]
VERSION = 1
RIGHT_TO_LEFT = frozenset({"ar", "fa", "he", "ur", "ps", "ckb"})


@dataclass(frozen=True)
class Heading:
    """Double size, centred."""

    kind: ClassVar[str] = "heading"
    text: str


@dataclass(frozen=True)
class LargeText:
    """As large as the paper allows: the table, PICKUP."""

    kind: ClassVar[str] = "big"
    text: str


@dataclass(frozen=True)
class TextLine:
    kind: ClassVar[str] = "line"
    text: str
    align: Align = "left"
    bold: bool = False


@dataclass(frozen=True)
class Item:
    """The quantity comes first; the amount, on bills only, is at the edge."""

    kind: ClassVar[str] = "item"
    quantity: int
    text: str
    amount: str = ""
    large: bool = False


@dataclass(frozen=True)
class Option:
    """Indented below its item."""

    kind: ClassVar[str] = "option"
    text: str
    large: bool = False


@dataclass(frozen=True)
class Removal:
    """An ingredient to leave out: white on black."""

    kind: ClassVar[str] = "removal"
    text: str
    large: bool = False


@dataclass(frozen=True)
class Note:
    """The customer's note below the item."""

    kind: ClassVar[str] = "note"
    text: str
    large: bool = False


@dataclass(frozen=True)
class Band:
    """White on black over the whole width: allergies, VOID, FALLBACK."""

    kind: ClassVar[str] = "band"
    text: str
    large: bool = True


@dataclass(frozen=True)
class Columns:
    """One text at each edge."""

    kind: ClassVar[str] = "columns"
    left: str
    right: str
    bold: bool = False


@dataclass(frozen=True)
class Total:
    """Like Columns, but large."""

    kind: ClassVar[str] = "total"
    left: str
    right: str


@dataclass(frozen=True)
class Rule:
    kind: ClassVar[str] = "rule"
    double: bool = False


@dataclass(frozen=True)
class Space:
    kind: ClassVar[str] = "space"
    lines: int = 1


@dataclass(frozen=True)
class Qr:
    kind: ClassVar[str] = "qr"
    text: str


@dataclass(frozen=True)
class Cut:
    kind: ClassVar[str] = "cut"


Part = (
    Heading | LargeText | TextLine | Item | Option | Removal | Note | Band | Columns | Total | Rule
    | Space | Qr | Cut
)  # fmt: skip
KINDS: dict[str, type[Part]] = {part.kind: part for part in get_args(Part)}


class BadDocument(ValueError):
    """Stored by a newer version, or not a document."""


@dataclass(frozen=True)
class Document:
    title: str
    """For lists: ORD-20261115-0007 · KITCHEN."""
    parts: tuple[Part, ...]
    language: str = "en"

    @property
    def right_to_left(self) -> bool:
        return self.language.partition("-")[0] in RIGHT_TO_LEFT

    def with_banner(self, *parts: Part) -> "Document":
        """Return a copy with these parts on top: REPRINT, FALLBACK."""
        return Document(self.title, (*parts, *self.parts), self.language)

    def as_json(self) -> dict[str, Any]:
        return {
            "version": VERSION,
            "title": self.title,
            "language": self.language,
            "parts": [{"kind": part.kind, **asdict(part)} for part in self.parts],
        }

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> "Document":
        if stored.get("version") != VERSION:
            raise BadDocument(f"a document of version {stored.get('version')!r}")
        return cls(stored["title"], tuple(_parts(stored["parts"])), stored["language"])


def _parts(stored: Iterable[Mapping[str, Any]]) -> Iterable[Part]:
    for one in stored:
        fields = dict(one)
        kind = KINDS.get(fields.pop("kind", ""))
        if kind is None:
            raise BadDocument(f"a part that is not known: {one!r}")
        try:
            yield kind(**fields)
        except TypeError as wrong:
            raise BadDocument(str(wrong)) from None
