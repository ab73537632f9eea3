"""`python -m bench.see_pictures`: the pictures of docs/seeing.md, made by what the page speaks of, and by chromium."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from pydoc_data.topics import topics
from typing import Any

import bytemill

from .corpora import ROOT

ASSETS = ROOT / "docs" / "assets"
TEXT = "Tokenization isn't hard: 1234567 iterators, naïve expressions."


def main() -> None:
    from playwright.sync_api import sync_playwright

    texts = list(topics.values())
    found = bytemill.sweep(texts, "500..8k", families=["bpe", "unigram"])
    found.plot(ASSETS / "sizes.svg")
    models = {f"{family} {size:,}": tok for (family, size), tok in found.tokenizers.items() if size >= 2_000}
    bytemill.compare(models, on=texts).plot(ASSETS / "compare.svg")
    with tempfile.TemporaryDirectory() as folder:
        bytemill.train(texts, bytemill.BPE(4_000), progress=False).save(Path(folder) / "bpe.json")
        bytemill.train(texts, bytemill.Unigram(4_000), progress=False).save(Path(folder) / "unigram.model")
        command = [sys.executable, "-m", "bytemill", "playground", "bpe.json", "unigram.model"]
        served = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        assert served.stdout is not None
        try:
            with sync_playwright() as driver:
                take(driver, served.stdout.readline().strip())
        finally:
            served.terminate()
            served.communicate()


def take(driver: Any, address: str) -> None:
    browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
    page = browser.new_page(viewport={"width": 1000, "height": 940})
    page.goto(address)
    page.fill("#text", TEXT)
    page.wait_for_function(
        "text => document.querySelector('.counts')?.textContent.includes(text)", arg=f"{len(TEXT.encode())} bytes"
    )
    page.locator(".model-card").first.locator(".chip").nth(1).click()
    page.wait_for_selector("#detail:not([hidden])")
    for _ in range(3):
        page.get_by_role("button", name="Forward").click()
    page.screenshot(path=ASSETS / "playground.png")
    browser.close()


if __name__ == "__main__":
    main()
