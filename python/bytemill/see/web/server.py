"""The server of the playground: on this machine alone, behind a path that nobody can guess."""

from __future__ import annotations

import json
import secrets
import socket
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import BytemillError
from . import details
from .share import shared_page
from .tokens import shown_tokens
from .vocabulary import Vocabulary

if TYPE_CHECKING:
    from ...tokenizer import Tokenizer

STATIC = Path(__file__).parent / "static"
PAGE_CSS = Path(__file__).parents[1] / "page.css"
HOST = "127.0.0.1"
#: Nothing but this server is asked for anything, and no other page may frame or be sent what is here.
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
#: Bytes of a request.
LARGEST = 64 << 20
KINDS = {".html": "text/html", ".css": "text/css", ".js": "text/javascript"}


class Playground:
    """What the page asks for, as plain data in and out."""

    def __init__(self, tokenizers: dict[str, Tokenizer]) -> None:
        self.tokenizers = tokenizers
        self.vocabularies = {name: Vocabulary(tok) for name, tok in tokenizers.items()}
        self.answers: dict[str, Callable[[dict[str, Any]], Any]] = {
            "models": self.models,
            "tokens": lambda ask: shown_tokens(tokenizers, ask["text"], (ask["from"], ask["to"]), specials(ask)),
            "merges": lambda ask: details.merges(self.tok(ask), ask["text"], ask["place"], specials(ask)),
            "stages": lambda ask: details.stages(self.tok(ask), ask["text"], specials(ask)),
            "syntax": lambda ask: details.syntax(self.tok(ask), ask["text"], ask.get("language"), specials(ask)),
            "chat": lambda ask: details.chat(self.tok(ask), ask["messages"], bool(ask.get("prompt"))),
            "vocabulary": lambda ask: self.vocabularies[ask["model"]].search(ask["query"], ask["mode"], ask["first"]),
            "share": lambda ask: {"html": shared_page(tokenizers, ask["text"], specials(ask))},
        }

    def tok(self, ask: dict[str, Any]) -> Tokenizer:
        return self.tokenizers[ask["model"]]

    def models(self, _: dict[str, Any]) -> list[dict[str, Any]]:
        return [
            {"name": name, "family": tok.family, "size": len(tok), "chat": tok.settings.chat_template is not None}
            for name, tok in self.tokenizers.items()
        ]

    def answer(self, name: str, body: bytes) -> tuple[int, bytes]:
        """The answer to a question, or why there is none."""
        try:
            found, status = self.answers[name](json.loads(body)), 200
        except BytemillError as error:
            found, status = {"error": str(error)}, 400
        except (KeyError, TypeError, ValueError) as error:
            found, status = {"error": f"not a question of this page: {error!r}"}, 400
        return status, json.dumps(found).encode()


def specials(ask: dict[str, Any]) -> Any:
    return "all" if ask.get("specials") else "none"


def application(playground: Playground, secret: str) -> Any:
    """The page, its files and its answers, all below the secret; anything else is not found."""
    try:
        from starlette.applications import Starlette
        from starlette.concurrency import run_in_threadpool
        from starlette.middleware import Middleware
        from starlette.middleware.trustedhost import TrustedHostMiddleware
        from starlette.responses import Response
        from starlette.routing import Route
    except ImportError:
        raise ImportError("the playground needs starlette and uvicorn: pip install 'bytemill[web]'") from None

    async def file(request: Any) -> Any:
        name = request.path_params.get("name") or "index.html"
        path = PAGE_CSS if name == "page.css" else STATIC / name
        if path.name != name or path.suffix not in KINDS or not path.is_file():
            return Response("not found", status_code=404, headers=HEADERS)
        return Response(path.read_bytes(), media_type=KINDS[path.suffix], headers=HEADERS)

    async def api(request: Any) -> Any:
        name = request.path_params["name"]
        if name not in playground.answers:
            return Response("not found", status_code=404, headers=HEADERS)
        if int(request.headers.get("content-length") or LARGEST + 1) > LARGEST:
            return Response('{"error": "the text is too large"}', status_code=413, headers=HEADERS)
        status, body = await run_in_threadpool(playground.answer, name, await request.body())
        return Response(body, status_code=status, media_type="application/json", headers=HEADERS)

    routes = [
        Route(f"/{secret}/", file),
        Route(f"/{secret}/api/{{name}}", api, methods=["POST"]),
        Route(f"/{secret}/{{name}}", file),
    ]
    # A name of another place that leads here, to read what is here, is refused.
    hosts = Middleware(TrustedHostMiddleware, allowed_hosts=[HOST, "localhost"], www_redirect=False)
    return Starlette(routes=routes, middleware=[hosts])


def serve(tokenizers: dict[str, Tokenizer], port: int, ready: Callable[[str], object]) -> None:
    """Serves until Ctrl-C; `ready` is called with the address once it can be opened."""
    secret = secrets.token_urlsafe(18)
    app = application(Playground(tokenizers), secret)
    import uvicorn

    with socket.socket() as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((HOST, port))
        listening.listen()
        ready(f"http://{HOST}:{listening.getsockname()[1]}/{secret}/")
        # The process that ends it does not wait for a page that is still open.
        quiet: dict[str, Any] = {"log_level": "error", "access_log": False, "server_header": False}
        config = uvicorn.Config(app, timeout_graceful_shutdown=1, **quiet)
        uvicorn.Server(config).run(sockets=[listening])
