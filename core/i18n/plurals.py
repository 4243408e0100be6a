"""Messages whose wording depends on a number."""

from collections.abc import Mapping
from typing import NamedTuple


class Plural(NamedTuple):
    """A text with a number in it, for one and for several."""

    one: str
    other: str
    number: str
    """The name of the value that decides between them."""

    def count(self, values: Mapping[str, object]) -> int:
        return int(str(values[self.number]))

    def english(self, values: Mapping[str, object]) -> str:
        return self.one if self.count(values) == 1 else self.other


Message = str | Plural
