"""Keys that the service generates and stores encrypted, for digests that cannot be searched with
the database alone.

Rotating ENCRYPTION_KEYS re-encrypts these keys, so the digests made with them stay valid.
"""

import base64
import os
from datetime import datetime

from sqlalchemy import Text, delete, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Mapped, mapped_column

from core.clock import now
from core.db import Base, db
from core.security.encryption import EncryptedText
from core.security.signing import hmac_hex


class ServerKey(Base):
    __tablename__ = "server_keys"

    name: Mapped[str] = mapped_column(Text, primary_key=True)
    key: Mapped[str] = mapped_column(EncryptedText("server_keys.key"))
    made_at: Mapped[datetime] = mapped_column(default=now)


def keyed_digest(name: str, text: str) -> str:
    """HMAC-SHA256 with the key of this name, which is created on first use."""
    return hmac_hex(_key(name), text.encode())


def delete_old(beginning: str, before: datetime) -> int:
    """Delete the temporary keys made before this time. Text digested with them can no longer be
    found by its digest. Returns how many were deleted.
    """
    deleted = delete(ServerKey).where(
        ServerKey.name.startswith(beginning, autoescape=True), ServerKey.made_at < before
    )
    return len(db.session.execute(deleted.returning(ServerKey.name)).all())


def _key(name: str) -> bytes:
    query = select(ServerKey.key).where(ServerKey.name == name)
    found = db.session.scalar(query)
    if found is None:
        fresh = base64.b64encode(os.urandom(32)).decode()
        made = insert(ServerKey).values(name=name, key=fresh, made_at=now())
        db.session.execute(made.on_conflict_do_nothing())
        found = db.session.scalars(query).one()
    return base64.b64decode(found)
