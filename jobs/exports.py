"""Make the file of everything a tenant has; table by table, batch by batch."""

import json
import tempfile
import zipfile
from typing import IO, Any

from flask import current_app

from core.blobs import Blobs
from core.db import tenant_scope
from core.ids import new_token
from core.logs import logger
from core.rings import hear
from tenants import exporting
from tenants.accounts import every_tenant

log = logger(__name__)

README = """What is in here

account.json   the account itself, and which tables follow
*.csv          one file for each kind of thing, one line for each thing
media.csv      the files that are kept with them: table, column, and the name in our store

Passwords, tokens and other secrets are left out. Times are UTC.
"""


def make(tenant_id: int) -> int:
    """Returns how many were made."""
    hear("jobs.exports.make", tenant_id)
    made = 0
    while True:
        with tenant_scope(tenant_id):
            export_id = exporting.claim()
        if export_id is None:
            return made
        try:
            _make(tenant_id, export_id)
            made += 1
        except Exception:  # whatever it is, the page must not say "being made" for ever
            log.exception("export failed")
            with tenant_scope(tenant_id):
                exporting.fail(export_id)


def find_forgotten() -> int:
    """Old files go; what no bell announced, or whose worker died, is made."""
    hear("jobs.exports.find_forgotten")
    made = 0
    for tenant_id in every_tenant(because="exports are kept a week, and one may wait"):
        with tenant_scope(tenant_id):
            exporting.forget_old()
        made += make(tenant_id)
    return made


def _make(tenant_id: int, export_id: str) -> None:
    blobs: Blobs = current_app.extensions["blobs"]
    with tempfile.TemporaryFile() as file:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            _fill(archive, tenant_id, export_id)
        size = file.tell()
        file.seek(0)
        key = f"{tenant_id}/exports/{new_token().replace('_', 'x').replace('-', 'x')}.zip"
        blobs.put(key, file, "application/zip")
    with tenant_scope(tenant_id):
        exporting.settle(export_id, key, size)


def _fill(archive: zipfile.ZipFile, tenant_id: int, export_id: str) -> None:
    with tenant_scope(tenant_id):
        facts = exporting.account_facts()
    archive.writestr("README.txt", README)
    archive.writestr("account.json", json.dumps(facts, ensure_ascii=False, indent=2))
    records = 0
    with tempfile.TemporaryFile() as files:
        files.write(exporting.line_of(("table", "column", "file")))
        for done, name in enumerate(exporting.tables(), start=1):
            records += _table(archive, files, tenant_id, name)
            with tenant_scope(tenant_id):
                exporting.progress(export_id, done, records)
        files.seek(0)
        with archive.open("media.csv", "w") as out:
            while part := files.read(1 << 16):
                out.write(part)


def _table(archive: zipfile.ZipFile, files: IO[bytes], tenant_id: int, name: str) -> int:
    columns = [column.name for column in exporting.columns_of(name)]
    named = [column for _, column in exporting.files_of(name) if column in columns]
    records, last = 0, None
    with archive.open(f"{name}.csv", "w", force_zip64=True) as out:
        out.write(exporting.line_of(columns))
        while True:
            with tenant_scope(tenant_id):
                rows, last = exporting.rows_after(name, last)
            for row in rows:
                out.write(exporting.line_of(row))
                _note_files(files, name, named, columns, row)
            records += len(rows)
            if last is None:
                return records


def _note_files(
    files: IO[bytes], name: str, named: list[str], columns: list[str], row: list[Any]
) -> None:
    for column in named:
        if value := row[columns.index(column)]:
            files.write(exporting.line_of((name, column, value)))
