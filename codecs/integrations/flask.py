"""Codecs as JSON providers of Flask."""

from __future__ import annotations

from typing import Any

from flask import Flask
from flask.json.provider import JSONProvider

from ..core.base import CodecBase
from ..core.text import TextCodec


class Provider(JSONProvider):
    """A provider for ``app.json``: ``jsonify``, views that return dicts, ``request.get_json``, ``tojson``.

    Options of single calls (``indent``, ``sort_keys``) have no effect.

    Args:
        codec: A codec of JSON, without compression.
        app: The application whose ``json`` is set to this.

    Raises:
        CodecError: Its payloads are not text.
    """

    def __init__(self, codec: CodecBase, app: Flask) -> None:
        super().__init__(app)
        self._codec, self._text = codec, TextCodec(codec)

    def dumps(self, obj: Any, **_: Any) -> str:
        """Return text.

        Raises:
            EncodeError: As the codec's.
        """
        return self._text.dumps(obj)

    def loads(self, s: str | bytes, **_: Any) -> Any:
        """Return the record.

        Raises:
            DecodeError: As the codec's; Flask answers with status 400.
        """
        return self._codec.decode(s)

    def response(self, *args: Any, **kwargs: Any) -> Any:
        """Return a response of one value, or of several as a list or dict."""
        response: type[Any] = self._app.response_class
        body = self._codec.encode(self._prepare_response_obj(args, kwargs))
        return response(body, headers=self._codec.http_headers)


integration = Provider
