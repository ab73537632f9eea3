"""Help pages: what each argument is, then the options, those of a group under a heading of their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click


class HelpedArgument(click.Argument):
    """An argument that the help explains."""

    def __init__(self, *args: Any, about: str, **more: Any) -> None:
        super().__init__(*args, **more)
        self.about = about


class GroupedOption(click.Option):
    """An option that the help lists under a heading of its own."""

    def __init__(self, *args: Any, group: str, **more: Any) -> None:
        super().__init__(*args, **more)
        self.group = group


class HelpedCommand(click.Command):
    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        sections: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
        for parameter in self.get_params(ctx):
            if isinstance(parameter, HelpedArgument):
                sections["Arguments"].append((parameter.make_metavar(ctx).strip("[].") or "", parameter.about))
            elif isinstance(parameter, click.Option) and (record := parameter.get_help_record(ctx)) is not None:
                sections.setdefault(getattr(parameter, "group", "Options"), []).append(record)
        for heading, rows in sections.items():
            if rows:
                with formatter.section(heading):
                    formatter.write_dl(rows)


def command(examples: str, name: str | None = None) -> Callable[[Callable[..., Any]], click.Command]:
    """A command with its arguments explained, and examples at the end of its help."""
    lines = "\n".join(f"  {line}" for line in examples.strip().splitlines())
    heading = "Examples" if "\n" in lines else "Example"
    return click.command(name, cls=HelpedCommand, epilog=f"\b\n{heading}:\n{lines}")


def argument(name: str, about: str, **more: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    return click.argument(name, cls=HelpedArgument, about=about, **more)
