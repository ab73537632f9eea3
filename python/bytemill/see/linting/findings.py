"""What lint finds: each finding has an id, examples, and what to do."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any, Literal

Level = Literal["error", "warning", "note"]
#: From the worst to the mildest.
LEVELS: tuple[Level, ...] = ("error", "warning", "note")
#: Examples that are shown, unless all are asked for.
SHOWN = 8


@dataclasses.dataclass(frozen=True)
class Finding:
    """Something that lint found.

    Attributes:
        id: The name of the kind of finding, such as `"unreachable-token"`.
        level: `"error"` if texts cannot be encoded or come out wrong, `"warning"` for what is probably a mistake,
            `"note"` for what is good to know.
        message: What was found.
        advice: What to do.
        examples: Everything that it was found in, such as tokens; empty if it is about the whole tokenizer.
    """

    id: str
    level: Level
    message: str
    advice: str
    examples: list[str] = dataclasses.field(default_factory=list)

    def to_text(self, shown: int | None = SHOWN) -> str:
        """The finding as text, with as many examples as are wanted; None is all."""
        lines = [f"    {example}" for example in self.examples[:shown]]
        if hidden := len(self.examples) - len(lines):
            lines.append(f"    and {hidden:,} more")
        return "\n".join([f"{self.level}: {self.message} [{self.id}]", *lines, f"  → {self.advice}"])

    def __str__(self) -> str:
        return self.to_text()


@dataclasses.dataclass(frozen=True)
class Findings:
    """What `lint` found, the worst first. It is true if there is an error or a warning."""

    findings: list[Finding]

    def __iter__(self) -> Any:
        return iter(self.findings)

    def __len__(self) -> int:
        return len(self.findings)

    def __bool__(self) -> bool:
        return self.at_least("warning")

    def at_least(self, level: Level) -> bool:
        """Whether there is a finding of this level or a worse one."""
        bad = LEVELS[: LEVELS.index(level) + 1]
        return any(finding.level in bad for finding in self.findings)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data, for JSON."""
        return {"findings": [dataclasses.asdict(finding) for finding in self.findings]}

    def to_text(self, shown: int | None = SHOWN) -> str:
        """The findings as text, each with as many examples as are wanted; None is all."""
        counts = {level: sum(one.level == level for one in self.findings) for level in LEVELS}
        summary = ", ".join(f"{number} {level}" + "s" * (number != 1) for level, number in counts.items() if number)
        return "\n".join([*(one.to_text(shown) for one in self.findings), summary or "nothing found"])

    def __str__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        from .page import findings_body

        return findings_body(self)


def some(id: str, level: Level, found: list[str], message: str, advice: str) -> Iterable[Finding]:
    """A finding with examples, if there are any; `{}` in the message is their number."""
    if found:
        yield Finding(id, level, message.format(f"{len(found):,}"), advice, found)
