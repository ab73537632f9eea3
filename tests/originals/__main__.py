"""`python -m tests.originals [LIBRARY ...]`: what passes with a library itself has to pass with bytemill in its place.

Each suite runs twice, in processes of its own: with the library as it is, offline, and with `bytemill.compat.install`.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from xml.etree import ElementTree

from bench.corpora import SHARED

from .suites import SUITES, Suite, data_folder, ranks_folder, unpacked

BESIDE = Path(__file__).parent / "beside"


def main(names: list[str]) -> int:
    known = {suite.library for suite in SUITES}
    if unknown := [name for name in names if name not in known]:
        print(f"there are no tests of {unknown[0]}; there are those of {', '.join(sorted(known))}", file=sys.stderr)
        return 2
    if not SHARED.is_dir():
        print(
            f"{SHARED} is not there; BYTEMILL_SHARED names the folder with the models that the tests read",
            file=sys.stderr,
        )
        return 2
    suites = [suite for suite in SUITES if not names or suite.library in names]
    failed = [test for suite in suites for test in _compared(suite)]
    return 1 if failed else 0


def _compared(suite: Suite) -> list[str]:
    """Prints how a suite ended both ways. Returns the tests that pass with the library and should with bytemill."""
    own, ours = _passed(suite, bytemill=False), _passed(suite, bytemill=True)
    lost = sorted(own - ours)
    excused = {test: why for test in lost for name, why in suite.cannot_pass.items() if test.endswith(f".{name}")}
    failed = [test for test in lost if test not in excused]
    with_ours = len(own & ours)
    print(f"{suite.library} {suite.version}: {len(own)} pass with the library, {with_ours} of them with bytemill")
    for test in lost:
        print(f"  {test}: {excused.get(test, 'FAILED')}")
    print(f"{with_ours} passed, {len(failed)} failed, {len(excused)} skipped", flush=True)
    if not own:
        print(f"no test of {suite.library} passed with the library itself: the suite did not run", file=sys.stderr)
        failed.append(suite.library)
    return failed


def _passed(suite: Suite, bytemill: bool) -> set[str]:
    """The names of the tests that pass."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.xml")
        variables = {
            **os.environ,
            "PYTHONPATH": str(BESIDE),
            "BYTEMILL_FOR": suite.library if bytemill else "",
            "ORIGINALS_DATA": str(data_folder()),
            "TIKTOKEN_CACHE_DIR": str(ranks_folder()),
            "HF_HUB_OFFLINE": "1",
        }
        command = [sys.executable, "-m", "pytest", "-q", "-p", "standing_in", "-p", "no:cacheprovider", "-W", "ignore"]
        command += ["--continue-on-collection-errors", f"--junitxml={report}", *suite.tests]
        done = subprocess.run(command, cwd=unpacked(suite), env=variables, capture_output=True, text=True, check=False)
        if not report.exists():
            raise SystemExit(f"pytest did not run the tests of {suite.library}:\n{done.stdout}{done.stderr}")
        cases = ElementTree.parse(report).iter("testcase")
        return {f"{case.get('classname')}.{case.get('name')}" for case in cases if not list(case)}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
