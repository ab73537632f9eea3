"""What is not a tokenizer file and is read all the same, damaged: counts, checkpoints, journals, token files, maps of
embeddings, and the files beside a model.

Each is refused, or it is used like any other. A case is a folder: what it is, and what its files hold.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import random
import signal
import tempfile
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import xxhash

import bytemill
from bytemill import surgery
from bytemill.errors import BytemillError

from .damage import damage_json
from .files import CORPUS, NUMBERS, refuse_internal, trained
from .tally import done

Json = dict[str, Any]
Files = dict[str, bytes]

#: What says what the other files are.
TELLING = (".json", "-journal", ".idx", ".index", ".docs", ".metadata")
#: How many damaged folders are made from one.
COPIES = 20
#: Of every file, so that work that goes on finds the sources as they were.
TIME = 1_700_000_000
SOURCES = ["a.txt", "b.txt"]


class Stopped(Exception):
    """Ends work in the middle."""


@contextlib.contextmanager
def folder() -> Iterator[Path]:
    """A new folder, in which the process is."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as name:
        os.chdir(name)
        try:
            yield Path(name)
        finally:
            os.chdir(before)


def contents(where: Path) -> Files:
    return {str(path.relative_to(where)): path.read_bytes() for path in sorted(where.rglob("*")) if path.is_file()}


def make_counts(rng: random.Random) -> None:
    bytemill.count_pieces(CORPUS, order=rng.random() < 0.5, progress=False).save("a.counts")


def use_counts() -> None:
    counts = bytemill.PieceCounts.load("a.counts")
    str((counts, counts.total, counts.documents, counts.bytes, counts.made_by, counts.most_common(3)))
    counts["the"], "the" in counts, sum(1 for _ in counts)
    tolerant(lambda: counts.in_order_of_appearance())
    tolerant(lambda: str(counts + counts))
    for spec in (bytemill.BPE(262), bytemill.WordPiece(40), bytemill.Word(), bytemill.Unigram(30)):
        tolerant(lambda spec=spec: bytemill.train(counts, spec, progress=False))
    tolerant(lambda: counts.save("again.counts"))


def interrupted() -> Iterator[str]:
    yield from CORPUS[:3]
    raise Stopped


def make_checkpoint(rng: random.Random) -> None:
    with contextlib.suppress(Stopped):
        bytemill.train(interrupted(), bytemill.BPE(262), checkpoint="checkpoint", progress=False)


def use_checkpoint() -> None:
    bytemill.train(iter(CORPUS), bytemill.BPE(262), checkpoint="checkpoint", progress=False)


def write_sources() -> None:
    for name in SOURCES:
        Path(name).write_text("".join(CORPUS) * 40)
        os.utime(name, (TIME, TIME))


OUTPUTS = ["o.bin", "o.npy", "o.jsonl", "o.ds"]
#: How often each source is read: long enough for the work to be met in the middle.
TIMES = 60


def make_journal(rng: random.Random) -> None:
    """What work leaves that is killed as soon as it has left something: more or less of it, as the machine is fast."""
    write_sources()
    output = rng.choice(OUTPUTS)
    # The process itself may be a daemon of the fuzzer's, which has no children of multiprocessing.
    worker = os.fork()
    if worker == 0:
        with contextlib.suppress(BaseException):
            go_on(output)
        os._exit(0)
    while not list(Path().glob(".*-journal")) and os.waitpid(worker, os.WNOHANG) == (0, 0):
        pass
    with contextlib.suppress(ProcessLookupError, ChildProcessError):
        os.kill(worker, signal.SIGKILL)
        os.waitpid(worker, 0)
    for name in SOURCES:
        Path(name).unlink()


def use_journal() -> None:
    write_sources()
    names = [path.name for path in Path().iterdir()]
    output = next((name for name in OUTPUTS if any(name[1:] in other for other in names)), OUTPUTS[0])
    go_on(output)
    # What they hold depends on a journal that is one's own, and on ids without a checksum.
    list(bytemill.open_tokens(output))


def go_on(output: str) -> None:
    options: Json = {"shard_tokens": 30_000, "checkpoint": 0, "resume": True, "threads": 1, "progress": False}
    trained(0).encode_files(SOURCES * TIMES, output, **options)


