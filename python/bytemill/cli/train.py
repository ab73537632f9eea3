"""`bytemill train`: a tokenizer from text."""

from __future__ import annotations

import json
import sys
import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import SpecError
from ..progress import quantity
from . import names, options
from .console import note, progress_bar, summary, warnings_as_notes
from .helped import command
from .outputs import STDOUT, check_output, refuse_json_beside, save, trial_save
from .sources import TokenizerFile
from .train_options import chosen, family_options
from .types import PATH, OneOf

if TYPE_CHECKING:
    from ..tokenizer import Tokenizer
    from ..training import Spec
    from .sources import Reading

EXAMPLES = """\
bytemill train corpus.txt -o tokenizer.json --vocab-size 8k
bytemill train data/ more.jsonl.zst -o tok.mill --field body
bytemill train corpus.txt -o spm.model                    # SentencePiece Unigram
bytemill train corpus.txt -o vocab.txt --cased            # WordPiece, for BERT
bytemill train corpus.txt -o words.mill --family word --lowercase
bytemill train src/ -o code.mill --pretokenizer code --language python --marker indent
cat *.txt | bytemill train -o tok.mill
bytemill train data/ -o tok.mill --engine ray://head:10001
bytemill train a.counts b.counts -o tok.mill
bytemill train new.txt -o larger.mill --continue-from tok.mill --vocab-size 16k"""

#: Models of SentencePiece that are lists of what the text has.
LISTS = ("word", "char")


