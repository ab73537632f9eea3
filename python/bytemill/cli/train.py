"""`bytemill train`: a tokenizer from text."""

from __future__ import annotations

import json
import sys
import time
import warnings
from pathlib import Path
from typing import Annotated, Any, get_args

import typer

from ..errors import SpecError
from ..progress import quantity
from ..tokenizer import Tokenizer
from ..training import (
    BPE,
    Char,
    Normalization,
    Score,
    SentencePiece,
    SentencePieceModel,
    Ties,
    Unigram,
    Word,
    WordPiece,
)
from ..training import train as train_tokenizer
from . import options
from .console import progress_bar, say, summary, warnings_as_notes
from .sources import as_paths, check_output, trial_save

FAMILIES: dict[str, type[Char] | type[Word] | type[BPE] | type[WordPiece] | type[SentencePiece]] = {
    "char": Char,
    "word": Word,
    "bpe": BPE,
    "wordpiece": WordPiece,
    "unigram": Unigram,
    "sentencepiece": SentencePiece,
}
OF_SENTENCEPIECE = ("unigram", "sentencepiece")
#: Models that are lists of what the text has.
LISTS = ("word", "char")

EXAMPLE = """\b
Examples:
  bytemill train corpus.txt -o tokenizer.json --family bpe --vocab-size 32000
  bytemill train corpus.txt -o words.mill --family word --vocab-size 32000
  bytemill train corpus.txt -o vocab.txt --family wordpiece --cased
  bytemill train corpus.jsonl -o spm.model --family unigram --vocab-size 8000
  bytemill train corpus.txt -o spm.model --family sentencepiece --model bpe --byte-fallback
  bytemill train data/ more.jsonl.zst -o chars.mill --field body
  cat *.txt | bytemill train - -o words.mill --family word --lowercase
  bytemill train a.counts b.counts -o words.mill"""


