import warnings
from functools import partial

import numpy as np
import pytest

from relrep.analogy.solve import solve
from relrep.errors import RelrepError
from relrep.model.model import Model
from relrep.relations.explain import explain
from relrep.relations.search import RelationSearch
from tiny_model import build

pytest.importorskip("fastapi", reason="the explorer's packages are not installed (relrep[web])")
warnings.filterwarnings("ignore", message=".*httpx.*")
from fastapi.testclient import TestClient  # noqa: E402

from relrep.web.app import create_app  # noqa: E402
from relrep.web.examples import Warming  # noqa: E402
from relrep.web.explorer import Explorer  # noqa: E402


def client_for(model: Model, **options: object) -> TestClient:
    return TestClient(create_app(model, warm=False, **options), base_url="http://127.0.0.1")


@pytest.fixture(scope="module")
def client(tiny_model):
    return client_for(tiny_model)


def test_the_analogy_is_that_of_the_command_line(client, tiny_model):
    told = client.get("/api/analogy", params={"a": "paris", "b": "france", "c": "Rome", "n": 5}).json()
    expected = solve(tiny_model.vectors, "paris", "france", "rome", top=5)
    assert told["c"] == "rome"
    for column in told["columns"]:
        assert [one["word"] for one in column["candidates"]] == [one.word for one in expected[column["name"]]]
        scores = [one["score"] for one in column["candidates"]]
        np.testing.assert_allclose(scores, [one.score for one in expected[column["name"]]])
    assert told["columns"][0]["candidates"][0]["word"] == "italy"


def test_the_corpus_moves_candidates_and_says_why(tiny_model):
    explorer = Explorer(tiny_model)
    app_client = client_for(tiny_model)
    question = {"a": "paris", "b": "france", "c": "rome"}
    assert app_client.get("/api/analogy/corpus", params=question).json()["state"] == "preparing"
    from relrep.web.answers import solve_with_corpus

    Warming(explorer).run()
    told = solve_with_corpus(explorer, "paris", "france", "rome")
    assert told.state == "ready" and explorer.evidence_state == "ready"
    best = told.candidates[0]
    assert best.word == "italy" and best.evidence > 0.5
    assert any("capital" in pattern.text for pattern in best.shared)
    assert all(pattern.count > 0 and pattern.count_given > 0 for pattern in best.shared)
    assert abs(sum(pattern.part for pattern in best.shared)) <= best.evidence + 1e-6


def test_a_pair_is_explained_as_by_the_command_line(client, tiny_model):
    told = client.get("/api/pair", params={"first": "ostrich", "second": "bird"}).json()
    expected = explain(RelationSearch(tiny_model), "ostrich", "bird", 8, 6)
    assert (told["meetings"], told["meetings_reversed"]) == (7, 4)
    assert [one["label"] for one in told["patterns"]] == [one.label for one in expected.patterns]
    assert [one["text"] for one in told["examples"]] == [one.text for one in expected.examples]
    assert [one["first"] for one in told["alike"]] == [one.first for one in expected.alike]


def test_a_pair_that_never_meets_is_said_to_be_inferred(client, monkeypatch):
    monkeypatch.setattr("relrep.web.answers.explain", partial(explain, coherent=0.4))
    told = client.get("/api/pair", params={"first": "paris", "second": "italy"}).json()
    assert told["meetings"] == told["meetings_reversed"] == 0
    assert told["patterns"] and not any(one["count"] for one in told["patterns"]) and not told["examples"]


def test_the_map_holds_the_pair_its_like_and_others(client):
    told = client.get("/api/map", params={"first": "paris", "second": "france", "n": 4}).json()
    roles = {point["role"] for point in told["points"]}
    assert roles == {"query", "alike", "other"} and told["points"][0]["first"] == "paris"
    assert all(abs(point[axis]) <= 1 for point in told["points"] for axis in ("x", "y"))
    assert 0 < told["shown"] <= 1
    assert client.get("/api/pattern/map", params={"text": "such as"}).json()["points"]


def test_the_map_shows_the_principal_components():
    from relrep.web.answers import _principal_components

    rng = np.random.default_rng(3)
    differences = rng.normal(size=(60, 20)) * np.linspace(3, 0.5, 20)
    places, shown = _principal_components(differences)
    centred = differences - differences.mean(axis=0)
    left, sizes, _ = np.linalg.svd(centred, full_matrices=False)
    expected = left[:, :2] * sizes[:2]
    expected /= np.abs(expected).max()
    np.testing.assert_allclose(np.abs(places), np.abs(expected), atol=1e-6)
    assert shown == pytest.approx((sizes[:2] ** 2).sum() / (sizes**2).sum())
    assert np.isfinite(_principal_components(np.zeros((5, 3)))[0]).all()


def test_a_concordance_comes_in_pages(client):
    asked = {"first": "Paris", "second": "france", "order": "left"}
    told = client.get("/api/concordance", params=asked).json()
    assert told["total"] == 16 and len(told["lines"]) == 16 and told["lines"][0]["words"]
    assert client.get("/api/concordance", params={**asked, "order": "up"}).status_code == 422


def test_a_word_has_neighbours_and_collocates(client, tiny_model):
    told = client.get("/api/word", params={"word": "paris"}).json()
    assert [one["word"] for one in told["neighbours"]] == [
        word for word, _ in tiny_model.vectors.most_similar("paris", topn=12)
    ]
    assert told["collocates"]["collocates"][0]["word"] == "france"


