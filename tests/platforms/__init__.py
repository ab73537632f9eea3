"""Which interpreters and machines the tests were run on: what runs them, their record, and the page made from it."""

import json
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
RECORD = Path(__file__).parent / "record.json"


def note(kind: str, name: str, row: dict[str, Any]) -> None:
    """Puts a row into the record, in place of an earlier one of the same name."""
    record = json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.exists() else {}
    rows = {**record.get(kind, {}), name: row}
    record[kind] = dict(sorted(rows.items()))
    RECORD.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
