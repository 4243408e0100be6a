"""CSV answers come from one helper, which adds the byte order mark and disarms formulas."""

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
HELPER = "portal/web/csv_files.py"
BY_HAND = re.compile(r"csv\.(writer|DictWriter)\b|text/csv")
NOT_ANSWERS = {"api/v1/messaging/contact_imports.py": "turns JSON rows into the file to import"}


def test_no_entry_point_writes_csv_by_hand():
    found = {
        str(file.relative_to(ROOT))
        for package in ("api", "portal", "jobs")
        for file in (ROOT / package).rglob("*.py")
        if BY_HAND.search(file.read_text())
    }
    assert found == {HELPER, *NOT_ANSWERS}
