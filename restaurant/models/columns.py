"""What the tables of this package share."""

from typing import Any

from sqlalchemy import ForeignKeyConstraint, Numeric
from sqlalchemy.orm import mapped_column

from core.ids import Id, new_id

MONEY = Numeric(14, 3)
"""Three places: some currencies have them."""
PERCENT = Numeric(6, 3)
DEGREES = Numeric(9, 6)


def new_key(prefix: str) -> Any:
    return mapped_column(Id(prefix), primary_key=True, default=lambda: new_id(prefix))


def of_tenant(columns: list[str], table: str, keys: list[str], **more: Any) -> Any:
    """A foreign key that stays inside the tenant."""
    return ForeignKeyConstraint(
        ["tenant_id", *columns], [f"{table}.{key}" for key in ("tenant_id", *keys)], **more
    )
