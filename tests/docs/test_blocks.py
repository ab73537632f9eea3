"""The documentation runs: the Python blocks of a page in one namespace, its shell blocks in the same folder, its links.

A `python` block with `>>>` is a doctest, any other is executed. In a `console` block the lines after a `$` line are
what the command shows, on both streams; where there are none, only its success is checked. `…` stands for anything.
"""

from __future__ import annotations

import dataclasses
import doctest
import json
import re
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import bytemill

from ..cli.conftest import DROPPED, TERMINAL, zstd
from ..cli.test_snapshots import in_process, in_shell, needs_shell
from ..conftest import ROOT

PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]
RUN = ("python", "sh", "console")
#: For a reader to look at.
SHOWN = ("", "json", "rust", "text", "toml")
#: Commands that build, install, upload or belong to the repository: `make test` is what runs this.
NOT_RUN = ("cargo", "cd", "git", "hf", "make", "pip", ".venv/bin/python", "BYTEMILL_UPDATE_SNAPSHOTS=1")


@dataclasses.dataclass(frozen=True)
class Block:
    language: str
    #: The line of the page that its first line is, from 1.
    line: int
    text: str


@dataclasses.dataclass(frozen=True)
class Command:
    line: int
    text: str
    #: What it shows; None where the page does not say.
    shows: str | None


def blocks(page: str) -> Iterator[Block]:
    """
    >>> list(blocks("a\\n```sh\\nb\\n```\\n"))
    [Block(language='sh', line=3, text='b\\n')]
    """
    fence, language, first, body = "", "", 0, []
    for number, line in enumerate(page.splitlines(keepends=True), 1):
        opening = re.match(r"(```+)(\S*)", line)
        if not fence and opening:
            fence, language = opening.groups()
            first, body = number + 1, []
        elif fence and line.strip() == fence:
            yield Block(language, first, "".join(body))
            fence = ""
        elif fence:
            body.append(line)
    assert not fence, f"the block at line {first} has no end"


def commands(block: Block) -> Iterator[Command]:
    """
    >>> list(commands(Block("console", 7, "$ a\\n$ b\\nx\\ny\\n")))
    [Command(line=7, text='a', shows=None), Command(line=8, text='b', shows='x\\ny')]
    >>> list(commands(Block("sh", 7, "a\\n\\nb  # why\\n")))
    [Command(line=7, text='a', shows=None), Command(line=9, text='b  # why', shows=None)]
    """
    lines = block.text.splitlines()
    if block.language == "sh":
        yield from (Command(block.line + i, line, None) for i, line in enumerate(lines) if line.strip())
        return
    starts = [i for i, line in enumerate(lines) if line.startswith("$ ")]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        shown = "\n".join(lines[start + 1 : end]).strip("\n")
        yield Command(block.line + start, lines[start][2:], shown or None)


class Checker(doctest.OutputChecker):
    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        """`…` is itself, or anything."""
        wants = {want, want.replace("…", "...")}
        return any(super(Checker, self).check_output(want, got, optionflags) for want in wants)


def run_python(block: Block, page: Path, namespace: dict[str, Any]) -> None:
    if ">>> " not in block.text:
        # Empty lines before it, so that a traceback points into the page.
        exec(compile("\n" * (block.line - 1) + block.text, str(page), "exec"), namespace)
        return
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    examples = doctest.DocTestParser().get_examples(block.text)
    test = doctest.DocTest(examples, namespace, page.name, str(page), block.line - 1, block.text)
    report: list[str] = []
    runner = doctest.DocTestRunner(Checker(), optionflags=flags)
    failed, _ = runner.run(test, out=report.append, clear_globs=False)
    assert not failed, "".join(report)
    namespace.update(test.globs)  # a doctest works on a copy


def run_command(command: Command, page: Path) -> None:
    code, output = (in_shell if needs_shell(command.text) else in_process)(command.text)
    shown = output.strip("\n")
    place = f"{page.name}, line {command.line}: {command.text}"
    assert code == 0, f"{place}\n{shown}"
    if command.shows is not None:
        pattern = ".*?".join(re.escape(part) for part in command.shows.split("…"))
        assert re.fullmatch(pattern, shown, re.DOTALL), f"{place}\nshows\n{shown}\nand not\n{command.shows}"


def table_blocks(page: str) -> Iterator[Block]:
    """The code in the right column of a page's tables: what to write here in place of another library's line.

    >>> list(table_blocks("| `a` | b |\\n|---|---|\\n| `c` | `d`, `e` |\\n"))
    [Block(language='python', line=3, text='d'), Block(language='python', line=3, text='e')]
    """
    for number, line in enumerate(page.splitlines(), 1):
        if line.startswith("| "):
            yield from (Block("python", number, code) for code in re.findall(r"`([^`]+)`", line.split(" | ")[-1]))