TOKEN_FILES = ["o.bin", "o.npy", "o.jsonl", "o.ds", "o.idx", "llmc.bin"]


def make_tokens(rng: random.Random) -> None:
    write_sources()
    name = rng.choice(TOKEN_FILES)
    options: Json = {"shard_tokens": 2000} if rng.random() < 0.3 else {}
    options |= {"format": "llmc"} if name == "llmc.bin" else {}
    options |= {"split": 0.5} if rng.random() < 0.2 else {}
    trained(0).encode_files(SOURCES, name, input_format="lines", progress=False, **options)
    for path in map(Path, SOURCES):
        path.unlink()


def use_tokens() -> None:
    for path in sorted(Path().iterdir()):
        tolerant(lambda path=path: use_token_file(path))


def use_token_file(path: Path) -> None:
    data = bytemill.open_tokens(path)
    str((data, data.fingerprint, data.tokens, len(data)))
    rows = [row.tolist() for row in data[:50]]
    if any(id < 0 for row in rows for id in row):
        raise AssertionError("an id below zero")
    if sum(map(len, data)) != data.tokens:
        raise AssertionError("documents that are not all ids, one after another")
    data.slice(3, 9), list(data.of_lengths([3]))
    list(zip(range(3), data.batches(4, 2, seed=1), strict=False))
    tolerant(lambda: data.check(trained(0)))


def make_map(rng: random.Random) -> None:
    edit = surgery.add_tokens(trained(0), ["ca", " sa"])
    edit.embedding_map.save(rng.choice(["map.json", "map.npz"]))


def use_map() -> None:
    for name in ("map.json", "map.npz"):
        if Path(name).exists():
            found = surgery.EmbeddingMap.load(name)
            tolerant(partial(found.move, [0]))
            rows = found.resize(np.ones((len(found.new_ids), 2)))
            if rows.shape != (len(found.old_ids), 2) or not (rows == 1).all():
                raise AssertionError("rows that come from nowhere")
            str(found.to_dict())


def make_model(rng: random.Random) -> None:
    tok = trained(rng.randrange(5))
    tok.save_pretrained(".")
    template = "{% for m in messages %}<{{ m['role'] }}>{{ m['content'] }}{% endfor %}"
    config = {"chat_template": template, "model_max_length": 20, "bos_token": "<s>", "padding_side": "left"}
    Path("tokenizer_config.json").write_text(json.dumps(config))
    Path("special_tokens_map.json").write_text(json.dumps({"eos_token": {"content": "</s>"}, "unk_token": "<UNK>"}))
    if rng.random() < 0.3:
        Path("tokenizer.json").unlink(missing_ok=True)
        trained(0).save("vocab.json")


def use_model() -> None:
    tok = bytemill.load(".")
    str((tok.roles, tok.bos_id, tok.encode("the cat")))
    tolerant(lambda: tok.apply_chat_template([{"role": "user", "content": "a cat"}]))
    tolerant(lambda: tok.encode_chat([{"role": "user", "content": "a cat"}]))
    tolerant(lambda: tok("the cat", truncation=True, padding=True))
    tolerant(lambda: tok.save_pretrained("out"))


KINDS: dict[str, tuple[Callable[[random.Random], None], Callable[[], None]]] = {
    "counts": (make_counts, use_counts),
    "checkpoint": (make_checkpoint, use_checkpoint),
    "journal": (make_journal, use_journal),
    "token files": (make_tokens, use_tokens),
    "map": (make_map, use_map),
    "model": (make_model, use_model),
}


def tolerant(use: Callable[[], object]) -> None:
    """A use that may be refused."""
    try:
        use()
    except (BytemillError, OSError) as error:
        refuse_other(error)


def refuse_other(error: BytemillError | OSError) -> None:
    if isinstance(error, BytemillError):
        refuse_internal(error)


@cache
def whole(kind: str, number: int) -> Files:
    """One of some folders of a kind."""
    with folder() as where:
        KINDS[kind][0](random.Random(f"{kind} {number}"))
        return contents(where)


def make(rng: random.Random) -> Json:
    kind = rng.choice(list(KINDS))
    files = whole(kind, rng.randrange(12))
    copies = [damaged(rng, files) for _ in range(COPIES)]
    return {"kind": kind, "folders": [{name: encoded(data) for name, data in copy.items()} for copy in copies]}


