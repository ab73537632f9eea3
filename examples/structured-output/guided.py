"""Text that follows a JSON schema: xgrammar says which tokens may come next. Needs xgrammar, which needs PyTorch.

    python guided.py tokenizer.json schema.json

A model would choose among the tokens. Here chance does, by a seed, so that the example needs no model.
"""

import random
import sys
from pathlib import Path

import bytemill
import xgrammar


def token_bytes(tok: bytemill.Tokenizer) -> list[bytes]:
    # Special tokens are no text, and an id may have no token.
    special = set(tok.special_tokens.values())
    return [b"" if id in special else tok.id_to_bytes(id) or b"" for id in range(tok.vocab_size)]


def guided(tok: bytemill.Tokenizer, schema: str, end: int, seed: int = 0, most: int = 500) -> list[int]:
    info = xgrammar.TokenizerInfo(token_bytes(tok), vocab_type=xgrammar.VocabType.RAW, stop_token_ids=[end])
    matcher = xgrammar.GrammarMatcher(xgrammar.GrammarCompiler(info).compile_json_schema(schema))
    mask = xgrammar.allocate_token_bitmask(1, info.vocab_size)
    numbers, ids = random.Random(seed), []
    while not matcher.is_terminated():
        if len(ids) == most:
            raise SystemExit(f"the text did not end within {most} tokens")
        matcher.fill_next_token_bitmask(mask)
        words = mask[0].tolist()
        allowed = [id for id in range(info.vocab_size) if words[id // 32] >> (id % 32) & 1]
        # The end as soon as it may come.
        id = end if end in allowed else numbers.choice(allowed)
        matcher.accept_token(id)
        ids.append(id)
    return ids[:-1]


def main(tokenizer_path: str, schema_path: str) -> None:
    tok = bytemill.load(tokenizer_path)
    end = tok.eos_id if tok.eos_id is not None else max(tok.special_tokens.values())
    print(tok.decode(guided(tok, Path(schema_path).read_text(), end)))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    main(*sys.argv[1:])
