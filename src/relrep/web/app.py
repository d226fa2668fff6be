"""The web application: a JSON API under /api, documented at /openapi.json, and the page that uses it."""

import contextlib
import socket
import threading
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING, Annotated

from relrep.errors import RelrepError
from relrep.model.model import Model
from relrep.version import __version__

try:
    from fastapi import FastAPI, Query, Request, Response
    from fastapi.exceptions import RequestValidationError
    from fastapi.responses import JSONResponse
    from starlette.middleware.trustedhost import TrustedHostMiddleware
except ImportError:
    raise RelrepError("the explorer needs FastAPI and uvicorn; install them with pip install 'relrep[web]'") from None

from relrep.relations.concordance import Concordance, Order, concordance
from relrep.relations.explain import Explanation
from relrep.relations.patterns import PatternAnswer
from relrep.web.answers import (
    AnalogyAnswer,
    CorpusAnswer,
    RelationMap,
    WordAnswer,
    look_up,
    map_of_pair,
    map_of_pattern,
    solve_analogy,
    solve_with_corpus,
    tell_pair,
    tell_pattern,
)
from relrep.web.examples import Examples, Suggestion, Warming, suggest
from relrep.web.explorer import Explorer, State
from relrep.web.queries import LONGEST_QUERY, Interpretation, PatternReading, UnknownWordsError, interpret

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

LOCAL_HOSTS = ("127.0.0.1", "localhost")
"""Names under which a page on this machine may ask; a foreign name that points here (DNS rebinding) may not."""
HEADERS = {
    "Content-Security-Policy": "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; "
    "object-src 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-cache",
}
_TYPES = {"html": "text/html", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
PAGE = "index.html"

Word = Annotated[str, Query(min_length=1, max_length=80, description="a word; lower case is tried too")]
Text = Annotated[str, Query(min_length=1, max_length=LONGEST_QUERY)]
Count = Annotated[int, Query(ge=1, le=50, description="how many to list")]


@dataclass(frozen=True)
class ModelFacts:
    """What the model is made of; `evidence` tells whether measures that read the corpus can answer."""

    name: str
    version: str
    words: int
    dimensions: int
    tokens: int | None
    pairs: int
    patterns: int
    has_index: bool
    evidence: State


@dataclass(frozen=True)
class ErrorAnswer:
    """One sentence, and for unknown words the closest spellings."""

    error: str
    unknown: dict[str, tuple[str, ...]]


def create_app(model: Model, hosts: Sequence[str] = LOCAL_HOSTS, warm: bool = True) -> FastAPI:
    """The application for one model; `hosts` are the names it answers to (`*`: any).

    With `warm`, what all questions share is computed in the background from the start.
    """
    explorer = Explorer(model)
    warming = Warming(explorer)

    @contextlib.asynccontextmanager
    async def lifespan(_: FastAPI) -> "AsyncIterator[None]":
        if warm:
            threading.Thread(target=warming.run, name="warming", daemon=True).start()
        yield

    app = FastAPI(
        title="relrep explorer",
        description="Asks a relrep model about words, pairs of words, analogies and patterns.",
        version=__version__,
        docs_url=None,  # both documentation pages would load scripts from elsewhere
        redoc_url=None,
        lifespan=lifespan,
        responses={400: {"model": ErrorAnswer}, 404: {"model": ErrorAnswer}},
    )
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=list(hosts))
    _add_safety(app)
    _add_page(app)
    _add_questions(app, explorer)
    _add_model_routes(app, explorer, warming)
    return app


def _add_questions(app: FastAPI, explorer: Explorer) -> None:
    @app.get("/api/analogy", summary="a is to b as c is to what?")
    def analogy(a: Word, b: Word, c: Word, n: Count = 10) -> AnalogyAnswer:
        return solve_analogy(explorer, a, b, c, n)

    @app.get("/api/analogy/corpus", summary="The same, with what the corpus says of the pairs")
    def analogy_with_corpus(a: Word, b: Word, c: Word, n: Count = 10) -> CorpusAnswer:
        return solve_with_corpus(explorer, a, b, c, n)

    @app.get("/api/pair", summary="How two words are related")
    def pair(first: Word, second: Word, n: Count = 8, examples: Count = 6) -> Explanation:
        return tell_pair(explorer, first, second, n, examples)

    @app.get("/api/concordance", summary="All lines in which two words meet, 50 a page")
    def pair_concordance(
        first: Word, second: Word, order: Order = "text", page: Annotated[int, Query(ge=1)] = 1
    ) -> Concordance:
        return concordance(explorer.model, *explorer.pair(first, second), order, page)

    @app.get("/api/map", summary="The differences of a pair and its like, in two dimensions")
    def pair_map(first: Word, second: Word, n: Count = 40) -> RelationMap:
        return map_of_pair(explorer, first, second, n)

    @app.get("/api/word", summary="A word's neighbours and its pairs")
    def word(word: Word, n: Count = 12) -> WordAnswer:
        return look_up(explorer, word, n)

    @app.get("/api/pattern", summary="Patterns most similar to one, and its pairs")
    def pattern(
        text: Text,
        is_whole: bool | None = None,
        is_reversed: bool | None = None,
        n: Count = 12,
    ) -> PatternAnswer:
        return tell_pattern(explorer, PatternReading(text, is_whole, is_reversed), n)

    @app.get("/api/pattern/map", summary="The differences of a pattern's pairs, in two dimensions")
    def pattern_map(
        text: Text,
        is_whole: bool | None = None,
        is_reversed: bool | None = None,
        n: Count = 40,
    ) -> RelationMap:
        return map_of_pattern(explorer, PatternReading(text, is_whole, is_reversed), n)


