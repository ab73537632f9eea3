"""`bytemill encode`: text into a token file, or into ids on standard output."""

from __future__ import annotations

import dataclasses
import itertools
import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import SpecError
from ..progress import quantity
from . import options
from .console import note, progress_bar, summary
from .documents import OF_A_TEXT, Batch, batches
from .ending import beginning, ending
from .helped import command
from .outputs import STDOUT, check_output, refuse_json_beside, target
from .types import Real, Whole
from .wording import in_options
from .writing import refuse_without_output
from .writing import writing as writing_options

if TYPE_CHECKING:
    from ..results.report import EncodeReport
    from ..tokenizer import Tokenizer
    from .sources import Reading, TokenizerFile

EXAMPLES = """\
bytemill encode tokenizer.json data/ -o train.bin --append eos
bytemill encode tokenizer.json a.txt b.jsonl.zst -o train.npy
bytemill encode tokenizer.json 'data/*.parquet' -o data/{split}.bin --split 0.01 --append eos
bytemill encode tokenizer.json data/ -o data/train --format megatron --shard-tokens 1G --resume
bytemill encode tokenizer.json data/ -o data/train.bin --engine ray --shard-bytes 64MB
bytemill encode tokenizer.json data/ -o train.parquet --keep id --keep meta.url
bytemill encode tokenizer.json --text "Hello, world!"
bytemill encode tokenizer.json chat.txt --input-format lines
zstd -dc d.jsonl.zst | bytemill encode tokenizer.json - -o d.bin --input-format jsonl --field body
bytemill encode spm.model --text "Hello, world!" --nbest 5
bytemill encode spm.model corpus.txt --input-format lines --alpha 0.1 --seed 7"""
SHOWN = 3  # reasons for skipped documents
#: The ids before and after every document.
Around = tuple[list[int], list[int]]


@command(EXAMPLES)
@options.tokenizer
@options.reading(text=True)
@options.output(
    "The token file: .bin (bare ids), .npy, .idx (Megatron), .ds (datatrove), .jsonl, .parquet or .arrow; uint16 where "
    "all ids fit, otherwise uint32. - writes a .bin to standard output.",
    required=False,
)
@writing_options
@click.option("--prepend", metavar="TOKEN", help="Put a special token, or a role such as bos, before every document.")
@click.option("--append", metavar="TOKEN", help="Put a special token, or a role such as eos, after every document.")
@click.option("--append-id", type=Whole(0), metavar="ID", help="Put this id after every document.")
@options.specials
@click.option(
    "--nbest",
    type=Whole(1),
    metavar="N",
    help="The N best segmentations of each document with their scores; with --alpha, those to sample from (unigram).",
)
@click.option(
    "--alpha",
    type=Real(0),
    metavar="A",
    help="Sample a segmentation of each document. Smaller values make all segmentations more equally likely (unigram).",
)
@click.option(
    "--dropout",
    type=Real(0, 1),
    metavar="P",
    help="Skip each merge with this probability (bpe).",
)
@click.option(
    "--seed", type=Whole(0), metavar="N", help="Random seed for --alpha, --dropout, --split or --shuffle.  [default: 0]"
)
@options.threads
@options.json_output
def encode(
    tokenizer: TokenizerFile,
    reading: Reading,
    output: Path | None,
    writing: dict[str, Any],
    prepend: str | None,
    append: str | None,
    append_id: int | None,
    specials: Any,
    threads: int | None,
    as_json: bool,
    **sampling: Any,
) -> None:
    """Encode text into a token file, or into ids on standard output.

    With -o, all documents go into one token file, or into shards; beside it, a manifest says what it is made of.
    Without -o, each document becomes one line of ids (or a JSON list), which `bytemill decode` turns back into text.

    A text file, or all of standard input, is one document, byte for byte: the line end that `echo` adds is part of it.
    With --input-format lines each line is a document of its own, without its line end, and is answered at once.
    """
    refuse_json_beside(output, as_json)
    reading.refuse_for(writing.get("engine"))
    if writing.pop("dry_run", False):
        estimate(tokenizer.load(), reading, specials, as_json)
        return
    if output is None:
        refuse_without_output(writing)
    seed = seed_of(sampling, writing, output)
    tok = tokenizer.load()
    refuse_sampling_of_another_family(sampling, tok.family)
    first, last = beginning(tok, prepend), ending(tok, append, append_id)
    how: dict[str, Any] = {"specials": specials, "threads": threads}
    if output is None:
        around = [[] if id is None else [id] for id in (first, last)]
        write_rows(tok, reading, sampling, (around[0], around[1]), as_json, how)
        return
    check_output(output, reading.sources)
    if output == STDOUT and ("engine" in writing or "shard_bytes" in writing):
        raise SpecError("--engine and --shard-bytes write several files; name the output with -o FILE")
    with reading.files() as paths, target(output, "tokens.bin") as path, progress_bar() as progress:
        around_documents: dict[str, Any] = {"prepend": first, "append": last}
        report = tok.encode_files(
            paths, path, seed=seed, progress=progress, **around_documents, **reading.how, **how, **writing
        )
        show(report, output, as_json)


def seed_of(sampling: dict[str, Any], writing: dict[str, Any], output: Path | None) -> int:
    """The seed for the order and the split of documents; what is for sampling is refused beside an output."""
    given = [f"--{name}" for name, value in sampling.items() if value is not None and name != "seed"]
    if given and output is not None:
        raise SpecError(f"{given[0]} is for ids on standard output; leave out -o")
    is_used = "split" in writing or "shuffle" in writing
    if sampling["seed"] is not None and sampling["alpha"] is None and sampling["dropout"] is None and not is_used:
        raise SpecError("--seed is for --alpha, --dropout, --split or --shuffle")
    return sampling["seed"] or 0


