"""The explorer as a person meets it: in a real browser."""

import os
import shutil
import threading
from pathlib import Path
from urllib.parse import quote_plus

import pytest
from hostile_model import IMAGE, SCRIPT, build_hostile

from relrep.model.model import Model

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
try:
    import uvicorn
    from playwright.sync_api import Page, expect, sync_playwright

    MISSING = "" if BROWSER else "no Chromium was found (apt-get install chromium)"
except ImportError as error:
    MISSING = f"{error.name} is not installed"
if MISSING and os.environ.get("CI") != "true":
    pytest.skip(f"browser tests: {MISSING}", allow_module_level=True)

ARGUMENTS = [
    "--no-sandbox",
    "--headless=new",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def test_a_browser_is_there():
    assert not MISSING


@pytest.fixture(scope="module")
def browser():
    if MISSING:
        pytest.fail(MISSING)
    expect.set_options(timeout=60_000)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=BROWSER, args=ARGUMENTS)
        yield browser
        browser.close()


def serve(model: Model):
    from relrep.web.app import create_app, listen

    listening = listen("127.0.0.1", 0)
    server = uvicorn.Server(uvicorn.Config(create_app(model), log_level="error"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    server.should_exit = True
    thread.join(timeout=10)
    listening.close()


@pytest.fixture(scope="module")
def site(tiny_model):
    yield from serve(tiny_model)


@pytest.fixture(scope="module")
def hostile_site(tmp_path_factory):
    folder: Path = tmp_path_factory.mktemp("hostile") / "model"
    yield from serve(build_hostile(folder))


@pytest.fixture
def page(browser):
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.set_default_timeout(60_000)
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda said: problems.append(said.text) if "Content Security" in said.text else None)
    yield page
    context.close()
    assert problems == []


def heading(page: "Page"):
    return page.get_by_role("heading", level=1)


def type_query(page: "Page", query: str) -> None:
    page.keyboard.press("/")
    page.keyboard.press("Control+A")
    page.keyboard.type(query)
    page.keyboard.press("Enter")


def card(page: "Page", title: str):
    return page.locator("section.card").filter(has=page.get_by_role("heading", name=title, exact=True))


def test_the_first_page_offers_questions_of_this_model_and_a_click_asks_one(page, site):
    page.goto(site)
    expect(heading(page)).to_have_text("How are words related?")
    expect(page.locator("#facts")).to_contain_text("24 dimensions")
    page.locator("#examples-analogies a").first.click()
    expect(heading(page)).to_contain_text("is to")
    assert "?q=" in page.url
    page.go_back()
    expect(heading(page)).to_have_text("How are words related?")


def test_an_analogy_is_typed_and_shown_under_three_measures_with_evidence(page, site):
    page.goto(site)
    type_query(page, "paris france rome ?")
    expect(heading(page)).to_have_text("paris is to france as rome is to italy")
    for measure in ("CosAdd", "CosMult", "PairDiff"):
        expect(card(page, measure).locator("li").first).to_contain_text("italy")
    mixed = card(page, "CosMix").locator("li").first
    expect(mixed).to_contain_text("italy")
    expect(mixed).to_contain_text("capital")
    card(page, "PairDiff").locator("li").first.hover()
    expect(card(page, "CosAdd").locator("li.lit")).to_contain_text("italy")
    assert page.title() == "paris france rome ? · relrep"


def test_a_pair_shows_patterns_sentences_and_links_and_back_returns(page, site):
    page.goto(f"{site}/?q=ostrich+bird")
    expect(heading(page)).to_have_text("ostrich – bird")
    expect(page.locator(".lead")).to_contain_text("They meet 11 times")
    first = card(page, "What joins them")
    expect(first.locator("li").filter(has_text="large").first).to_contain_text("ostrich")
    expect(card(page, "In the text").locator("mark").first).to_be_visible()
    card(page, "Related alike").get_by_role("link", name="lion – cat").click()
    expect(heading(page)).to_have_text("lion – cat")
    expect(page.locator("#q")).to_have_value("lion : cat")
    page.go_back()
    expect(heading(page)).to_have_text("ostrich – bird")
    expect(page.locator("#q")).to_have_value("ostrich bird")
    page.go_forward()
    expect(heading(page)).to_have_text("lion – cat")
    page.reload()
    expect(heading(page)).to_have_text("lion – cat")


def test_the_map_tells_a_pair_on_hover_and_goes_there_on_click(page, site):
    page.goto(f"{site}/?q=paris+france")
    points = page.locator(".map a.point")
    expect(page.locator(".map a.query")).to_have_count(1)
    target = page.locator('.map a.alike[aria-label="rome – italy"]')
    expect(target).to_have_count(1)
    assert points.count() > 5
    target.dispatch_event("pointerenter")
    expect(page.locator(".map .tip")).to_have_text("rome – italy")
    target.focus()
    page.keyboard.press("Enter")
    expect(heading(page)).to_have_text("rome – italy")


def test_a_word_shows_neighbours_and_pairs(page, site):
    page.goto(site)
    type_query(page, "Paris")
    expect(heading(page)).to_have_text("paris")
    expect(card(page, "Neighbours").locator("li")).to_have_count(12)
    expect(card(page, "Stands with")).to_contain_text("france")


def test_a_pattern_shows_its_pairs_and_its_like(page, site):
    page.goto(site)
    type_query(page, "such as")
    expect(heading(page)).to_contain_text("such as")
    expect(card(page, "Pairs that it joins").locator("li").first).to_be_visible()
    card(page, "Similar in use").locator("a").first.click()
    expect(page.locator(".eyebrow")).to_have_text("Pattern")
    assert "such+as%22" not in page.url


def test_suggestions_are_chosen_with_the_keyboard(page, site):
    page.goto(site)
    page.locator("#q").press_sequentially("paris fra")
    expect(page.get_by_role("option")).to_have_text(["paris france"])
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("option", selected=True)).to_have_text("paris france")
    page.keyboard.press("Enter")
    expect(heading(page)).to_have_text("paris – france")
    expect(page.get_by_role("listbox")).to_be_hidden()