def _add_model_routes(app: FastAPI, explorer: Explorer, warming: Warming) -> None:
    model = explorer.model

    @app.get("/api/model", summary="What the model is made of")
    def facts() -> ModelFacts:
        relations = model.relations
        return ModelFacts(
            name=model.folder.name,
            version=__version__,
            words=len(model.vocabulary),
            dimensions=model.vectors.vector_size,
            tokens=None if model.index is None else len(model.index.tokens),
            pairs=0 if relations is None else relations.n_pairs,
            patterns=0 if relations is None else relations.n_patterns,
            has_index=model.index is not None,
            evidence=explorer.evidence_state,
        )

    @app.get("/api/examples", summary="Queries to begin with, taken from the model")
    def examples() -> Examples:
        return warming.examples()

    @app.get("/api/interpret", summary="What a line typed into the search box asks for")
    def interpretation(q: Text) -> Interpretation:
        return interpret(q, model.relations)

    @app.get("/api/suggest", summary="What may follow, while a query is being typed")
    def suggestions(q: Text, n: Count = 8) -> tuple[Suggestion, ...]:
        return suggest(explorer, q, n)


def _add_page(app: FastAPI) -> None:
    """The page's files, read once: no request ever names a path to be opened."""
    for file in sorted(files("relrep.web").joinpath("static").iterdir(), key=lambda file: file.name):
        suffix = file.name.rpartition(".")[2]
        if suffix in _TYPES:
            path = "/" if file.name == PAGE else f"/static/{file.name}"
            app.get(path, include_in_schema=False)(_sending(file.read_bytes(), _TYPES[suffix]))


def _sending(content: bytes, media_type: str) -> Callable[[], Response]:
    def send() -> Response:
        return Response(content, media_type=media_type)

    return send


def _add_safety(app: FastAPI) -> None:
    """Strict headers on every answer; errors as one sentence."""

    @app.middleware("http")
    async def add_headers(request: Request, call_next: Callable[[Request], Awaitable[Response]]) -> Response:
        response = await call_next(request)
        for name, value in HEADERS.items():
            response.headers[name] = value
        return response

    @app.exception_handler(UnknownWordsError)
    async def unknown(_: Request, error: UnknownWordsError) -> JSONResponse:
        return JSONResponse({"error": str(error), "unknown": error.suggestions}, 404)

    @app.exception_handler(RelrepError)
    async def wrong(_: Request, error: RelrepError) -> JSONResponse:
        return JSONResponse({"error": str(error), "unknown": {}}, 400)

    @app.exception_handler(RequestValidationError)
    async def invalid(_: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        sentence = f"{first['loc'][-1]}: {str(first['msg'])[:1].lower()}{str(first['msg'])[1:]}"
        return JSONResponse({"error": sentence, "unknown": {}}, 422)


def listen(host: str, port: int) -> socket.socket:
    """A listening socket; a RelrepError where the address cannot be had."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family)
    except OSError as error:
        reason = error.strerror or str(error)
        raise RelrepError(f"cannot listen on {host}, port {port} ({reason}); try another --port or --host") from None


def serve(app: FastAPI, listening: socket.socket) -> None:
    """Answers until interrupted; questions in progress get two seconds to finish."""
    try:
        import uvicorn
    except ImportError:
        raise RelrepError("the explorer needs uvicorn; install it with pip install 'relrep[web]'") from None
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        limit_concurrency=64,
        timeout_graceful_shutdown=2,
        h11_max_incomplete_event_size=16_384,
    )
    with contextlib.suppress(KeyboardInterrupt):  # Ctrl-C is how one stops it
        uvicorn.Server(config).run(sockets=[listening])


def address_of(host: str, listening: socket.socket) -> str:
    """Where the page is."""
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{listening.getsockname()[1]}/"
