"""Web push: encrypt a notification for one browser (RFC 8291) and sign the request (RFC 8292).

Written with `cryptography`, which the service needs anyway, instead of a library with its own HTTP
client: requests to push services go through the guarded client.
"""

import base64
import json
import os
import struct
import time
from dataclasses import dataclass
from urllib.parse import urlsplit

from cryptography.exceptions import InvalidKey
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

RECORD_SIZE = 4096
LARGEST_TEXT = 2800
"""Push services accept 4096 bytes with everything; this leaves room."""
TOKEN_SECONDS = 12 * 3600
_PADDING = b"\x02"  # ends the last and only record


class BadSubscription(ValueError):
    """The browser's keys are not valid."""


@dataclass(frozen=True)
class BrowserKeys:
    """What a browser gives when it subscribes, base64url."""

    public_key: str
    auth_secret: str

    def check(self) -> None:
        """Raises BadSubscription."""
        _read_public_key(self.public_key)
        if len(_decoded(self.auth_secret)) != 16:
            raise BadSubscription("the authentication secret must have 16 bytes")


def new_private_key() -> str:
    """A key pair of this service; the private number as base64url."""
    number = ec.generate_private_key(ec.SECP256R1()).private_numbers().private_value
    return encoded(number.to_bytes(32, "big"))


def public_key_of(private_key: str) -> str:
    """What browsers need to subscribe."""
    return encoded(_point(_private_key(private_key).public_key()))


def encrypt(text: bytes, browser: BrowserKeys) -> bytes:
    """The body of a push message, `Content-Encoding: aes128gcm`."""
    if len(text) > LARGEST_TEXT:
        raise ValueError("the notification is too long")
    their_key, secret = _read_public_key(browser.public_key), _decoded(browser.auth_secret)
    own = ec.generate_private_key(ec.SECP256R1())
    shared = own.exchange(ec.ECDH(), their_key)
    own_point, salt = _point(own.public_key()), os.urandom(16)
    info = b"WebPush: info\x00" + _point(their_key) + own_point
    material = _derive(secret, shared, info, 32)
    key = _derive(salt, material, b"Content-Encoding: aes128gcm\x00", 16)
    nonce = _derive(salt, material, b"Content-Encoding: nonce\x00", 12)
    sealed = AESGCM(key).encrypt(nonce, text + _PADDING, None)
    return salt + struct.pack("!IB", RECORD_SIZE, len(own_point)) + own_point + sealed


def authorization(endpoint: str, private_key: str, contact: str) -> str:
    """The header that names this service to the push service; `contact` is mailto: or https:."""
    parts = urlsplit(endpoint)
    claims = {
        "aud": f"{parts.scheme}://{parts.netloc}",
        "exp": int(time.time()) + TOKEN_SECONDS,
        "sub": contact,
    }
    head = encoded(json.dumps({"typ": "JWT", "alg": "ES256"}).encode())
    signed = f"{head}.{encoded(json.dumps(claims).encode())}"
    signature = _private_key(private_key).sign(signed.encode(), ec.ECDSA(hashes.SHA256()))
    r, s = decode_dss_signature(signature)
    token = f"{signed}.{encoded(r.to_bytes(32, 'big') + s.to_bytes(32, 'big'))}"
    return f"vapid t={token}, k={public_key_of(private_key)}"


def encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _decoded(text: str) -> bytes:
    try:
        return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except ValueError:
        raise BadSubscription("not base64url") from None


def _private_key(text: str) -> ec.EllipticCurvePrivateKey:
    return ec.derive_private_key(int.from_bytes(_decoded(text), "big"), ec.SECP256R1())


def _read_public_key(text: str) -> ec.EllipticCurvePublicKey:
    try:
        return ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), _decoded(text))
    except (ValueError, InvalidKey):
        raise BadSubscription("not a point of the curve") from None


def _point(key: ec.EllipticCurvePublicKey) -> bytes:
    return key.public_bytes(
        serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint
    )


def _derive(salt: bytes, material: bytes, info: bytes, length: int) -> bytes:
    return HKDF(hashes.SHA256(), length, salt, info).derive(material)