def encoded(data: bytes) -> str:
    return base64.b64encode(data).decode()


def damaged(rng: random.Random, files: Files) -> Files:
    """The same folder with one of its files changed; now and then one is gone, or another one stands in its place."""
    copy = {name: data for name, data in files.items() if name not in SOURCES}
    telling = [name for name in copy if name.endswith(TELLING)]
    name = rng.choice(telling if telling and rng.random() < 0.7 else sorted(copy))
    roll = rng.random()
    if roll < 0.04:
        del copy[name]
    elif roll < 0.08:
        copy[name] = copy[rng.choice(sorted(copy))]
    else:
        copy[name] = damaged_file(rng, copy[name])
    return copy


def damaged_file(rng: random.Random, data: bytes) -> bytes:
    if data.startswith(COUNTS) and rng.random() < 0.9:
        return damaged_counts(rng, data)
    if data[:1] in (b"{", b"[") and rng.random() < 0.8:
        lines = data.splitlines()
        if len(lines) > 1 and lines[0].endswith(b"}"):
            at = rng.randrange(len(lines))
            lines[at] = damage_json(rng, lines[at])
            return b"\n".join(lines)
        return damage_json(rng, data)
    return damaged_bytes(rng, data)


def damaged_bytes(rng: random.Random, data: bytes) -> bytes:
    """A number, a byte, or the length changed."""
    if not data or rng.random() < 0.2:
        return rng.choice([b"", data[: rng.randint(0, len(data))], data + rng.randbytes(3), data + data])
    size = rng.choice([1, 1, 2, 4, 8])
    # What describes the rest stands at the start.
    at = rng.randrange(min(len(data), rng.choice([16, 140, 1 << 30])))
    at -= at % size
    old = int.from_bytes(data[at : at + size], "little")
    new = rng.choice([*NUMBERS, old + 1, old - 1, old ^ 1 << rng.randrange(8 * size)]) % (1 << 8 * size)
    return data[:at] + new.to_bytes(size, "little") + data[at + size :]


COUNTS = b"\x89CNTS\r\n\x1a"
HEAD = 16


def damaged_counts(rng: random.Random, data: bytes) -> bytes:
    """The head or the pieces changed, and all lengths and checksums made right again."""
    length = int.from_bytes(data[12:16], "little")
    head, pieces = data[HEAD : HEAD + length], data[HEAD + length + 8 + 16 :]
    if rng.random() < 0.5:
        head = damage_json(rng, head)
    else:
        pieces = damaged_bytes(rng, pieces)
        if rng.random() < 0.7:
            # Totals that are right, where the pieces can be read.
            head = json.dumps({**json.loads(head), **totals(pieces, b'"ordered":true' in head)}).encode()
    start = data[:12] + len(head).to_bytes(4, "little") + head
    return start + checksum(start) + len(pieces).to_bytes(8, "little") + checksum(pieces) + pieces


def checksum(data: bytes) -> bytes:
    return xxhash.xxh3_64_intdigest(data).to_bytes(8, "little")


def totals(pieces: bytes, ordered: bool) -> Json:
    """What the head says of the pieces."""
    at = total = distinct = 0

    def number() -> int:
        nonlocal at
        found = shift = 0
        while at < len(pieces):
            byte = pieces[at]
            at += 1
            found |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                break
        return found

    while at < len(pieces):
        number()
        at += number()
        total += number()
        distinct += 1
        if ordered:
            number()
    return {"pieces": total % 2**64, "distinct_pieces": distinct}


def check(case: Json) -> str:
    used = [load_and_use(case["kind"], files) for files in case["folders"]]
    return f"{case['kind']}: {'some used' if any(used) else 'refused'}"


def load_and_use(kind: str, files: dict[str, str]) -> bool:
    done["files"] += 1
    with folder():
        for name, content in files.items():
            Path(name).parent.mkdir(parents=True, exist_ok=True)
            Path(name).write_bytes(base64.b64decode(content))
        try:
            KINDS[kind][1]()
        except (BytemillError, OSError) as error:
            refuse_other(error)
            return False
    return True
