"""`python -m tests.platforms.valgrind [ROUNDS]`: attacks of the fuzzer under valgrind's memcheck.

One interpreter under valgrind runs every found case again, and then ROUNDS rounds of each attack, which load files,
encode, decode and call everything. Python's allocator is replaced by the system's, which valgrind knows. The libraries
that the package is compared with run in the same process: only errors that happen in the package count.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

from . import ROOT, note

PACKAGE = "_core.abi3.so"
WORK = """
import json, random, sys
from tests.fuzz import ATTACKS, FOUND, tally
from tests.fuzz.worker import hide_panics

hide_panics()
cases = sorted(FOUND.glob("*.json"))
for path in cases:
    case = json.loads(path.read_text())
    ATTACKS[case.pop("attack")].check(case)
rounds = int(sys.argv[1])
for name, attack in ATTACKS.items():
    for number in range(rounds):
        attack.check(attack.make(random.Random(f"valgrind {name} {number}")))
amounts = ", ".join(f"{tally.done[kind]:,} {kind}" for kind in tally.KINDS)
print(f"{len(cases)} found cases, {rounds * len(ATTACKS)} rounds of {len(ATTACKS)} attacks: {amounts}")
"""


def main() -> int:
    if shutil.which("valgrind") is None:
        print("valgrind is not there", file=sys.stderr)
        return 2
    rounds = sys.argv[1] if len(sys.argv) > 1 else "40"
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.xml")
        options = ["--tool=memcheck", "--leak-check=no", "--xml=yes", f"--xml-file={report}", "--num-callers=40"]
        command = ["valgrind", "--quiet", *options, sys.executable, "-c", WORK, rounds]
        run = subprocess.run(
            command, cwd=ROOT, env={**os.environ, "PYTHONMALLOC": "malloc"}, stdout=subprocess.PIPE, text=True
        )
        # Reports in XML list leaks in any case; what an interpreter keeps to its end is no error.
        found = ElementTree.parse(report).getroot().findall("error")
        errors = [error for error in found if not (error.findtext("kind") or "").startswith("Leak_")]
    ours = [error for error in errors if is_ours(error)]
    for error in ours:
        print(error.findtext("what") or error.findtext("xwhat/text"))
        for frame in error.iter("frame"):
            print(f"    {frame.findtext('fn')} {frame.findtext('file')}:{frame.findtext('line')}")
    kinds = ", ".join(f"{count} {kind}" for kind, count in Counter(error.findtext("kind") for error in ours).items())
    said = subprocess.run(["valgrind", "--version"], capture_output=True, text=True, check=True).stdout
    version = re.sub(r"^valgrind-", "", said.strip())
    print(run.stdout, end="")
    if run.returncode == 0:
        row = {"how": f"valgrind {version}, memcheck: {run.stdout.strip()}", "outcome": kinds or "no error"}
        note("memory", "attacks of the fuzzer", row)
    print(f"valgrind {version}: {kinds or 'no error'} of the package, {len(errors) - len(ours)} of others")
    return run.returncode or bool(ours)


def is_ours(error: ElementTree.Element) -> bool:
    """Whether the package is where it happened, not somewhere above a call of Python."""
    stack = error.find("stack")
    objects = [] if stack is None else [frame.findtext("obj") or "" for frame in stack.findall("frame")]
    here = next((at for at in objects if "vgpreload" not in at and "libc.so" not in at), "")
    return here.endswith(PACKAGE)


if __name__ == "__main__":
    sys.exit(main())
