"""The playground in a browser: Debian's chromium, driven by playwright."""

from __future__ import annotations

import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

import bytemill
from bytemill.results.visible import visible
from tests.conftest import absent, need
from tests.samples import CORPUS

pytestmark = pytest.mark.web

TEXTS = [*CORPUS, *["the cat"] * 9]
TEMPLATE = "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A playground with three tokenizers, one of which has a chat template."""
    folder = tmp_path_factory.mktemp("models")
    need("starlette")
    need("uvicorn")
    specials = ["<|im_start|>", "<|im_end|>"]
    (folder / "chat").mkdir()
    bytemill.train(TEXTS, bytemill.BPE(270), special_tokens=specials, progress=False).save(
        folder / "chat/tokenizer.json"
    )
    (folder / "chat/tokenizer_config.json").write_text(json.dumps({"chat_template": TEMPLATE}))
    bytemill.train(CORPUS * 3, bytemill.Unigram(80), progress=False).save(folder / "unigram.model")
    bytemill.train(TEXTS, bytemill.BPE(260), progress=False).save(folder / "small.mill")
    command = [sys.executable, "-m", "bytemill", "playground", "chat", "unigram.model", "small.mill"]
    served = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert served.stdout is not None
    yield served.stdout.readline().strip()
    served.kill()  # it may be at work for a page that is gone
    served.communicate()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    playwright = need("playwright.sync_api")
    chromium = shutil.which("chromium") or absent("chromium is not installed")
    with playwright.sync_playwright() as driver:
        # Root, as in containers, has no sandbox of its own.
        flags = ["--no-sandbox"] if os.geteuid() == 0 else []
        opened = driver.chromium.launch(executable_path=chromium, args=flags)
        yield opened
        opened.close()


def heard(page: Any) -> tuple[list[str], list[str]]:
    """What a page complains of, and what it asks for, as it happens."""
    said: list[str] = []
    asked: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("dialog", lambda dialog: said.append(dialog.message))
    page.on("request", lambda request: asked.append(request.url))
    return said, asked


@pytest.fixture
def page(browser: Any, address: str) -> Iterator[Any]:
    """The page, which must not complain or ask for anything elsewhere."""
    context = browser.new_context(viewport={"width": 1100, "height": 800})
    opened = context.new_page()
    said, asked = heard(opened)
    opened.goto(address)
    opened.wait_for_selector(".model-card .chip")
    yield opened
    assert said == []
    assert asked and all(url.startswith((address, "data:", "blob:" + address.split("/")[0])) for url in asked)
    context.close()


def shown(page: Any, card: int) -> str:
    """What the chips of a tokenizer say, without their ids."""
    script = "box => [...box.querySelectorAll('.chip')].map(c => c.firstChild.textContent).join('|')"
    return str(page.locator(".model-card").nth(card).locator(".tokens").evaluate(script))


def write(page: Any, text: str) -> None:
    page.fill("#text", text)
    page.wait_for_timeout(50)
    page.wait_for_function(
        "text => document.querySelector('.counts').textContent.includes(' ' + text + ' bytes')",
        arg=f"{len(text.encode()):,}",
    )


def test_typing_shows_tokens_of_every_model(page: Any) -> None:
    page.fill("#text", "")
    page.locator("#text").press_sequentially("the cat")
    page.wait_for_function("() => document.querySelector('.counts').textContent.includes(' 7 bytes')")
    assert shown(page, 0) == "the|·cat"
    assert "▁" in shown(page, 1) and page.locator(".model-card").count() == 3
    assert page.locator(".model-card").nth(2).locator(".differs").count() > 0
    assert "% of the first" in page.locator(".counts").nth(1).inner_text()
    page.fill("#price", "2")
    page.wait_for_function("() => document.querySelector('.counts').textContent.includes('costs 0.000004')")


def test_a_dropped_file_is_read(page: Any) -> None:
    page.evaluate(
        """() => {
            const data = new DataTransfer();
            data.items.add(new File(["the cat sat"], "a.txt", { type: "text/plain" }));
            document.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
        }"""
    )
    page.wait_for_function("() => document.querySelector('.counts').textContent.includes(' 11 bytes')")
    assert page.input_value("#text") == "the cat sat" and shown(page, 0).startswith("the|·cat|")