def test_unknown_words_get_a_link_to_what_was_meant(page, site):
    page.goto(f"{site}/?q=ostritch+brid")
    expect(page.locator(".lead")).to_contain_text("not in the model's vocabulary")
    page.get_by_role("link", name="ostrich bird", exact=True).click()
    expect(heading(page)).to_have_text("ostrich – bird")


def test_nothing_is_wider_than_a_phone(browser, site):
    context = browser.new_context(viewport={"width": 390, "height": 844}, color_scheme="dark")
    page = context.new_page()
    for query, shown in [
        ("paris france rome ?", ".corpus li"),
        ("paris france", ".map svg"),
        ("paris", ".rows li"),
        ('"such as"', ".map svg"),
        ("", "#examples-pairs a"),
    ]:
        page.goto(f"{site}/?q={quote_plus(query)}")
        expect(page.locator(shown).first).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), query
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(20, 22, 26)"  # dark as asked for
    context.close()


def test_markup_in_the_corpus_is_shown_as_text_and_never_runs(page, hostile_site):
    page.goto(f"{hostile_site}/?q=paris+france")
    expect(card(page, "In the text").or_(card(page, "What joins them")).first).to_contain_text("paris")
    expect(card(page, "In the text")).to_contain_text(SCRIPT)
    page.goto(hostile_site)
    type_query(page, IMAGE)
    expect(heading(page)).to_have_text(IMAGE)
    type_query(page, f"{IMAGE} bird")
    expect(heading(page)).to_have_text(f"{IMAGE} – bird")
    expect(page.locator(".map svg")).to_be_visible()
    type_query(page, f'"{SCRIPT}"')
    expect(heading(page)).to_contain_text(SCRIPT)
    page.locator("#q").fill("<im")
    page.locator("#q").press_sequentially("g")
    expect(page.get_by_role("option").first).to_have_text(f"{IMAGE}word")
    page.goto(f"{hostile_site}/?q={SCRIPT}x")
    expect(page.locator(".lead")).to_contain_text(SCRIPT)
    assert page.evaluate("window.hacked") is None
    assert page.locator("main img, main script").count() == 0