def train(
    sources: Annotated[
        list[Path],
        typer.Argument(
            metavar="SOURCE",
            help="Text files, .jsonl, folders, each also .gz or .zst; - is standard input. Or .counts of pieces.",
            show_default=False,
        ),
    ],
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="The tokenizer to write: .mill, .mill.json, tokenizer.json, .tiktoken, .model.",
            show_default=False,
        ),
    ],
    format: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The format to write, if the name of the output does not say it."),
    ] = None,
    family: Annotated[
        str,
        typer.Option(
            metavar="char|word|bpe|wordpiece|unigram|sentencepiece",
            help="What a token is: a character, a word or a part of one.",
            callback=options.one_of("family", FAMILIES),
        ),
    ] = "word",
    vocab_size: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Most tokens to keep, special tokens included; "
            "32000 for bpe, 30000 for wordpiece, 8000 for unigram and sentencepiece, else all; of its words and "
            "characters all.",
        ),
    ] = None,
    min_frequency: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, help="How often a token must occur to be kept; 2 for bpe and wordpiece, else 1."
        ),
    ] = None,
    lowercase: Annotated[bool, typer.Option("--lowercase", help="Turn the text into lower case.")] = False,
    strip_accents: Annotated[bool, typer.Option("--strip-accents", help="Take accents off letters.")] = False,
    split_cjk: Annotated[
        bool, typer.Option("--split-cjk", help="Make each CJK ideograph a word (family word only).")
    ] = False,
    ties: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Which of equally frequent pairs merges first (bpe only): " + ", ".join(get_args(Ties)) + ".",
            callback=options.one_of("ties", dict.fromkeys(get_args(Ties))),
        ),
    ] = None,
    max_token_length: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Most bytes of a token, or characters (bpe, wordpiece).")
    ] = None,
    cased: Annotated[bool, typer.Option("--cased", help="Keep case and accents (wordpiece only).")] = False,
    score: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Which pair is the best one (wordpiece only): " + ", ".join(get_args(Score)) + ".",
            callback=options.one_of("score", dict.fromkeys(get_args(Score))),
        ),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Which model (sentencepiece only): " + ", ".join(get_args(SentencePieceModel)) + ".",
            callback=options.one_of("model", dict.fromkeys(get_args(SentencePieceModel))),
        ),
    ] = None,
    normalization: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|FILE",
            help="What happens to characters first (unigram, sentencepiece): "
            + ", ".join(get_args(Normalization))
            + ", or a .tsv of rules.",
        ),
    ] = None,
    character_coverage: Annotated[
        float | None,
        typer.Option(metavar="SHARE", help="Share of the text whose characters are tokens (unigram, sentencepiece)."),
    ] = None,
    byte_fallback: Annotated[
        bool,
        typer.Option("--byte-fallback", help="Make bytes of other characters (unigram, sentencepiece)."),
    ] = False,
    symbol: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TEXT", help="A text that is always one token (unigram, sentencepiece); may be given several times."
        ),
    ] = None,
    special: Annotated[
        list[str] | None,
        typer.Option(metavar="TOKEN", help="One more special token; may be given several times."),
    ] = None,
    add_bos: Annotated[bool, typer.Option("--add-bos", help="Begin every encoding with <BOS>.")] = False,
    add_eos: Annotated[bool, typer.Option("--add-eos", help="End every encoding with <EOS>.")] = False,
    normalizer: options.NormalizerName = None,
    pretokenizer: options.PretokenizerName = None,
    field: options.Field = "text",
    errors: options.Errors = "strict",
    threads: options.Threads = None,
    memory: options.Memory = None,
    checkpoint: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Save what was counted there now and then; the same command goes on from it after a stop.",
        ),
    ] = None,
    as_json: options.Json = False,
) -> None:
    """Train a tokenizer on text and write it to a file.

    A text file is one document, a .jsonl file one a line, standard input as a whole is one.
    """
    if split_cjk and family != "word":
        raise SpecError("--split-cjk goes with --family word")
    of_families: dict[str, tuple[object, tuple[str, ...]]] = {
        "--ties": (ties, ("bpe",)),
        "--max-token-length": (max_token_length, ("bpe", "wordpiece")),
        "--cased": (cased or None, ("wordpiece",)),
        "--score": (score, ("wordpiece",)),
        "--model": (model, ("sentencepiece",)),
        "--normalization": (normalization, OF_SENTENCEPIECE),
        "--character-coverage": (character_coverage, OF_SENTENCEPIECE),
        "--byte-fallback": (byte_fallback or None, OF_SENTENCEPIECE),
        "--symbol": (symbol, OF_SENTENCEPIECE),
    }
    for name, (value, families) in of_families.items():
        if value is not None and family not in families:
            raise SpecError(f"{name} goes with --family {' or '.join(families)}")
    given: dict[str, Any] = {
        "vocab_size": vocab_size,
        "min_frequency": min_frequency,
        "split_cjk": split_cjk or None,
        "ties": ties,
        "max_token_length": max_token_length,
        "score": score,
        "model": model,
        "normalization": Path(normalization) if normalization and normalization.endswith(".tsv") else normalization,
        "character_coverage": character_coverage,
        "byte_fallback": byte_fallback or None,
        "user_defined_symbols": symbol,
        "lowercase": lowercase or (False if cased else None),
        "strip_accents": strip_accents or (False if cased else None),
    }
    if family == "bpe":
        # A role that is asked for has a name; the others need none.
        given |= {"bos_token": "<BOS>" if add_bos else None, "eos_token": "<EOS>" if add_eos else None}
    chosen = {name: value for name, value in given.items() if value is not None}
    if model in LISTS and vocab_size is None:
        # All that the text has, or all of that share of it.
        chosen = {"character_coverage": 1.0, **chosen, "vocab_size": None}
    spec = FAMILIES[family](add_bos=add_bos, add_eos=add_eos, **chosen)
    setup: dict[str, Any] = {
        "spec": spec,
        "special_tokens": special or [],
        "normalizer": normalizer,
        "pretokenizer": pretokenizer,
    }
    check_output(output, sources)
    if not any(source.suffix == ".counts" for source in sources):  # with counts, the work itself takes as little
        rehearse(setup, output, format)
    with as_paths(sources) as paths, warnings_as_notes() as notes:
        started = time.perf_counter()
        how: dict[str, Any] = {"field": field, "errors": errors, "threads": threads, "memory": memory}

        def save(tok: Tokenizer) -> None:
            tok.save(output, format)

        try:
            with progress_bar() as progress:
                tok = train_tokenizer(paths, progress=progress, checkpoint=checkpoint, save=save, **how, **setup)
        except KeyboardInterrupt:
            if checkpoint is not None and checkpoint.exists():
                say("note", f"what was counted is in {checkpoint}; the same command goes on from there", "bold yellow")
            raise
        seconds = time.perf_counter() - started
    stats = tok.training_stats or {}
    phases = stats.pop("seconds", {})
    if as_json:
        report = {"output": str(output), "family": tok.family, "vocab_size": tok.vocab_size, **stats}
        report |= {
            "seconds": seconds,
            **({"phases": phases} if phases else {}),
            "fingerprint": tok.fingerprint,
            "notes": notes,
        }
        sys.stdout.write(json.dumps(report, ensure_ascii=False) + "\n")
    else:
        written = f"{output} ({quantity(output.stat().st_size, 'bytes')})"
        counts = {name.replace("_", " "): _shown(number) for name, number in stats.items()}
        took = f"{seconds:.2f}"
        if phases:
            took += " (" + ", ".join(f"{phase} {seconds:.2f}" for phase, seconds in phases.items()) + ")"
        summary({**counts, "vocabulary": tok.vocab_size, "seconds": took, "written": written})


def _shown(number: float) -> int | str:
    return f"{number:.2f}" if isinstance(number, float) else number


def rehearse(setup: dict[str, Any], output: Path, format: str | None) -> None:
    """Trains on one letter and saves that, so that what cannot be written fails before the work."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        trial_save(train_tokenizer(["a"], progress=False, threads=1, **setup), output, format)
