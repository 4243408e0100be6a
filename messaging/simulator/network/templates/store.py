"""The templates of simulated accounts: the samples, and those that were created."""

import json
import os
import random
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from messaging.simulator.sample_templates import TEMPLATES

Template = dict[str, Any]


class TemplateStore:
    """Every account begins with the samples. With a file, a restart loses no template."""

    def __init__(self) -> None:
        self._path: Path | None = None
        self._accounts: dict[str, list[Template]] = {}
        self.handles: set[str] = set()
        """The handles of uploaded header files."""

    def read_file(self, path: Path | None) -> None:
        self._path = path
        if path is not None and path.is_file():
            self._accounts = json.loads(path.read_text())

    def templates_of(self, account_id: str) -> list[Template]:
        return self._accounts.get(account_id) or _samples_of(account_id)

    def find(self, account_id: str, name: str, language: str) -> Template | None:
        return next(
            (
                one
                for one in self.templates_of(account_id)
                if (one["name"], one["language"]) == (name, language)
            ),
            None,
        )

    def find_by_id(
        self, template_id: str, account_ids: Iterable[str]
    ) -> tuple[str, Template] | None:
        """Return the account, which is one of these, and its template."""
        for account_id in account_ids:
            if any(one["id"] == template_id for one in self.templates_of(account_id)):
                own = self.own_list(account_id)
                return account_id, next(one for one in own if one["id"] == template_id)
        return None

    def own_list(self, account_id: str) -> list[Template]:
        """The account's own list, copied from the samples on its first change."""
        return self._accounts.setdefault(account_id, _samples_of(account_id))

    def add(self, account_id: str, template: Template) -> None:
        self.own_list(account_id).append(template)
        self.save()

    def remove(self, account_id: str, name: str, template_id: str) -> int:
        """Delete one language, or all languages without an id. Returns how many were deleted."""
        own = self.own_list(account_id)
        kept = [
            one for one in own if one["name"] != name or (template_id and one["id"] != template_id)
        ]
        self._accounts[account_id] = kept
        self.save()
        return len(own) - len(kept)

    def pending(self) -> list[tuple[str, Template]]:
        return [
            (account_id, one)
            for account_id, own in self._accounts.items()
            for one in own
            if one["status"] == "PENDING"
        ]

    def save(self) -> None:
        if self._path is None:
            return
        beside = self._path.with_name(f"{self._path.name}.new")
        opened = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(opened, "w") as file:
            json.dump(self._accounts, file)
        beside.replace(self._path)


def _samples_of(account_id: str) -> list[Template]:
    """Copies of the samples. Their ids are the account's own, and the same after a restart."""
    own = zlib.crc32(account_id.encode()) % 10**6
    return [{**one, "id": f"{one['id']}{own:06}"} for one in TEMPLATES]


def new_template_id() -> str:
    return str(random.randrange(10**14, 10**15))  # noqa: S311 - an id, no secret
