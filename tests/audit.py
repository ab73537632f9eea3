"""`python -m tests.audit`: do the crates in Cargo.lock come from crates.io, under licences that the wheel may carry?

It asks cargo alone, and works without a network. Advisories need one: `cargo deny check advisories`, where somebody
has it.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import defaultdict
from typing import Any

#: Licences that ask for no more than to be named.
ALLOWED = {
    *("0BSD", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0", "MIT"),
    *("Unicode-3.0", "Unlicense", "Zlib", "bzip2-1.0.6"),
}
REGISTRY = "registry+https://github.com/rust-lang/crates.io-index"
#: Crates that are there in two versions, and why.
TWICE = {"syn": "procedural macros of two generations; neither is in the wheel"}


def main() -> int:
    command = ["cargo", "metadata", "--locked", "--format-version", "1"]
    packages = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)["packages"]
    found = [*unlicensed(packages), *from_elsewhere(packages), *several(packages)]
    for line in found:
        print(line, file=sys.stderr)
    print(f"{len(packages)} crates: {len(found)} findings")
    return 1 if found else 0


def is_allowed(expression: str) -> bool:
    """Whether an alternative of an SPDX expression has nothing but allowed licences. "/" is an old way to write OR."""
    alternatives = re.split(r"\s+OR\s+|/", expression.replace("(", "").replace(")", ""))
    parts = [re.split(r"\s+AND\s+", alternative) for alternative in alternatives]
    # Without parentheses the parts of an AND stand in several alternatives: all of these must hold.
    needed = [name for part in parts for name in part[1:]]
    return any(part[0].strip() in ALLOWED for part in parts) and all(name.strip() in ALLOWED for name in needed)


def unlicensed(packages: list[dict[str, Any]]) -> list[str]:
    wrong = [package for package in packages if not is_allowed(package["license"] or "")]
    return [f"{package['name']} {package['version']}: the licence is {package['license']}" for package in wrong]


def from_elsewhere(packages: list[dict[str, Any]]) -> list[str]:
    """Crates of this workspace have no source."""
    wrong = [package for package in packages if package["source"] not in (None, REGISTRY)]
    return [f"{package['name']} comes from {package['source']}" for package in wrong]


def several(packages: list[dict[str, Any]]) -> list[str]:
    versions: dict[str, list[str]] = defaultdict(list)
    for package in packages:
        versions[package["name"]].append(package["version"])
    twice = {name: found for name, found in versions.items() if len(found) > 1 and name not in TWICE}
    return [f"{name} is there in the versions {', '.join(found)}" for name, found in twice.items()]


if __name__ == "__main__":
    sys.exit(main())