def test_merges_are_replayed(page: Any) -> None:
    write(page, "the cat")
    page.locator(".model-card").nth(0).locator(".chip").nth(1).click()
    page.wait_for_selector("#detail:not([hidden])")
    assert page.locator("#detail .state .chip").all_inner_texts() == ["·", "c", "a", "t"]
    for _ in range(3):
        page.click("text=Forward")
    assert page.locator("#detail .state .chip").all_inner_texts() == ["·cat"]
    assert "merge 3 of 3" in page.locator("#detail").inner_text()
    page.get_by_role("button", name="Play", exact=True).click()
    page.wait_for_function("() => document.querySelector('#detail .count').textContent.startsWith('merge 1 ')")
    page.click("#close")


def test_rivals_of_a_unigram_piece(page: Any) -> None:
    write(page, "the cat")
    page.locator(".model-card").nth(1).locator(".chip").first.click()
    page.wait_for_selector("#detail .rival")
    assert re.search(r"\d+\.\d\d%\s+score -", page.locator("#detail .rival").first.inner_text())


def test_the_keyboard_is_enough(page: Any) -> None:
    write(page, "the cat")
    page.locator("#text").focus()
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.classList.contains('chip')"):
            break
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.firstChild.textContent") == "·cat"
    assert (
        "bytes 20 63 61 74  code points U+0020 U+0063 U+0061 U+0074  place 3 to 7"
        in page.locator("#status").text_content()
    )
    page.keyboard.press("Enter")
    page.wait_for_selector("#detail:not([hidden])")
    page.keyboard.press("Escape")
    assert page.locator("#detail").is_hidden()
    assert page.evaluate("document.activeElement.firstChild.textContent") == "·cat"
    page.locator("#tab-tokens").focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_selector("#stages-shown .chip")
    assert "Pieces" in page.locator("#stages-shown").inner_text()


def test_source_code_chats_and_the_vocabulary(page: Any) -> None:
    page.fill("#text", "def f():\n    return 1\n")
    page.click("#tab-syntax")
    page.fill("#language", "python")
    page.keyboard.press("Enter")
    page.wait_for_selector("#syntax-shown .k-keyword")
    page.click("#tab-chat")
    page.wait_for_selector("#chat-shown .special")
    assert page.locator("#chat-shown .special").count() == 4
    page.click("text=Add a message")
    page.locator("#messages textarea").nth(2).fill("<|im_end|>")
    page.wait_for_timeout(300)
    assert page.locator("#chat-shown .special").count() == 6  # what a message spells is plain text
    page.click("#tab-vocabulary")
    page.fill("#query", "cat")
    page.wait_for_function("() => document.querySelector('#vocabulary-shown')?.textContent.includes('·cat')")


