"""The templates of simulated accounts: the samples, and those that were created."""

import json
import os
import random
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
        return self._accounts.get(account_id, TEMPLATES)

    def find(self, account_id: str, name: str, language: str) -> Template | None:
        return next(
            (
                one
                for one in self.templates_of(account_id)
                if (one["name"], one["language"]) == (name, language)
            ),
            None,
        )

    def find_by_id(self, template_id: str) -> tuple[str, Template] | None:
        """Return the account and the template. Samples have the same id in every account."""
        for account_id, own in self._accounts.items():
            for one in own:
                if one["id"] == template_id:
                    return account_id, one
        return None

    def own_list(self, account_id: str) -> list[Template]:
        """The account's own list, copied from the samples on its first change."""
        if account_id not in self._accounts:
            self._accounts[account_id] = [
                {**one, "id": f"{one['id']}{random.randrange(10**6):06}"}  # noqa: S311
                for one in TEMPLATES
            ]
        return self._accounts[account_id]

    def add(self, account_id: str, template: Template) -> None:
        self.own_list(account_id).append(template)
        self.save()

    def remove(self, account_id: str, name: str, template_id: str) -> int:
        """Delete one language, or all languages without an id. Returns how many were deleted."""
        own = self.own_list(account_id)
        kept = [
            one
            for one in own
            if one["name"] != name or (template_id and not _same_id(one["id"], template_id))
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


def _same_id(own_id: str, given: str) -> bool:
    """A sample that was copied into an account is still found by the id of the sample."""
    return own_id == given or own_id[:-6] == given


def new_template_id() -> str:
    return str(random.randrange(10**14, 10**15))  # noqa: S311 - an id, no secret
