"""Codes of short links: 20 characters that name no person and cannot be guessed.

A code has 56 random bits. The rest tells which tenant's table has the link, mixed with the random
part, so that it is found with one read.
"""

import base64
import binascii
import re
import secrets
from hashlib import blake2s

_TENANT_BYTES, _RANDOM_BYTES = 8, 7
_CODE = re.compile(r"[A-Za-z0-9_-]{20}", re.ASCII)


def new_code(tenant_id: int) -> str:
    tail = secrets.token_bytes(_RANDOM_BYTES)
    head = (tenant_id ^ _mask(tail)).to_bytes(_TENANT_BYTES)
    return base64.urlsafe_b64encode(head + tail).decode()


def tenant_of(code: str) -> int | None:
    """None if it cannot be a code of ours."""
    if not _CODE.fullmatch(code):
        return None
    try:
        raw = base64.urlsafe_b64decode(code)
    except (binascii.Error, ValueError):
        return None
    tenant_id = int.from_bytes(raw[:_TENANT_BYTES]) ^ _mask(raw[_TENANT_BYTES:])
    return tenant_id or None


def _mask(tail: bytes) -> int:
    digest = blake2s(tail, digest_size=_TENANT_BYTES, person=b"link").digest()
    return int.from_bytes(digest)