def estimate(tok: Tokenizer, reading: Reading, specials: Any, as_json: bool) -> None:
    with reading.files() as paths:
        found = tok.estimate_files(paths, specials=specials, **reading.how)
    if as_json:
        sys.stdout.write(json.dumps(dataclasses.asdict(found)) + "\n")
        return
    summary(
        {
            "tokens": f"about {found.tokens:,}",
            "between": f"{found.low:,} and {found.high:,} (95 %)",
            "read": f"{quantity(found.sampled_bytes, 'bytes')} of {quantity(found.bytes, 'bytes')}",
            "written": "nothing",
        }
    )


def refuse_sampling_of_another_family(sampling: dict[str, Any], family: str) -> None:
    if sampling["alpha"] is not None and family != "unigram":
        hint = "; use --dropout" if family == "bpe" else ""
        raise SpecError(f"--alpha is for Unigram, and this is a {family} tokenizer{hint}")
    if sampling["dropout"] and family != "bpe":
        hint = "; use --alpha" if family == "unigram" else ""
        raise SpecError(f"--dropout is for byte-pair encoding, and this is a {family} tokenizer{hint}")


def write_rows(
    tok: Tokenizer,
    reading: Reading,
    sampling: dict[str, Any],
    around: Around,
    as_json: bool,
    how: dict[str, Any],
) -> None:
    """The ids of each document on a line, or the segmentations that are asked for."""
    nbest, alpha, dropout, seed = (sampling[name] for name in ("nbest", "alpha", "dropout", "seed"))
    texts = batches(reading)
    if nbest is not None and alpha is None:
        write_best(tok, texts, nbest, around, as_json, how["specials"])
    elif alpha is not None or dropout is not None:
        draw = {"alpha": alpha, "nbest_size": nbest, "dropout": dropout, "specials": how["specials"]}
        write_samples(tok, texts, seed or 0, around, as_json, draw)
    else:
        write_ids(tok, texts, around, as_json, how)


def write_ids(tok: Tokenizer, texts: Iterator[Batch], around: Around, as_json: bool, how: dict[str, Any]) -> None:
    for batch in texts:
        try:
            rows = tok.encode_batch(batch.texts, **how)
        except OF_A_TEXT:
            # Encoded one by one, the document that is wrong tells its place.
            list(batch.each(lambda text: tok.encode(text, **how)))
            raise
        write_lines(shown(framed(row.tolist(), around), as_json) for row in rows)


def write_samples(
    tok: Tokenizer, texts: Iterator[Batch], seed: int, around: Around, as_json: bool, draw: dict[str, Any]
) -> None:
    """Document number n, from 0, is sampled with the seed plus n, however much is read at once."""
    numbers = itertools.count(seed)
    for batch in texts:
        rows = batch.each(lambda text: tok.encode(text, seed=next(numbers), **draw))
        write_lines(shown(framed(row, around), as_json) for row in rows)


def write_best(tok: Tokenizer, texts: Iterator[Batch], n: int, around: Around, as_json: bool, specials: Any) -> None:
    for batch in texts:
        for best in batch.each(lambda text: tok.nbest(text, n, specials=specials)):
            rows = [(row.score, framed(row.ids, around)) for row in best]
            if as_json:
                write_lines([json.dumps([{"score": score, "ids": ids} for score, ids in rows])])
            else:
                write_lines(f"{score:.6g}\t{shown(ids, as_json)}" for score, ids in rows)


def framed(row: list[int], around: Around) -> list[int]:
    return around[0] + row + around[1]


def shown(row: list[int], as_json: bool) -> str:
    return json.dumps(row) if as_json else " ".join(map(str, row))


def write_lines(lines: Iterable[str]) -> None:
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    sys.stdout.flush()


def show(report: EncodeReport, output: Path, as_json: bool) -> None:
    numbers: dict[str, Any] = {"documents": report.documents, "bytes": report.bytes, "tokens": report.tokens}
    if as_json:
        numbers |= {
            "bytes_per_token": report.bytes_per_token,
            "seconds": report.seconds,
            "dtype": report.dtype,
            "output": str(output),
            "files": [str(file.path) for file in report.files],
            "skipped_rows": report.skipped_rows,
        }
        if report.verified is not None:
            numbers["verified"] = report.verified
        sys.stdout.write(json.dumps(numbers, ensure_ascii=False) + "\n")
        return
    size = quantity(sum(Path(file.path).stat().st_size for file in report.files), "bytes")
    names = [str(file.path) for file in report.files]
    name = "standard output" if output == STDOUT else names[0] if len(names) == 1 else f"{names[0]} … {names[-1]}"
    for reason in report.skipped_because[:SHOWN]:
        note(f"skipped: {in_options(reason)}")
    rows = {} if not report.skipped_rows else {"skipped": f"{report.skipped_rows:,} documents"}
    checked = {} if report.verified is None else {"verified": f"{report.verified:,} documents"}
    summary(
        {
            **numbers,
            **rows,
            "bytes/token": f"{report.bytes_per_token:.2f}",
            "seconds": f"{report.seconds:.2f}",
            "rate": f"{quantity(report.bytes_per_second, 'bytes')}/s",
            "written": f"{name} ({report.dtype}, {size})",
            **checked,
        }
    )
