"""Encryption at rest: AES-256-GCM with named keys, so that keys can be rotated.

An envelope is text, ``v1.<key id>.<base64url of nonce, ciphertext and tag>``. The context (the
column, and the tenant where there is one) is authenticated with it: an envelope that is copied to
another column or another tenant's row cannot be decrypted.
"""

import base64
import binascii
import os
import re
from collections.abc import Callable, Mapping
from typing import Self

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from sqlalchemy import Dialect, Text
from sqlalchemy.exc import DontWrapMixin
from sqlalchemy.types import TypeDecorator

_KEY_ID = re.compile(r"[A-Za-z0-9_-]{1,32}")
_VERSION = "v1"
_NONCE = 12
_TAG = 16


class KeyringError(DontWrapMixin, ValueError):
    code = "keyring"


class BadKeyring(KeyringError):
    """The setting with the keys cannot be used."""

    code = "bad_keyring"


class UnknownKey(KeyringError):
    """The envelope was made with a key that is not on the keyring."""

    code = "unknown_key"


class BadEnvelope(KeyringError):
    """The text is not an envelope, was changed, or belongs to another context."""

    code = "bad_envelope"


class Keyring:
    def __init__(self, keys: Mapping[str, bytes]) -> None:
        """The first key encrypts; all of them decrypt. Raises BadKeyring."""
        if not keys:
            raise BadKeyring("there is no encryption key: at least one id:key is needed")
        for key_id, key in keys.items():
            if not _KEY_ID.fullmatch(key_id):
                raise BadKeyring("an encryption key's id is 1 to 32 letters, digits, - or _")
            if len(key) != 32:
                raise BadKeyring(
                    f"encryption key {key_id} has {len(key)} bytes; 32 bytes are needed"
                )
        self.current = next(iter(keys))
        self._ciphers = {key_id: AESGCM(key) for key_id, key in keys.items()}

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse ``k2:base64,k1:base64``, newest first. Raises BadKeyring."""
        keys: dict[str, bytes] = {}
        for entry in filter(None, (part.strip() for part in text.split(","))):
            key_id, colon, encoded = entry.partition(":")
            if not colon:
                raise BadKeyring("encryption keys are written id:base64, separated by commas")
            if key_id in keys:
                raise BadKeyring(f"encryption key {key_id} is given twice")
            try:
                keys[key_id] = _unbase64(encoded)
            except ValueError:
                raise BadKeyring(f"encryption key {key_id} is not base64") from None
        return cls(keys)

    @staticmethod
    def new_entry(key_id: str) -> str:
        """A new random key in the form of the setting: ``k1:…``."""
        return f"{key_id}:{base64.b64encode(os.urandom(32)).decode()}"

    @property
    def key_ids(self) -> tuple[str, ...]:
        return tuple(self._ciphers)

    def encrypt(self, plain: str | bytes, context: str) -> str:
        data = plain.encode() if isinstance(plain, str) else plain
        nonce = os.urandom(_NONCE)
        cipher = self._ciphers[self.current]
        sealed = nonce + cipher.encrypt(nonce, data, _bound_to(self.current, context))
        return f"{_VERSION}.{self.current}.{base64.urlsafe_b64encode(sealed).decode().rstrip('=')}"

    def decrypt(self, envelope: str, context: str) -> str:
        return self.decrypt_bytes(envelope, context).decode()

    def decrypt_bytes(self, envelope: str, context: str) -> bytes:
        key_id, sealed = _open(envelope)
        cipher = self._ciphers.get(key_id)
        if cipher is None:
            raise UnknownKey(f"the secret was sealed with key {key_id}, which is not on the ring")
        try:
            return cipher.decrypt(sealed[:_NONCE], sealed[_NONCE:], _bound_to(key_id, context))
        except InvalidTag:
            raise BadEnvelope(
                f"the secret does not open as {context}: it was changed, or belongs elsewhere"
            ) from None

    def needs_rotation(self, envelope: str) -> bool:
        return _open(envelope)[0] != self.current

    def reencrypt(self, envelope: str, context: str) -> str:
        """The same secret under the current key; the same envelope if it already uses that key."""
        if not self.needs_rotation(envelope):
            return envelope
        return self.encrypt(self.decrypt_bytes(envelope, context), context)

    def __repr__(self) -> str:
        return f"<Keyring {', '.join(self._ciphers)}>"


_keyring: Keyring | None = None
_tenant: Callable[[], object] | None = None


def set_keyring(keyring: Keyring, tenant: Callable[[], object] | None = None) -> None:
    """Set the process's keyring, and the function that returns the tenant for per-tenant
    columns.
    """
    global _keyring, _tenant
    _keyring, _tenant = keyring, tenant


def current_keyring() -> Keyring:
    if _keyring is None:
        raise KeyringError("no keyring is set: call use_keyring() when the process starts")
    return _keyring


def reencrypt(envelope: str, context: str) -> str:
    return current_keyring().reencrypt(envelope, context)


class EncryptedText(TypeDecorator[str]):
    """A text column that is encrypted in the database: ``EncryptedText("members.totp_secret")``.

    With ``per_tenant=True`` the tenant of the transaction becomes part of the context.
    """

    impl = Text
    cache_ok = True

    def __init__(self, context: str, per_tenant: bool = False) -> None:
        super().__init__()
        self.context = context
        self.per_tenant = per_tenant

    def context_of(self, tenant: object = None) -> str:
        """The context of the envelope. Key rotation passes it to `reencrypt`."""
        if not self.per_tenant:
            return self.context
        if tenant is None and _tenant is not None:
            tenant = _tenant()
        if tenant is None:
            raise KeyringError(f"{self.context} is sealed per tenant and no tenant is set")
        return f"{self.context}@{tenant}"

    def process_bind_param(self, value: str | None, _dialect: Dialect) -> str | None:
        return None if value is None else current_keyring().encrypt(value, self.context_of())

    def process_result_value(self, value: str | None, _dialect: Dialect) -> str | None:
        return None if value is None else current_keyring().decrypt(value, self.context_of())

    def __repr__(self) -> str:
        return f"Sealed({self.context!r}, per_tenant={self.per_tenant!r})"


def _bound_to(key_id: str, context: str) -> bytes:
    return f"{_VERSION}.{key_id}.{context}".encode()


def _open(envelope: str) -> tuple[str, bytes]:
    version, _, rest = envelope.partition(".")
    key_id, dot, body = rest.partition(".")
    if version != _VERSION or not dot or not _KEY_ID.fullmatch(key_id):
        raise BadEnvelope("that is not a sealed secret: it does not begin with v1 and a key id")
    try:
        sealed = _unbase64(body)
    except ValueError:
        raise BadEnvelope("that is not a sealed secret: its body is not base64") from None
    if len(sealed) < _NONCE + _TAG:
        raise BadEnvelope("that is not a sealed secret: it is too short")
    return key_id, sealed


def _unbase64(text: str) -> bytes:
    """Decode both base64 alphabets, with or without padding, and nothing else."""
    plain = text.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        return base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True)
    except binascii.Error as error:
        raise ValueError(str(error)) from None
