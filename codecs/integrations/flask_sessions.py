"""Codecs in the cookies that hold Flask's sessions."""

from __future__ import annotations

from typing import Any

from flask import Flask
from flask.sessions import SecureCookieSessionInterface
from itsdangerous import URLSafeTimedSerializer

from ..core.base import CodecBase


class _Signer(URLSafeTimedSerializer):
    """Returns cookies as text, which itsdangerous itself does only for payloads that are text."""

    def dumps(self, obj: Any, salt: str | bytes | None = None) -> str:
        payload: Any = super().dumps(obj, salt)
        return str(payload, "ascii")


class Sessions(SecureCookieSessionInterface):
    """An ``app.session_interface``: signed cookies with payloads of a codec.

    The codec's name is part of the salt, so cookies of another codec have an invalid signature and start a
    new session. Otherwise they would be a server error, as Flask expects none after a valid signature.
    """

    def __init__(self, codec: CodecBase) -> None:
        self.serializer = codec  # type: ignore[assignment] # it expects its own type
        self.salt = f"{type(self).salt}-{codec.name}"

    def get_signing_serializer(self, app: Flask) -> URLSafeTimedSerializer | None:
        """Return the signer of cookies; None without a secret key."""
        made = super().get_signing_serializer(app)
        if made is None:
            return None
        return _Signer(
            made.secret_keys, salt=made.salt, serializer=self.serializer, signer_kwargs=made.signer_kwargs
        )


integration = Sessions
