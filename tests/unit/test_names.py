"""`load` of a name: from the caches of other libraries, which the tests make themselves."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

import bytemill
from bytemill._caches import huggingface, tiktoken
from bytemill.errors import FormatError, NotFoundError, SpecError
from bytemill.left_out import LeftOut
from tests.samples import words

TOK = words(["the cat sat"])
OTHER = words(["another text"])
COMMIT = "0123456789abcdef0123456789abcdef01234567"
VARIABLES = [
    "TIKTOKEN_CACHE_DIR",
    "DATA_GYM_CACHE_DIR",
    "HF_HUB_CACHE",
    "HUGGINGFACE_HUB_CACHE",
    "HF_HOME",
    "XDG_CACHE_HOME",
    "HF_HUB_OFFLINE",
    "TRANSFORMERS_OFFLINE",
]


@pytest.fixture(autouse=True)
def caches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Both caches in a folder of the test, empty, and no huggingface_hub."""
    for variable in VARIABLES:
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path / "tiktoken"))
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def snapshot(hub: Path, name: str, commit: str = COMMIT, ref: str | None = "main") -> Path:
    """The folder of a repository's files in a cache."""
    repository = hub / f"models--{name.replace('/', '--')}"
    folder = repository / "snapshots" / commit
    folder.mkdir(parents=True)
    if ref is not None:
        (repository / "refs" / ref).parent.mkdir(parents=True, exist_ok=True)
        (repository / "refs" / ref).write_text(commit)
    return folder


def ranks(folder: Path) -> tuple[bytes, bytemill.Tokenizer]:
    """A small .tiktoken file, and what it is."""
    file = folder / "small.tiktoken"
    with pytest.warns(LeftOut):
        bytemill.train(["low lower lowest"], bytemill.BPE(vocab_size=260), progress=False).save(file)
    return file.read_bytes(), bytemill.load(file, pattern="cl100k")


def publish(monkeypatch: pytest.MonkeyPatch, name: str, content: bytes) -> tiktoken.File:
    """Makes this the content that OpenAI published."""
    file = tiktoken.File(tiktoken.FILES[name].address, hashlib.sha256(content).hexdigest())
    monkeypatch.setitem(tiktoken.FILES, name, file)
    return file


# Repositories


@pytest.mark.parametrize("name", ["Org/Some-Model_1.5", "bare"])
def test_a_repository_is_read_from_the_cache(caches: Path, name: str) -> None:
    TOK.save(snapshot(caches / "hf" / "hub", name) / "tokenizer.json")
    assert bytemill.load(name).encode("the cat") == TOK.encode("the cat")
    assert bytemill.load(Path(name)).encode("the cat") == TOK.encode("the cat")


@pytest.mark.parametrize(
    ("variable", "folder"),
    [("HF_HUB_CACHE", "."), ("HUGGINGFACE_HUB_CACHE", "."), ("HF_HOME", "hub"), ("XDG_CACHE_HOME", "huggingface/hub")],
)
def test_the_environment_says_where_the_cache_is(
    caches: Path, monkeypatch: pytest.MonkeyPatch, variable: str, folder: str
) -> None:
    monkeypatch.delenv("HF_HOME")
    monkeypatch.setenv(variable, "$PLACE/elsewhere")
    monkeypatch.setenv("PLACE", str(caches))
    TOK.save(snapshot(caches / "elsewhere" / folder, "a/b") / "tokenizer.json")
    assert bytemill.load("a/b").vocab_size == TOK.vocab_size


