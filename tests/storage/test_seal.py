"""Secrets at rest: opened by their own key in their own place, and by nothing else."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storage.seal import Keyring, Sealed, SealFault

OLD = base64.b64encode(bytes(range(32))).decode()
NEW = bytes(range(100, 132)).hex()
PLACE = ("slack", "T1", "token")
NONCE = bytes(12)


@given(st.text(max_size=300), st.binary(min_size=12, max_size=12))
def test_what_is_sealed_opens_again(plain: str, nonce: bytes) -> None:
    """Any text, with any nonce, and it does not stand in what is stored."""
    ring = Keyring.parse(OLD)
    sealed = ring.seal(plain, PLACE, nonce)
    assert ring.open(sealed, PLACE) == plain
    assert len(plain) < 8 or plain not in sealed.text


def test_another_key_does_not_open_it() -> None:
    """The sentence names the setting and the key's id, never the token."""
    sealed = Keyring.parse(OLD).seal("xoxb-secret", PLACE, NONCE)
    with pytest.raises(SealFault, match="DRILLS_SECRET_KEY") as caught:
        Keyring.parse(NEW).open(sealed, PLACE)
    assert sealed.key_id in str(caught.value)
    assert "xoxb" not in str(caught.value)
    forged = Sealed(sealed.text, Keyring.parse(NEW).key_id)
    with pytest.raises(SealFault, match="damaged"):
        Keyring.parse(NEW).open(forged, PLACE)


@pytest.mark.parametrize(
    "place", [("slack", "T2", "token"), ("slack", "T1", "refresh_token"), ("slac", "kT1", "token")]
)
def test_a_token_in_another_place_is_refused(place: tuple[str, ...]) -> None:
    """Rows or columns that were swapped, also where the parts only look alike when put together."""
    ring = Keyring.parse(OLD)
    with pytest.raises(SealFault, match="another workspace"):
        ring.open(ring.seal("xoxb-secret", PLACE, NONCE), place)


def test_a_damaged_text_is_refused() -> None:
    """Cut off anywhere, one bit turned anywhere, or no such text at all."""
    ring = Keyring.parse(OLD)
    sealed = ring.seal("xoxb-secret", PLACE, NONCE)
    raw = base64.urlsafe_b64decode(sealed.text)
    broken = [base64.urlsafe_b64encode(raw[:n]).decode() for n in range(len(raw))]
    broken += [base64.urlsafe_b64encode(raw[:n] + bytes([raw[n] ^ 1]) + raw[n + 1 :]).decode() for n in range(len(raw))]
    for text in (*broken, "", "no base64!", "é", sealed.text + "A"):
        with pytest.raises(SealFault):
            ring.open(Sealed(text, sealed.key_id), PLACE)


def test_the_first_key_seals_and_all_of_them_open() -> None:
    """A new key is put before the old one; what the old one sealed still opens."""
    before = Keyring.parse(OLD).seal("xoxb-secret", PLACE, NONCE)
    both = Keyring.parse(f"{NEW}, {OLD}")
    assert both.open(before, PLACE) == "xoxb-secret"
    after = both.seal("xoxb-secret", PLACE, NONCE)
    assert after.key_id == Keyring.parse(NEW).key_id != before.key_id
    assert Keyring.parse(NEW).open(after, PLACE) == "xoxb-secret"


def test_base64_and_hex_write_the_same_key() -> None:
    """With or without padding, in either alphabet."""
    key = bytes(range(200, 232))
    written = [key.hex(), base64.b64encode(key).decode(), base64.urlsafe_b64encode(key).decode().rstrip("=")]
    assert len({Keyring.parse(text).key_id for text in written}) == 1


@pytest.mark.parametrize(
    "text", ["", " , ", "password", "a" * 64, base64.b64encode(bytes(31)).decode(), "00" * 32, "é"]
)
def test_a_key_that_is_none_is_one_sentence(text: str) -> None:
    """Too short, no key at all, or nothing random; the sentence says how to make one and repeats nothing."""
    with pytest.raises(ValueError, match="openssl rand -base64 32") as caught:
        Keyring.parse(text)
    assert not text.strip(" ,") or text not in str(caught.value)


def test_no_printed_form_holds_a_key() -> None:
    """A key ring in a log or a traceback shows nothing."""
    ring = Keyring.parse(OLD)
    assert ring.keys[0].hex() not in repr(ring)
    assert repr(ring.keys[0]) not in repr(ring)
