"""Secrets at rest: AES-256-GCM, bound to the row and column they stand in. Pure; the nonce is an argument.

A sealed text opens only with its own key, in its own place: copied into another workspace's row it is refused.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

KEY_BYTES = 32
NONCE_BYTES = 12
VERSION = b"\x01"
FEWEST_DIFFERENT = 12
"""Different bytes among the 32: random ones always have more, and a key that somebody typed has fewer."""

HOW_TO_MAKE_ONE = "make one with: openssl rand -base64 32"

_PURPOSE = b"team-drills: tokens at rest, version 1"


class SealFault(Exception):
    """A secret cannot be opened; the text says why and what to do, and holds nothing of the secret."""


@dataclass(frozen=True, slots=True)
class Sealed:
    """``text`` is what the column holds, ``key_id`` names the key that opens it."""

    text: str
    key_id: str


@dataclass(frozen=True, slots=True)
class Keyring:
    """The first key seals, all of them open: so keys are changed without a moment in which nothing can be read."""

    keys: Sequence[bytes] = field(repr=False)

    @classmethod
    def parse(cls, text: str) -> Keyring:
        """Keys of 32 bytes in base64 or hex, separated by commas. Raises ``ValueError`` with the cure."""
        given = [part.strip() for part in text.split(",") if part.strip()]
        if not given:
            raise ValueError(f"there is no key in it; {HOW_TO_MAKE_ONE}")
        secrets = [_secret(part) for part in given]
        # The setting serves other purposes too: no two of them ever share a key.
        return cls(tuple(hmac.new(secret, _PURPOSE, hashlib.sha256).digest() for secret in secrets))

    @property
    def key_id(self) -> str:
        """The name of the key that seals."""
        return _key_id(self.keys[0])

    def seal(self, plain: str, place: Sequence[str], nonce: bytes) -> Sealed:
        """``place``: platform, workspace and column. ``nonce``: 12 random bytes, never used twice with one key."""
        if len(nonce) != NONCE_BYTES:
            raise ValueError(f"A nonce has {NONCE_BYTES} bytes.")
        key = self.keys[0]
        sealed = AESGCM(key).encrypt(nonce, plain.encode(), _about(place))
        return Sealed(base64.urlsafe_b64encode(VERSION + nonce + sealed).decode(), _key_id(key))

    def open(self, sealed: Sealed, place: Sequence[str]) -> str:
        """The secret. Raises ``SealFault`` where key, place or text are not those it was sealed with."""
        key = next((key for key in self.keys if _key_id(key) == sealed.key_id), None)
        if key is None:
            raise SealFault(
                f"A token is sealed with the key {sealed.key_id or '?'}, which DRILLS_SECRET_KEY does not hold: "
                "add that key behind the new one, or install the app again."
            )
        try:
            raw = base64.b64decode(sealed.text.encode(), altchars=b"-_", validate=True)
            if raw[:1] != VERSION:
                raise ValueError
            opened = AESGCM(key).decrypt(raw[1 : 1 + NONCE_BYTES], raw[1 + NONCE_BYTES :], _about(place))
        except (ValueError, binascii.Error, InvalidTag):
            raise SealFault(
                "A sealed token is damaged or stands in another workspace's row: install the app there again."
            ) from None
        return opened.decode()


def _secret(text: str) -> bytes:
    secret = bytes.fromhex(text) if re.fullmatch("[0-9a-fA-F]{64}", text) else _from_base64(text)
    if len(secret) != KEY_BYTES:
        raise ValueError(f"a key is {KEY_BYTES} random bytes in base64 or hex; {HOW_TO_MAKE_ONE}")
    if len(set(secret)) < FEWEST_DIFFERENT:
        raise ValueError(f"a key has to be random; {HOW_TO_MAKE_ONE}")
    return secret


def _from_base64(text: str) -> bytes:
    plain = text.rstrip("=").replace("+", "-").replace("/", "_")
    try:
        return base64.b64decode(plain + "=" * (-len(plain) % 4), altchars=b"-_", validate=True)
    except (ValueError, binascii.Error):
        return b""


def _key_id(key: bytes) -> str:
    """A name that tells nothing of the key."""
    return hashlib.sha256(b"key id:" + key).hexdigest()[:12]


def _about(place: Sequence[str]) -> bytes:
    """Each part with its length before it, so that no two places are written alike."""
    return b"".join(len(part.encode()).to_bytes(4, "big") + part.encode() for part in place)