def test_without_an_environment_the_cache_is_in_the_home(caches: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HF_HOME")
    monkeypatch.setenv("HOME", str(caches))
    TOK.save(snapshot(caches / ".cache" / "huggingface" / "hub", "a/b") / "tokenizer.json")
    assert bytemill.load("a/b").vocab_size == TOK.vocab_size


def test_a_revision_is_a_commit_or_what_a_ref_points_to(caches: Path) -> None:
    hub, other = caches / "hf" / "hub", COMMIT[::-1]
    TOK.save(snapshot(hub, "a/b") / "tokenizer.json")
    OTHER.save(snapshot(hub, "a/b", other, "refs/pr/1") / "tokenizer.json")
    assert bytemill.load("a/b").id_to_token(4) == TOK.id_to_token(4)
    for revision in (other, "refs/pr/1"):
        assert bytemill.load("a/b", revision=revision).id_to_token(4) == OTHER.id_to_token(4)
    with pytest.raises(NotFoundError, match="no tokenizer of that name at the revision 'v2' is in the cache"):
        bytemill.load("a/b", revision="v2")


def test_every_usual_file_is_found_and_tokenizer_json_goes_first(caches: Path) -> None:
    folder = snapshot(caches / "hf" / "hub", "a/b")
    bpe = bytemill.train(["low lower lowest"], bytemill.BPE(vocab_size=260), progress=False)
    with pytest.warns(LeftOut):  # It splits as cl100k does, and a path alone means GPT-2.
        bpe.save(folder / "vocab.json")
    assert bytemill.load("a/b").encode("lowest") == bpe.encode("lowest")
    (folder / "merges.txt").unlink()
    with pytest.raises(NotFoundError):  # Half of two files is none.
        bytemill.load("a/b")
    bytemill.train(["low lower"], bytemill.WordPiece(vocab_size=16), progress=False).save(folder / "vocab.txt")
    assert bytemill.load("a/b").family == "wordpiece"
    TOK.save(folder / "tokenizer.json")
    assert bytemill.load("a/b").family == "word"


def test_a_path_that_exists_wins(caches: Path) -> None:
    TOK.save(snapshot(caches / "hf" / "hub", "a/b") / "tokenizer.json")
    (caches / "a" / "b").mkdir(parents=True)
    OTHER.save(caches / "a" / "b" / "tokenizer.json")
    OTHER.save(caches / "cl100k_base", format="mill")
    assert bytemill.load("a/b").id_to_token(4) == OTHER.id_to_token(4)
    assert bytemill.load("cl100k_base") == OTHER
    with pytest.raises(SpecError, match="a revision is that of a name, and 'a/b' is a path"):
        bytemill.load("a/b", revision="main")


@pytest.mark.parametrize("path", ["none.json", "a/b.mill", "./none", "../none", "a/b/c", "/none", "no name", "é/a"])
def test_what_cannot_be_a_name_is_a_file_that_is_not_there(path: str) -> None:
    with pytest.raises(FileNotFoundError, match="No such file") as caught:
        bytemill.load(path)
    assert not isinstance(caught.value, NotFoundError)


def test_what_is_not_in_the_cache_says_what_to_do(caches: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looked = f"no tokenizer of that name is in the cache of huggingface_hub, '{caches / 'hf' / 'hub'}'"
    with pytest.raises(NotFoundError) as caught:
        bytemill.load("Org/Name")
    assert str(caught.value) == (
        f"there is no file or folder 'Org/Name'; {looked}: "
        'pip install "bytemill[hub]" to have it downloaded, or download its tokenizer.json and load its path'
    )
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(NotFoundError) as caught:
        bytemill.load("Org/Name")
    assert str(caught.value) == (
        f"there is no file or folder 'Org/Name'; {looked}, and HF_HUB_OFFLINE forbids to download it: "
        "unset that, or download its tokenizer.json and load its path"
    )


@pytest.mark.parametrize("name", ["cl100k-base", "CL100K_BASE", "cl100k"])
def test_a_near_miss_gets_a_suggestion(name: str) -> None:
    with pytest.raises(NotFoundError, match=f"there is no file or folder '{name}'.*; did you mean 'cl100k_base'\\?"):
        bytemill.load(name)


def test_a_misspelt_file_gets_a_suggestion(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    TOK.save("mine.mill")
    with pytest.raises(NotFoundError, match=r"there is no file or folder 'mine\.mil'.*; did you mean 'mine\.mill'\?"):
        bytemill.load("mine.mil")


# Downloads


class Missing(Exception):
    pass


class Unreachable(Missing):
    pass


class Refused(Exception):
    pass


@pytest.fixture
def hub(caches: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[str, str, str | None], str]], list[str]]:
    """Installs a huggingface_hub that downloads so; gives the list of what it is asked for."""

    def install(download: Callable[[str, str, str | None], str]) -> list[str]:
        asked: list[str] = []

        def hf_hub_download(repo_id: str, filename: str, *, revision: str | None = None) -> str:
            asked.append(filename)
            return download(repo_id, filename, revision)

        module, errors = ModuleType("huggingface_hub"), ModuleType("huggingface_hub.errors")
        module.hf_hub_download = hf_hub_download  # type: ignore[attr-defined]
        names = {"EntryNotFoundError": Missing, "LocalEntryNotFoundError": Unreachable}
        vars(errors).update(names, HfHubHTTPError=Refused, HFValidationError=Refused)
        monkeypatch.setitem(sys.modules, "huggingface_hub", module)
        monkeypatch.setitem(sys.modules, "huggingface_hub.errors", errors)
        monkeypatch.setattr(huggingface, "has_address", lambda: True)
        return asked

    return install


def test_what_is_not_in_the_cache_is_downloaded(caches: Path, hub: Callable[..., list[str]]) -> None:
    revisions: list[str | None] = []

    def download(repository: str, file: str, revision: str | None) -> str:
        revisions.append(revision)
        if file != "vocab.txt":
            raise Missing(file)
        path = caches / "downloaded" / file
        path.parent.mkdir()
        bytemill.train(["low lower"], bytemill.WordPiece(vocab_size=16), progress=False).save(path)
        return str(path)

    asked = hub(download)
    assert bytemill.load("Org/Name", revision="v1").family == "wordpiece"
    assert asked == ["tokenizer.json", "tekken.json", "vocab.json", "vocab.txt"]
    assert set(revisions) == {"v1"}


def test_nothing_is_downloaded_that_is_cached_or_forbidden(
    caches: Path, hub: Callable[..., list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = hub(lambda *_: pytest.fail("downloaded"))
    TOK.save(snapshot(caches / "hf" / "hub", "a/b") / "tokenizer.json")
    bytemill.load("a/b")
    for variable in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"):
        with monkeypatch.context() as context, pytest.raises(NotFoundError, match="forbids to download"):
            context.setenv(variable, "yes")
            bytemill.load("a/c")
    with pytest.raises(NotFoundError, match="is not in the cache of tiktoken"):
        bytemill.load("cl100k_base")  # No repository.
    assert asked == []


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (
            Missing("no"),
            "there is no file or folder 'a/b', and the repository of that name has none of ",
        ),
        (Unreachable("no route"), "there is no file or folder 'a/b', and the hub cannot be reached"),
        (Refused("gated"), "there is no file or folder 'a/b', and the hub does not give it: gated"),
    ],
)
def test_a_download_that_fails_says_why(hub: Callable[..., list[str]], error: Exception, message: str) -> None:
    def download(*_: object) -> str:
        raise error

    hub(download)
    with pytest.raises(NotFoundError) as caught:
        bytemill.load("a/b")
    assert str(caught.value).startswith(message)


def test_without_a_network_nothing_is_tried(hub: Callable[..., list[str]], monkeypatch: pytest.MonkeyPatch) -> None:
    asked = hub(lambda *_: pytest.fail("downloaded"))
    monkeypatch.setattr(huggingface, "has_address", lambda: False)
    with pytest.raises(NotFoundError, match="there is no file or folder 'a/b', and the hub cannot be reached"):
        bytemill.load("a/b")
    assert asked == []


def test_an_address_that_cannot_be_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(huggingface, "getproxies", dict)
    monkeypatch.setenv("HF_ENDPOINT", "https://nowhere.invalid")
    assert not huggingface.has_address()
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    assert huggingface.has_address()


# Encodings of OpenAI


def test_an_encoding_is_read_from_the_cache(caches: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content, expected = ranks(caches)
    file = publish(monkeypatch, "cl100k_base", content)
    monkeypatch.delenv("TIKTOKEN_CACHE_DIR")
    for variable in ("DATA_GYM_CACHE_DIR", "TIKTOKEN_CACHE_DIR"):  # The second wins.
        monkeypatch.setenv(variable, str(caches / variable))
        (caches / variable).mkdir()
        (caches / variable / file.cached_name).write_bytes(content)
        tok = bytemill.load("cl100k_base")
        assert tok.encode("lowest 123456") == expected.encode("lowest 123456")
        assert tok.special_tokens["<|endofprompt|>"] == 100276
        (caches / variable / file.cached_name).unlink()


def test_by_default_the_cache_is_in_the_temporary_folder(caches: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content, _ = ranks(caches)
    file = publish(monkeypatch, "o200k_base", content)
    monkeypatch.delenv("TIKTOKEN_CACHE_DIR")
    monkeypatch.setattr("tempfile.tempdir", str(caches))
    (caches / "data-gym-cache").mkdir()
    (caches / "data-gym-cache" / file.cached_name).write_bytes(content)
    assert bytemill.load("o200k_base").special_tokens["<|endoftext|>"] == 199999


def test_a_file_with_another_hash_is_refused_and_left_there(caches: Path) -> None:
    path = caches / "tiktoken" / tiktoken.FILES["cl100k_base"].cached_name
    path.parent.mkdir()
    path.write_bytes(b"IQ== 0\n")
    with pytest.raises(FormatError, match=r"this is not what OpenAI published at https.*cl100k_base\.tiktoken"):
        bytemill.load("cl100k_base")
    assert path.exists()


def test_an_encoding_that_is_not_cached_says_where_it_was_looked_for(
    caches: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(NotFoundError) as caught:
        bytemill.load("cl100k_base")
    assert str(caught.value) == (
        f"the encoding 'cl100k_base' is not in the cache of tiktoken: '{caches / 'tiktoken'}' has no file "
        "'9b5ad71b2ce5302211f9c61530b329a4922fc6a4' (set TIKTOKEN_CACHE_DIR if the cache is elsewhere); call "
        "tiktoken.get_encoding('cl100k_base') once to have it there, or download "
        "https://openaipublic.blob.core.windows.net/encodings/cl100k_base.tiktoken and load its path"
    )
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", "")
    with pytest.raises(NotFoundError, match="the environment turns that cache off"):
        bytemill.load("cl100k_base")


def test_gpt2_is_also_a_repository(caches: Path) -> None:
    TOK.save(snapshot(caches / "hf" / "hub", "gpt2") / "tokenizer.json")
    assert bytemill.load("gpt2").encode("the cat") == TOK.encode("the cat")


def test_nothing_of_the_other_libraries_is_imported(caches: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content, _ = ranks(caches)
    file = publish(monkeypatch, "cl100k_base", content)
    (caches / "tiktoken").mkdir()
    (caches / "tiktoken" / file.cached_name).write_bytes(content)
    monkeypatch.setitem(sys.modules, "tiktoken", None)
    assert bytemill.load("cl100k_base").family == "bpe"