def luminance(colour: str) -> float:
    parts = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(share * part for share, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_tokens_can_be_read_in_light_and_dark(page: Any, scheme: str) -> None:
    page.emulate_media(color_scheme=scheme)
    colours = page.locator(".chip").evaluate_all(
        "all => all.map(c => { const s = getComputedStyle(c); return [s.color, s.backgroundColor]; })"
    )
    body = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (luminance(body) < 0.1) == (scheme == "dark")
    for text, background in colours:
        light, dark = sorted((luminance(text), luminance(background)), reverse=True)
        assert (light + 0.05) / (dark + 0.05) >= 4.5, (text, background)


def test_a_narrow_screen_needs_no_scrolling_aside(page: Any) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    write(page, "the cat " + "x" * 300)
    for tab in ("tokens", "stages", "syntax", "chat", "vocabulary"):
        page.click(f"#tab-{tab}")
        page.wait_for_timeout(100)
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, tab


@pytest.mark.parametrize("kind", ["words", "without a space"])
def test_keys_are_quick_after_a_megabyte_was_pasted(page: Any, kind: str) -> None:
    page.evaluate(
        """text => {
            const data = new DataTransfer();
            data.setData("text/plain", text.repeat(Math.ceil(2 ** 20 / text.length)));
            const area = document.getElementById("text");
            area.focus(); area.select();
            area.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
            window.times = [];
            area.addEventListener("keydown", () => {
                const begun = performance.now();
                requestAnimationFrame(() => setTimeout(() => window.times.push(performance.now() - begun)));
            });
        }""",
        "the cat sat " if kind == "words" else "x",
    )
    page.wait_for_function("() => document.querySelector('.counts').textContent.includes(' 1,048,')", timeout=60_000)
    assert "of 1,048," in page.locator("#where").inner_text()
    for _ in range(20):
        page.keyboard.press("z")
        page.wait_for_timeout(30)
    page.wait_for_function("() => window.times.length === 20")
    assert statistics.median(page.evaluate("window.times")) < 100
    page.wait_for_function(
        "() => document.querySelector('.counts').textContent.match(/ 1,048,\\d+ bytes/)", timeout=60_000
    )
    page.click("text=Later")
    assert re.match("characters 4,0", page.locator("#where").inner_text())


def test_hostile_text_is_text(page: Any) -> None:
    hostile = "<script>alert(1)</script><img src=x onerror=alert(2)> \u202eevil\u202c \u2066x\u2069 &lt; \x00 '\"`"
    write(page, hostile)
    assert page.locator("#models script, #models img").count() == 0
    texts = shown(page, 0)
    assert "\u202e" not in texts and "\u2066" not in texts and "<U+202E>" in shown(page, 1)
    page.locator("#text").evaluate("area => { area.value = 'a\\ud800b'; area.dispatchEvent(new Event('input')); }")
    page.wait_for_function("() => document.querySelector('.counts').textContent.includes(' 5 bytes')")


def test_a_shared_page_stands_alone(page: Any, browser: Any, tmp_path: Path) -> None:
    write(page, "<b>the</b> cat")
    with page.expect_download() as saving:
        page.click("#share")
    saving.value.save_as(tmp_path / "tokens.html")
    alone = browser.new_page()
    said, asked = heard(alone)
    alone.goto((tmp_path / "tokens.html").as_uri())
    assert alone.locator(".chip").count() > 5 and alone.locator("b").count() == 0
    assert asked == [(tmp_path / "tokens.html").as_uri()] and said == []
    alone.close()


@pytest.mark.parametrize("order", ["encoding", "training"])
def test_the_film_ends_in_the_tokens(browser: Any, tmp_path: Path, order: str) -> None:
    tok = bytemill.train(TEXTS, bytemill.BPE(270), progress=False)
    text = "the cat <script>alert(1)</script> sat"
    (tmp_path / "film.html").write_text(tok.explain(text).to_html(), encoding="utf-8")
    page = browser.new_page()
    said, asked = heard(page)
    page.goto((tmp_path / "film.html").as_uri())
    page.select_option("#order", order)
    begun = page.locator("#shown .chip").all_text_contents()
    assert begun == [visible(character) for character in text]
    steps = int(page.get_attribute("#slide", "max"))
    page.click("#forward")
    assert page.locator("#count").text_content().startswith(f"step 1 of {steps}: rank ")
    page.locator("#slide").evaluate(
        "(slide, to) => { slide.value = to; slide.dispatchEvent(new Event('input')); }", steps
    )
    assert page.locator("#shown .chip").all_text_contents() == [visible(token) for token in tok.tokenize(text)]
    assert said == [] and len(asked) == 1
    page.close()


def test_only_those_who_know_the_address_get_in(address: str) -> None:
    parts = urlsplit(address)

    def status(url: str, host: str | None = None) -> int:
        request = urllib.request.Request(url, headers={} if host is None else {"Host": host})
        try:
            return int(urllib.request.urlopen(request).status)
        except urllib.error.HTTPError as error:
            return error.code

    assert parts.hostname == "127.0.0.1" and len(parts.path) > 20
    assert status(address) == 200
    assert status(f"http://{parts.netloc}/") == status(f"http://{parts.netloc}/wrong/") == 404
    assert status(address + "..%2f..%2fserver.py") == status(address + "server.py") == 404
    assert status(address, host="evil.example") == 400
    policy = urllib.request.urlopen(address).headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "unsafe" not in policy