@command(EXAMPLES)
@options.reading()
@options.output(
    "The tokenizer to write: .mill, .mill.json, tokenizer.json, .tiktoken, .model, vocab.txt. - writes it to standard "
    "output, with --format."
)
@options.format_option
@click.option(
    "--family",
    type=OneOf("family", names.FAMILIES),
    metavar="|".join(names.FAMILIES),
    help="What to train. By default the name of the output says it: unigram for .model, wordpiece for vocab.txt, "
    "otherwise bpe.",
)
@family_options
@click.option("--special", metavar="TOKEN", multiple=True, help="A special token; may be given several times.")
@options.normalizer
@options.pretokenizer()
@click.option(
    "--language",
    metavar="NAME",
    help="The language of the code, with --pretokenizer code; some need bytemill[languages].",
)
@click.option(
    "--marker",
    type=OneOf("marker", names.MARKERS),
    metavar="NAME",
    multiple=True,
    help="Mark places in code with tokens, with --pretokenizer code: "
    + ", ".join(names.MARKERS)
    + "; may be given several times.",
)
@click.option(
    "--continue-from",
    metavar="TOKENIZER",
    help="Learn more merges for this BPE tokenizer, whose tokens keep their ids.",
)
@click.option(
    "--log",
    type=PATH,
    metavar="FILE",
    help="Write how the vocabulary came about to this file as JSON lines: merges, counts or rounds.",
)
@options.threads
@options.memory
@options.engine
@options.shard_bytes
@click.option(
    "--checkpoint",
    type=PATH,
    metavar="FILE",
    help="Save the counts there from time to time; after a stop, the same command continues from them.",
)
@options.json_output
def train(
    reading: Reading,
    output: Path,
    format: str | None,
    family: str | None,
    log: Path | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Train a tokenizer on text and write it to a file.

    The result is the same for any number of threads. Sources may also be .counts of pieces, made by count-pieces.
    """
    refuse_json_beside(output, as_json)
    reading.refuse_for(given["engine"])
    family = family or family_of(output, format)
    setup = {**setup_of(family, given), "log": log}
    check_output(output, reading.sources)
    if not any(
        source.suffix == ".counts" for source in reading.sources
    ):  # with counts, the work itself takes as little
        rehearse(setup, output, format)
    written = 0

    def keep(tok: Tokenizer) -> None:
        nonlocal written
        written = save(tok, output, format)

    with warnings_as_notes() as notes:
        started = time.perf_counter()
        how = {name: given[name] for name in ("threads", "memory", "engine", "shard_bytes", "checkpoint")}
        how["save"] = keep
        tok = work(reading, setup, how)
        seconds = time.perf_counter() - started
    if as_json:
        report_json(tok, output, seconds, notes)
    else:
        report(tok, family, output, written, seconds)


def family_of(output: Path, format: str | None) -> str:
    """The family that the name of the output, or its format, stands for."""
    if format == "model" or (format is None and output.suffix == ".model"):
        return "unigram"
    if format == "vocab.txt" or (format is None and output.name.endswith("vocab.txt")):
        return "wordpiece"
    return "bpe"


def setup_of(family: str, given: dict[str, Any]) -> dict[str, Any]:
    """The arguments of `bytemill.train` that say what to train."""
    setup: dict[str, Any] = {
        "spec": spec_of(family, chosen(family, given)),
        "special_tokens": list(given["special"]),
        "normalizer": given["normalizer"],
        "pretokenizer": splitting(given["pretokenizer"], given["language"], given["marker"]),
    }
    if given["continue_from"] is not None:
        setup["continue_from"] = TokenizerFile(given["continue_from"]).load()
    return setup


def spec_of(family: str, keywords: dict[str, Any]) -> Spec:
    from .. import training

    families: dict[str, Any] = {
        "bpe": training.BPE,
        "wordpiece": training.WordPiece,
        "unigram": training.Unigram,
        "sentencepiece": training.SentencePiece,
        "word": training.Word,
        "char": training.Char,
    }
    if keywords.pop("cased", None):
        keywords |= {"lowercase": False, "strip_accents": False}
    if family == "bpe":
        # A role that is asked for needs a token.
        for name in ("bos", "eos"):
            if keywords.get(f"add_{name}"):
                keywords.setdefault(f"{name}_token", f"<{name.upper()}>")
    if keywords.get("model") in LISTS and "vocab_size" not in keywords:
        # Everything that the text has, or that share of it.
        keywords = {"character_coverage": 1.0, **keywords, "vocab_size": None}
    spec: Spec = families[family](**keywords)
    return spec


def splitting(name: str | None, language: str | None, markers: tuple[str, ...]) -> Any:
    """The pretokenizer: a name, or the one for code with its options."""
    if language is None and not markers:
        return name
    if name != "code":
        raise SpecError("--language and --marker are for --pretokenizer code")
    from ..pretokenizers import Code

    return Code(language, markers=markers)  # type: ignore[arg-type]  # names were checked


def rehearse(setup: dict[str, Any], output: Path, format: str | None) -> None:
    """Trains on one letter and saves that, so that what cannot be written fails before the work."""
    from ..training import train as train_tokenizer

    trial = {name: value for name, value in setup.items() if name != "log"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        trial_save(train_tokenizer(["a"], progress=False, threads=1, **trial), output, format)


def work(reading: Reading, setup: dict[str, Any], how: dict[str, Any]) -> Tokenizer:
    from ..pretokenizers import Code
    from ..training import train as train_tokenizer

    of_code = setup["pretokenizer"] == "code" or isinstance(setup["pretokenizer"], Code)
    read = reading.how
    if of_code and all(source.is_dir() for source in reading.sources):
        read["input_format"] = reading.input_format or "text"  # a .json among source files is one of them
    language = setup["pretokenizer"].language if isinstance(setup["pretokenizer"], Code) else None
    with reading.files(of_code=of_code, language=language) as paths:
        try:
            with progress_bar() as progress:
                return train_tokenizer(paths, progress=progress, **read, **setup, **how)
        except KeyboardInterrupt:
            checkpoint = how["checkpoint"]
            if checkpoint is not None and checkpoint.exists():
                note(f"the counts so far are in {checkpoint}; the same command continues from there")
            raise


def report_json(tok: Tokenizer, output: Path, seconds: float, notes: list[str]) -> None:
    stats = tok.training_stats or {}
    phases = stats.pop("seconds", {})
    facts = {"output": str(output), "family": tok.family, "vocab_size": tok.vocab_size, **stats, "seconds": seconds}
    facts |= {**({"phases": phases} if phases else {}), "fingerprint": tok.fingerprint, "notes": notes}
    sys.stdout.write(json.dumps(facts, ensure_ascii=False) + "\n")


def report(tok: Tokenizer, family: str, output: Path, written: int, seconds: float) -> None:
    stats = tok.training_stats or {}
    phases = stats.pop("seconds", {})
    took = f"{seconds:.2f}"
    if phases:
        took += " (" + ", ".join(f"{phase} {seconds:.2f}" for phase, seconds in phases.items()) + ")"
    numbers = {name.replace("_", " "): shown(value) for name, value in stats.items()}
    name = "standard output" if output == STDOUT else output
    summary(
        {
            "family": family,
            **numbers,
            "vocabulary": tok.vocab_size,
            "seconds": took,
            "written": f"{name} ({quantity(written, 'bytes')})",
        }
    )


def shown(number: float) -> int | str:
    return f"{number:.2f}" if isinstance(number, float) else number
