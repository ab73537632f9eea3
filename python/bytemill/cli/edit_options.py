"""The options of `bytemill edit`, those of an operation together, and what goes with what."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

import click

from ..errors import FormatError, SpecError
from .types import PATH, OneOf, Whole

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

#: Which options ask for an operation, and which others go with it.
OPERATIONS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "add": (("add", "add_from"), ("kind", "reserved", "stepping_stones")),
    "remove": (("remove", "remove_from"), ("needed", "ids")),
    "prune": (("prune",), ("vocab_size", "min_count", "script", "characters", "ids")),
    "extend": (("extend",), ("vocab_size", "min_frequency")),
    "merge": (("merge",), ("stepping_stones",)),
    "reorder": (("reorder",), ()),
    "compact": (("compact",), ()),
    "rename": (("rename",), ()),
}


def operation_of(how: dict[str, Any]) -> str:
    """The one operation that a command line asks for; options of others are refused."""
    asked = [name for name, (starts, _) in OPERATIONS.items() if any(how[start] for start in starts)]
    if not asked:
        raise SpecError("say what to edit: --" + ", --".join(OPERATIONS))
    if len(asked) > 1:
        raise SpecError(f"--{asked[0]} and --{asked[1]} are two edits: run the command twice")
    mine = {*OPERATIONS[asked[0]][0], *OPERATIONS[asked[0]][1]}
    context = click.get_current_context()
    for name in how:
        given = context.get_parameter_source(name) == click.core.ParameterSource.COMMANDLINE
        if name not in mine and given:
            raise SpecError(f"--{name.replace('_', '-')} does not go with --{asked[0]}")
    return asked[0]


def _together(*options: Decorator) -> Decorator:
    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


adding = _together(
    click.option("--add", multiple=True, metavar="TOKEN", help="A token to add; may be repeated."),
    click.option(
        "--add-from",
        type=PATH,
        metavar="FILE",
        help="Tokens to add: one on each line; or .json with a list of tokens, or an object of tokens and their ids.",
    ),
    click.option(
        "--kind",
        type=OneOf("kind", ["plain", "added", "special"]),
        metavar="plain|added|special",
        default="plain",
        show_default=True,
        help="Tokens that the model learns; or that are found before the model sees a text; or that are special, too.",
    ),
    click.option("--reserved", is_flag=True, help="Take the ids of reserved tokens, such as [unused1], first."),
    click.option(
        "--stepping-stones/--no-stepping-stones",
        default=True,
        help="Whether BPE may get further tokens from which new ones are merged.  [default: it may]",
    ),
)
removing = _together(
    click.option("--remove", multiple=True, metavar="TOKEN", help="A token to remove; may be repeated."),
    click.option(
        "--remove-from",
        type=PATH,
        metavar="FILE",
        help="Tokens to remove: one on each line; or .json with a list of tokens or ids.",
    ),
    click.option(
        "--needed",
        type=OneOf("choice", ["remove", "keep"]),
        metavar="remove|keep",
        default="remove",
        show_default=True,
        help="If others are merged from a token: remove them, too, or keep the token.",
    ),
    click.option(
        "--ids",
        type=OneOf("choice", ["compact", "keep"]),
        metavar="compact|keep",
        default="compact",
        show_default=True,
        help="After --remove and --prune: close the gaps between ids, or leave all ids as they are.",
    ),
)
extending = _together(
    click.option("--extend", is_flag=True, help="Learn tokens from the texts of --on, up to --vocab-size."),
    click.option(
        "--min-frequency",
        type=Whole(1),
        metavar="N",
        default=2,
        show_default=True,
        help="With --extend: how often a pair, a token or a word must occur in the texts.",
    ),
)
pruning = _together(
    click.option("--prune", is_flag=True, help="Remove the tokens that the texts of --on need least."),
    click.option(
        "--min-count",
        type=Whole(1),
        metavar="N",
        help="With --prune: remove tokens that occur less often in the texts.",
    ),
    click.option(
        "--script",
        multiple=True,
        metavar="NAME",
        help="With --prune: remove tokens of other scripts, such as Latin or Cyrillic; may be repeated.",
    ),
    click.option(
        "--characters/--no-characters",
        default=True,
        help="With --prune: whether single characters stay that the texts do not need.  [default: they stay]",
    ),
)
renumbering = _together(
    click.option(
        "--reorder",
        type=PATH,
        metavar="FILE",
        help="Give tokens other ids: .json with an object of old and new ids, or a list of all old ids in a new order.",
    ),
    click.option("--compact", is_flag=True, help="Close the gaps between ids."),
)


def tokens_to_add(path: Path) -> list[str] | dict[str, int]:
    """Tokens that a file lists, or maps to ids."""
    found = _content(path)
    if isinstance(found, dict):
        _check(path, found.values(), int, "an object of tokens and their ids")
    else:
        _check(path, found, str, "a list of tokens, or an object of tokens and their ids")
    return found  # type: ignore[no-any-return]


def tokens_to_remove(path: Path) -> list[str | int]:
    """Tokens, or ids of tokens, that a file lists."""
    found = _content(path)
    _check(path, found, (str, int), "a list of tokens or ids")
    return found  # type: ignore[no-any-return]


def new_ids(path: Path) -> list[int] | dict[int, int]:
    """The new id of each old one, or all old ids in their new order."""
    what = "an object of old and new ids, or a list of all old ids in a new order"
    found = _content(path) if path.suffix == ".json" else None
    if not isinstance(found, dict):
        _check(path, found, int, what)
        return found  # type: ignore[return-value]
    _check(path, found.values(), int, what)
    try:
        return {int(old): new for old, new in found.items()}
    except ValueError:
        raise FormatError(f"{path}: expected {what}") from None


def _content(path: Path) -> Any:
    """The lines of a file, or what it says as JSON."""
    try:
        text = path.read_text(encoding="utf-8")
        return json.loads(text) if path.suffix == ".json" else [line for line in text.splitlines() if line]
    except UnicodeDecodeError as error:
        raise FormatError(f"{path}: not valid UTF-8 at byte {error.start}") from None
    except ValueError as error:
        raise FormatError(f"{path}: not valid JSON: {error}") from None


def _check(path: Path, items: Any, kind: type | tuple[type, ...], what: str) -> None:
    listed = isinstance(items, Collection) and not isinstance(items, (str, dict))
    if not listed or any(isinstance(item, bool) or not isinstance(item, kind) for item in items):
        raise FormatError(f"{path}: expected {what}")


def old_and_new(given: str) -> tuple[str, str]:
    old, _, new = given.partition("=")
    if not old or not new:
        raise click.BadParameter(f"a name is given with its new one, like '<s>=<|start|>', not {given!r}")
    return old, new
