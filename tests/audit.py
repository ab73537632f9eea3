"""`python -m tests.audit`: do the crates in Cargo.lock come from crates.io, under licences that the wheel may carry?
Was none of them withdrawn? Have the packages that the wheel needs such licences, too?

It asks what cargo and pip have on this machine, and works without a network. Advisories need one: `cargo deny check
advisories` and `pip-audit`, where somebody has them.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import defaultdict
from importlib import metadata
from pathlib import Path
from typing import Any

#: Licences that ask for no more than to be named.
ALLOWED = {
    *(
        "0BSD",
        "CC0-1.0",
        "Apache-2.0",
        "Apache-2.0 WITH LLVM-exception",
        "BSD-2-Clause",
        "BSD-3-Clause",
        "BSL-1.0",
        "MIT",
    ),
    *("Unicode-3.0", "Unlicense", "Zlib", "bzip2-1.0.6"),
}
REGISTRY = "registry+https://github.com/rust-lang/crates.io-index"
#: Where cargo keeps what crates.io has said of every version of a crate.
INDEX = Path(os.environ.get("CARGO_HOME") or Path.home() / ".cargo") / "registry" / "index"
#: Crates that are there in two versions, and why.
TWICE = {"syn": "procedural macros of two generations; neither is in the wheel"}


def main() -> int:
    command = ["cargo", "metadata", "--locked", "--format-version", "1"]
    packages = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)["packages"]
    needed = needed_packages("bytemill")
    found = [*unlicensed(packages), *from_elsewhere(packages), *several(packages), *withdrawn(packages, INDEX)]
    found += unlicensed(needed)
    for line in found:
        print(line, file=sys.stderr)
    print(f"{len(packages)} crates, {len(needed)} packages of Python: {len(found)} findings")
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


def withdrawn(packages: list[dict[str, Any]], index: Path) -> list[str]:
    """Versions that their authors have taken back, as far as cargo has heard of it."""
    found = []
    for package in packages:
        name, version = package["name"], package["version"]
        for path in index.glob(f"*/.cache/{folder_of(name)}/{name.lower()}"):
            said = rf'"vers": ?"{re.escape(version)}",[^\0]*"yanked": ?true'.encode()
            if re.search(said, path.read_bytes()):
                found.append(f"{name} {version} was withdrawn from crates.io")
    return found


def folder_of(crate: str) -> str:
    """In which folder of the index a crate is."""
    name = crate.lower()
    return {1: "1", 2: "2", 3: f"3/{name[0]}"}.get(len(name), f"{name[:2]}/{name[2:4]}")


def needed_packages(name: str) -> list[dict[str, Any]]:
    """What pip installs with a package, and what that needs; none where it is not installed."""
    waiting, found = [name], {}
    while waiting:
        one = waiting.pop()
        try:
            told = metadata.metadata(one)
        except metadata.PackageNotFoundError:
            continue
        if one != name:
            found[one] = {"name": one, "version": told["Version"], "license": licence_of(told)}
        required = [line for line in told.get_all("Requires-Dist") or [] if ";" not in line]
        names = [match.group().lower() for line in required if (match := re.match(r"[\w.-]+", line))]
        waiting += [needed for needed in names if needed not in found and needed not in waiting]
    return [found[one] for one in sorted(found)]


def licence_of(told: Any) -> str:
    """The expression, or what came before there were any."""
    classified = [line.rpartition(" :: ")[2] for line in told.get_all("Classifier") or [] if line.startswith("License")]
    return told.get("License-Expression") or OLDER.get(" ".join(classified)) or told.get("License") or "unknown"


#: Classifiers of licences, as expressions.
OLDER = {"MIT License": "MIT", "BSD License": "BSD-3-Clause", "Apache Software License": "Apache-2.0"}


if __name__ == "__main__":
    sys.exit(main())