def test_a_pattern_has_neighbours_and_pairs(client):
    told = client.get("/api/pattern", params={"text": "such as"}).json()
    assert told["pattern"]["text"] == "such as" and told["pairs"] and told["neighbours"]
    wrong = client.get("/api/pattern", params={"text": "such has"})
    assert wrong.status_code == 400 and "did you mean" in wrong.json()["error"]


def test_unknown_words_get_suggestions(client):
    wrong = client.get("/api/pair", params={"first": "ostritch", "second": "brid"})
    assert wrong.status_code == 404
    assert wrong.json()["unknown"] == {"ostritch": ["ostrich"], "brid": ["bird"]}
    assert client.get("/api/pair", params={"first": "bird", "second": "bird"}).status_code == 400
    assert client.get("/api/analogy", params={"a": "bird", "b": "bird", "c": "ant"}).status_code == 400


@pytest.mark.parametrize(
    ("path", "parameters"),
    [
        ("/api/interpret", {"q": "x" * 201}),
        ("/api/interpret", {}),
        ("/api/word", {"word": "x" * 81}),
        ("/api/word", {"word": "paris", "n": 51}),
        ("/api/word", {"word": "paris", "n": 0}),
        ("/api/word", {"word": "paris", "n": "many"}),
        ("/api/suggest", {"q": ""}),
    ],
)
def test_lengths_and_counts_are_limited(client, path, parameters):
    answer = client.get(path, params=parameters)
    assert answer.status_code == 422 and answer.json()["error"]


def test_suggestions_complete_words_pairs_and_patterns(client):
    def asked(q):
        return [one["query"] for one in client.get("/api/suggest", params={"q": q}).json()]

    assert asked("ostr") == ["ostrich"]
    assert asked("paris fr") == ["paris france"]
    assert "paris france" in asked("paris ")
    assert '"such as"' in asked('"such')
    assert asked("nosuchword ") == [] and asked("paris france rome ?") == []


def test_the_examples_can_be_asked(client):
    examples = client.get("/api/examples").json()
    assert examples["analogies"] and examples["pairs"] and examples["words"] and examples["patterns"]
    for query in (query for queries in examples.values() for query in queries):
        assert client.get("/api/interpret", params={"q": query}).status_code == 200


def test_every_answer_has_strict_headers_and_no_path_is_read(client):
    for path in ("/", "/static/main.js", "/static/style.css", "/api/model", "/nowhere", "/openapi.json"):
        headers = client.get(path).headers
        assert headers["content-security-policy"].startswith("default-src 'self';")
        assert headers["x-content-type-options"] == "nosniff"
    for path in ("/static/../app.py", "/static/%2e%2e/app.py", "/static//etc/passwd", "/docs", "/redoc"):
        assert client.get(path).status_code == 404


def test_the_page_names_nothing_from_elsewhere_and_holds_no_inline_script(client):
    page = client.get("/").text
    assert "//" not in page.replace("</", "") and "onclick" not in page and "style=" not in page
    assert page.count("<script") == page.count('<script type="module" src="/static/')


def test_foreign_host_names_are_refused(tiny_model):
    app = create_app(tiny_model, warm=False)
    assert TestClient(app, base_url="http://evil.example").get("/api/model").status_code == 400
    assert TestClient(app, base_url="http://localhost:8765").get("/api/model").status_code == 200


def test_the_api_is_documented(client):
    document = client.get("/openapi.json").json()
    assert {"/api/analogy", "/api/pair", "/api/word", "/api/pattern", "/api/map"} <= set(document["paths"])
    assert all(path.startswith("/api/") for path in document["paths"])


def test_a_model_without_index_and_relations_answers_what_it_can(tmp_path, caplog):
    model = build(tmp_path / "bare", index=False, relations=False)
    bare = client_for(model)
    assert bare.get("/api/model").json()["evidence"] == "none"
    assert bare.get("/api/analogy", params={"a": "paris", "b": "france", "c": "rome"}).status_code == 200
    assert bare.get("/api/pair", params={"first": "paris", "second": "france"}).status_code == 400
    assert bare.get("/api/map", params={"first": "paris", "second": "france"}).status_code == 400
    assert bare.get("/api/word", params={"word": "paris"}).json()["collocates"] is None
    assert bare.get("/api/pattern", params={"text": "such as"}).status_code == 400
    assert bare.get("/api/suggest", params={"q": '"such'}).json() == []
    assert bare.get("/api/examples").status_code == 200
    explorer = Explorer(model)
    warming = Warming(explorer)
    warming.run()
    assert caplog.messages == []  # what a step cannot do it leaves out, and none of them fails
    assert explorer.evidence_state == "none" and {"terms", "unit", "spellings"} <= vars(explorer).keys()
    assert warming.examples() is warming.examples()
    assert warming.examples().analogies and warming.examples().patterns == ()


def test_a_warming_step_that_fails_is_told_and_the_others_go_on(tiny_model, monkeypatch, caplog):
    def fail(_: Explorer) -> None:
        raise RelrepError("no examples today")

    monkeypatch.setattr("relrep.web.examples.find_examples", fail)
    explorer = Explorer(tiny_model)
    Warming(explorer).run()
    assert caplog.messages == ["no examples today"]
    assert explorer.evidence_state == "ready"
