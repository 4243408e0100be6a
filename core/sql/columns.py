"""Columns and keys that the tables of every package use."""

from typing import Any

from sqlalchemy import ForeignKeyConstraint
from sqlalchemy.orm import mapped_column

from core.ids import Id, new_id


def id_column(prefix: str) -> Any:
    return mapped_column(Id(prefix), primary_key=True, default=lambda: new_id(prefix))


def tenant_foreign_key(columns: list[str], table: str, keys: list[str], **more: Any) -> Any:
    """A foreign key that includes the tenant, so that it cannot refer to another tenant's row."""
    return ForeignKeyConstraint(
        ["tenant_id", *columns], [f"{table}.{key}" for key in ("tenant_id", *keys)], **more
    )
