"""No upload makes a process grow by more than 100 MB.

Images and spreadsheets, whose bytes unpack to more, are measured in tests/core/storage.
"""

import subprocess
import sys

MB = 2**20
# The command line has pairs: how to read a file, and its name. Prints the memory after each.
MEASURED = """
import resource, sys
from types import SimpleNamespace
from api.v1 import parse_json
from core.errors import DomainError
from messaging.contacts.importing import csv_files
from messaging.messages.media import uploads
from restaurant.menus import import_files

def contacts(file):
    sheet = csv_files.detect_format(file)
    file.seek(0)
    for _ in csv_files.read_rows(file, sheet.encoding, sheet.delimiter, sheet.has_header):
        pass

def document(file):
    uploads.url_for_network = lambda *_: ""
    store = SimpleNamespace(put=lambda _key, body, _kind: SimpleNamespace(size=len(body)))
    uploads.store_upload(store, file, "notes.txt", "7")

def menu(file):
    text = import_files.decode(import_files.as_table(file.read()))
    for _ in (import_files.rows_of_json if text[0] == "[" else import_files.rows_of_csv)(text):
        pass

def body(file):
    parse_json(file.read())

before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for way, name in zip(sys.argv[1::2], sys.argv[2::2]):
    try:
        with open(name, "rb") as file:
            locals()[way](file)
    except (ValueError, DomainError) as refused:
        print(type(refused).__name__, file=sys.stderr)
    print(way, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""
HOSTILE = [
    ("contacts", b"phone,name\n", b"ab,", 24 * MB),
    ("contacts", b"phone,name\n", b'"\n","b",', 24 * MB),
    ("contacts", b"phone,name\n\xf0\x9f\x98\x80", b"a", 24 * MB),
    ("contacts", b'phone,name\n"', b"a\n", 24 * MB),
    ("document", b"\xf0\x9f\x98\x80", b"a", 24 * MB),
    ("menu", b"name,price\n", b"ab,", MB // 2 - 100),
    ("menu", b"[", b"{},", MB // 2 - 100),
    ("body", b'{"a":[', b"{},", MB - 100),
]


def test_no_upload_takes_more_than_100_megabytes(tmp_path):
    given = []
    for number, (way, start, piece, size) in enumerate(HOSTILE):
        file = tmp_path / str(number)
        file.write_bytes(start + piece * (size // len(piece)))
        given += [way, str(file)]
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, *given],
        capture_output=True, text=True, check=True, timeout=120,
    )  # fmt: skip
    grown = [line.split() for line in done.stdout.splitlines()]
    assert [way for way, _ in grown] == [way for way, *_ in HOSTILE]
    assert all(int(megabytes) < 100 for _, megabytes in grown), grown
