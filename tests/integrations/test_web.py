"""Codecs in web frameworks and clients of HTTP; httpx asks, which knows the standards only."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Annotated, Any

import httpx
import pytest

import bakeoff

RECORD = {"id": 7, "name": "Zoë", "tags": ["a", "b"]}
POISON = b"\xc1no payload"
CODECS = ("msgpack", "orjson", "orjson|zlib")
Headers = dict[str, str]


def starlette(codec: bakeoff.Codec) -> Any:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import Route

    encoded = bakeoff.integrations.starlette(codec)

    async def echo(request: Request) -> Response:
        return encoded(await encoded.read(request), headers={"x-own": "1"})

    return httpx.ASGITransport(Starlette(routes=[Route("/", echo, methods=["POST"])]))


def fastapi(codec: bakeoff.Codec) -> Any:
    from fastapi import Depends, FastAPI

    encoded = bakeoff.integrations.starlette(codec)
    app = FastAPI()

    async def echo(record: Any) -> Any:
        return record

    echo.__annotations__["record"] = Annotated[Any, Depends(encoded.read)]
    app.post("/", response_class=encoded)(echo)
    content = app.openapi()["paths"]["/"]["post"]["responses"]["200"]["content"]
    assert [codec.http_headers["content-type"]] == list(content)
    return httpx.ASGITransport(app)


def litestar(codec: bakeoff.Codec) -> Any:
    from litestar import Litestar, Request, Response, post

    encoded = bakeoff.integrations.litestar(codec)

    async def echo(request: Any) -> Any:
        return encoded(await encoded.read(request), status_code=200, media_type="text/plain")

    echo.__annotations__.update(request=Request, **{"return": Response})
    return httpx.ASGITransport(Litestar([post("/")(echo)]))


def falcon_wsgi(codec: bakeoff.Codec) -> Any:
    import falcon

    class Echo:
        def on_post(self, request: Any, response: Any) -> None:
            response.media = request.get_media()

    return httpx.WSGITransport(_falcon(falcon.App, codec, Echo()))


def falcon_asgi(codec: bakeoff.Codec) -> Any:
    import falcon.asgi

    class Echo:
        async def on_post(self, request: Any, response: Any) -> None:
            response.media = await request.get_media()

    return httpx.ASGITransport(_falcon(falcon.asgi.App, codec, Echo()))


def _falcon(kind: Callable[..., Any], codec: bakeoff.Codec, resource: Any) -> Any:
    app = kind(media_type=codec.media_type)
    app.req_options.media_handlers.update(bakeoff.integrations.falcon(codec))
    app.resp_options.media_handlers.update(bakeoff.integrations.falcon(codec))
    app.add_route("/", resource)
    return app


HTTP = [starlette, fastapi, litestar]
"""Frameworks that know content codings."""
FALCON = [falcon_wsgi, falcon_asgi]


async def _post(transport: Any, body: bytes, headers: Headers) -> httpx.Response:
    if isinstance(transport, httpx.WSGITransport):
        with httpx.Client(transport=transport, base_url="http://here") as client:
            return client.post("/", content=body, headers=headers)
    async with httpx.AsyncClient(transport=transport, base_url="http://here") as client:
        return await client.post("/", content=body, headers=headers)


def post(transport: Any, body: bytes, headers: Headers) -> httpx.Response:
    return asyncio.run(_post(transport, body, headers))


@pytest.mark.parametrize("name", CODECS)
@pytest.mark.parametrize("app", HTTP, ids=lambda app: app.__name__)
def test_bodies_are_a_codecs(app, name):
    codec = bakeoff.codec(name)
    plain = codec.with_compression(None)
    transport = app(codec)

    answer = post(transport, codec.encode(RECORD), codec.http_headers)

    assert 200 == answer.status_code, answer.text
    assert codec.http_headers["content-type"] == answer.headers["content-type"]
    assert codec.http_headers.get("content-encoding") == answer.headers.get("content-encoding")
    assert RECORD == plain.decode(answer.content)  # httpx has decompressed it
    for each in (plain, codec):
        found = post(transport, each.encode(RECORD), {"content-type": each.media_type})
        assert RECORD == plain.decode(found.content)


@pytest.mark.parametrize("name", CODECS)
@pytest.mark.parametrize("app", HTTP, ids=lambda app: app.__name__)
def test_a_poisoned_body_is_refused(app, name):
    codec = bakeoff.codec(name)
    transport = app(codec)

    refused = post(transport, POISON, codec.http_headers)

    assert 400 == refused.status_code
    assert codec.name in refused.text
    for headers in ({"content-type": "text/plain"}, {**codec.http_headers, "content-encoding": "br"}, {}):
        assert 415 == post(transport, codec.encode(RECORD), headers).status_code


@pytest.mark.parametrize("name", CODECS)
@pytest.mark.parametrize("app", FALCON, ids=lambda app: app.__name__)
def test_falcon_handles_all_types_of_a_codec(app, name):
    """Those it is also known by; its handlers see no coding, so what is compressed has its own type."""
    codec = bakeoff.codec(name)
    transport = app(codec)

    for media_type in (codec.media_type, *codec.media_type_aliases):
        answer = post(transport, codec.encode(RECORD), {"content-type": media_type})
        assert codec.media_type == answer.headers["content-type"]
        assert RECORD == codec.decode(answer.content)
    refused = post(transport, POISON, {"content-type": codec.media_type})
    assert 400 == refused.status_code
    assert codec.name in refused.text
    assert 415 == post(transport, b"", {"content-type": "text/plain"}).status_code


def test_flask_speaks_json_by_a_codec():
    import flask

    codec = bakeoff.codec("orjson")
    app = flask.Flask("shop")
    app.json = bakeoff.integrations.flask(codec, app)

    @app.post("/")
    def echo() -> Any:
        return flask.jsonify(flask.request.get_json())

    @app.get("/page")
    def page() -> str:
        return flask.render_template_string("{{ {'b': '</script>', 'a': 1} | tojson }}")

    client = app.test_client()
    answer = client.post("/", json=RECORD)

    assert codec.encode(RECORD) == answer.data
    assert "application/json" == answer.headers["content-type"]
    assert RECORD == answer.json
    assert 400 == client.post("/", data=POISON, content_type="application/json").status_code
    assert r'{"b":"\u003c/script\u003e","a":1}' == client.get("/page").text


@pytest.mark.parametrize("name", ["msgpack", "orjson|zlib"])
def test_flask_wants_text(name):
    """Said when the provider is made, not with the first request."""
    import flask

    with pytest.raises(bakeoff.CodecError, match="has no text"):
        bakeoff.integrations.flask(bakeoff.codec(name), flask.Flask("shop"))


def test_flask_sessions():
    import flask

    app = flask.Flask("shop")
    app.secret_key = "new"

    @app.get("/")
    def count() -> dict[str, Any]:
        flask.session["seen"] = [*flask.session.get("seen", ()), "Zoë"]
        return {"seen": len(flask.session["seen"])}

    client = app.test_client()
    seen = [client.get("/").json["seen"]]
    for name in CODECS:
        app.session_interface = bakeoff.integrations.flask_sessions(bakeoff.codec(name))
        seen += [client.get("/").json["seen"], client.get("/").json["seen"]]
    app.config["SECRET_KEY_FALLBACKS"], app.secret_key = ["new"], "newer"
    seen += [client.get("/").json["seen"]]

    assert [1, 1, 2, 1, 2, 1, 2, 3] == seen
    app.secret_key = None
    assert None is app.session_interface.open_session(app, flask.Request({}))


@pytest.mark.parametrize("app", FALCON)
def test_falcon_has_a_default_for_an_empty_body(app: Callable[..., Any]) -> None:
    pytest.importorskip("falcon", reason="missing here: falcon; pip install falcon")
    import falcon.asgi
    from falcon.testing import TestClient

    codec = bakeoff.codec("msgpack")
    seen = []

    class Plain:
        def on_post(self, request: Any, response: Any) -> None:
            seen.append(request.get_media(default_when_empty={"a": 1}))

    class Awaited:
        async def on_post(self, request: Any, response: Any) -> None:
            seen.append(await request.get_media(default_when_empty={"a": 1}))

    kind, resource = (falcon.App, Plain()) if app is falcon_wsgi else (falcon.asgi.App, Awaited())
    made = kind()
    made.req_options.media_handlers.update(bakeoff.integrations.falcon(codec))
    made.add_route("/", resource)
    for body in (b"", codec.encode({})):
        TestClient(made).simulate_post("/", body=body, headers={"content-type": codec.media_type})

    assert [{"a": 1}, {}] == seen
