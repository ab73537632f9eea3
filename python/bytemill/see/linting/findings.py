"""What lint finds: each finding has an id, examples, and what to do."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any, Literal

Level = Literal["error", "warning", "note"]
#: From the worst to the mildest.
LEVELS: tuple[Level, ...] = ("error", "warning", "note")
#: Examples that a finding keeps.
EXAMPLES = 8


@dataclasses.dataclass(frozen=True)
class Finding:
    """Something that lint found.

    Attributes:
        id: The name of the kind of finding, such as `"unreachable-token"`.
        level: `"error"` if texts cannot be encoded or come out wrong, `"warning"` for what is probably a mistake,
            `"note"` for what is good to know.
        message: What was found.
        advice: What to do.
        count: How many there are.
        examples: The first of them.
    """

    id: str
    level: Level
    message: str
    advice: str
    count: int = 1
    examples: list[str] = dataclasses.field(default_factory=list)

    def __str__(self) -> str:
        lines = [f"{self.level}: {self.message} [{self.id}]"]
        lines += [f"    {example}" for example in self.examples]
        if self.count > len(self.examples) > 0:
            lines.append(f"    and {self.count - len(self.examples):,} more")
        return "\n".join([*lines, f"  → {self.advice}"])


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

    def __str__(self) -> str:
        counts = {level: sum(one.level == level for one in self.findings) for level in LEVELS}
        summary = ", ".join(f"{number} {level}" + "s" * (number != 1) for level, number in counts.items() if number)
        return "\n".join([*map(str, self.findings), summary or "nothing found"])

    def _repr_html_(self) -> str:
        from .page import findings_body

        return findings_body(self)


def some(id: str, level: Level, found: list[str], message: str, advice: str) -> Iterable[Finding]:
    """A finding with examples, if there are any; `{}` in the message is their number."""
    if found:
        yield Finding(id, level, message.format(f"{len(found):,}"), advice, len(found), found[:EXAMPLES])
