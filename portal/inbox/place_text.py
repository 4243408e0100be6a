"""A place that a member types or pastes: coordinates, or a map link."""

import re

from core.errors import invalid

_NUMBERS = r"(-?\d{1,3}(?:\.\d{1,15})?)"
COORDINATES = re.compile(rf"{_NUMBERS}\s{{0,5}}[,; ]\s{{0,5}}{_NUMBERS}")
COORDINATES_IN_LINK = re.compile(
    rf"(?:@|[?&](?:q|ll|query|destination|center)=|!3d){_NUMBERS}(?:,|%2C|!4d){_NUMBERS}"
)


def parse_place(written: str, field: str = "place") -> tuple[float, float, str] | None:
    """Parse `41.01, 28.97` or a map link; any other text is the name of the place."""
    written = written.strip()[:2000]
    if not written:
        return None
    found = COORDINATES_IN_LINK.search(written) or COORDINATES.search(written)
    if found is None:
        raise invalid(field, "invalid_place", "Enter latitude and longitude, or paste a map link.")
    name = "" if "://" in written else written.replace(found[0], "").strip(" ,;-–")
    return float(found[1]), float(found[2]), name[:200]