def is_run(command: Command) -> bool:
    return command.text.split()[0] not in NOT_RUN


def furnish() -> None:
    """The files that docs/cli.md speaks of and does not make."""
    text = "The cat sat on the mat.\nThe dog saw the cat, and the cat ran!\n"
    for name in ("corpus.txt", "a.txt", "my.txt", "data/one.txt", "README.md", "src/two.txt"):
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(text)
    line = json.dumps({"text": "the cat", "body": "the dog"}) + "\n"
    for name in ("b.jsonl.zst", "more.jsonl.zst"):
        Path(name).write_bytes(zstd(line.encode()))
    tok = bytemill.train("corpus.txt", bytemill.Word(), progress=False)
    tok.save("words.mill")
    tok.save("tokenizer.json")
    tok.encode_files("corpus.txt", "train.bin", progress=False)
    bytemill.train("corpus.txt", bytemill.BPE(262), progress=False).save("bpe.mill")
    bytemill.train("corpus.txt", bytemill.Unigram(26), progress=False).save("uni.model")
    Path("qwen.tiktoken").write_text("\n".join(f"{b64encode(bytes([i])).decode()} {i}" for i in range(256)))
    characters = sorted(set(text.lower()) - set(" \n"))
    vocab = ["<unk>", *characters, *(character + "</w>" for character in characters), "th", "the</w>"]
    Path("vocab.json").write_text(json.dumps({token: id for id, token in enumerate(vocab)}))
    Path("merges.txt").write_text("#version: 0.2\nt h\nth e</w>\n")
    Path("vocab.txt").write_text("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "cat"]) + "\n")


def pages_with_blocks() -> list[Path]:
    return [page for page in PAGES if any(b.language in RUN for b in blocks(page.read_text(encoding="utf-8")))]


#: Pages that need more libraries than the other tests.
NEEDS_DATA = ("trainers.md",)
MARKED = [
    pytest.param(page, marks=[pytest.mark.data] if page.name in NEEDS_DATA else []) for page in pages_with_blocks()
]


@pytest.mark.parametrize("page", MARKED, ids=lambda page: page.name)
def test_blocks_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in DROPPED:
        monkeypatch.delenv(name, raising=False)
    for name, value in TERMINAL.items():
        monkeypatch.setenv(name, value)
    namespace: dict[str, Any] = {"__name__": "__main__"}
    text = page.read_text(encoding="utf-8")
    tables = table_blocks(text) if page.parent.name == "coming-from" else ()
    for block in sorted([*blocks(text), *tables], key=lambda block: block.line):
        if page.name == "cli.md":
            furnish()  # its sections do not build on one another
        if block.language == "python":
            run_python(block, page, namespace)
        elif block.language in RUN:
            for command in filter(is_run, commands(block)):
                run_command(command, page)


def test_every_block_says_what_it_is() -> None:
    for page in PAGES:
        for block in blocks(page.read_text(encoding="utf-8")):
            assert block.language in (*RUN, *SHOWN), f"{page.name}, line {block.line}: a block in {block.language!r}"


def test_pages_have_blocks_that_run() -> None:
    names = {page.name for page in pages_with_blocks()}
    assert names >= {"README.md", "python.md", "training.md", "formats.md", "cli.md", "words.md"}


def headings(page: Path) -> set[str]:
    """The anchors of a page, as GitHub makes them."""
    text = "".join(re.split(r"(?ms)^```.*?^```$", page.read_text(encoding="utf-8")))
    titles = re.findall(r"(?m)^#+ (.*)$", text)
    return {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for text, target in re.findall(r"\[([^\]\[]+)\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        if target.startswith("https://"):
            continue
        path, _, anchor = target.partition("#")
        found = (page.parent / path).resolve() if path else page
        assert found.exists() or found in GENERATED, f"{page.name}: [{text}]({target}) leads nowhere"
        if anchor:
            assert anchor in headings(found), f"{page.name}: {found.name} has no heading #{anchor}"


#: Made by `make matrix` and `make report`.
GENERATED = [ROOT / "docs" / name for name in ("matrix.md", "benchmarks.md", "benchmark-tables.md")]


@pytest.mark.parametrize("function", [blocks, commands, table_blocks], ids=lambda function: function.__name__)
def test_the_readers_of_pages_by_example(function: Any) -> None:
    finder = doctest.DocTestFinder(recurse=False)
    tests = finder.find(function, function.__name__, globs=globals())
    assert sum(len(test.examples) for test in tests) > 0
    for test in tests:
        assert doctest.DocTestRunner().run(test).failed == 0
