"""`python -m tests.platforms.machines aarch64|musl`: the tests of the core, compiled for another machine.

The compilers and the emulator come from packages of Debian, unpacked into a private folder.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from . import ROOT, note
from .debian import unpacked

PACKAGES = ("bytemill", "bytemill-syntax")
#: The tests with random cases: an emulator is some twenty times slower than a machine.
CASES = "8"


def aarch64(root: Path) -> tuple[str, list[str], dict[str, str]]:
    """For 64-bit ARM: the target, more arguments for cargo, and variables."""
    gcc, sysroot = root / "usr/bin/aarch64-linux-gnu-gcc", root / "usr/aarch64-linux-gnu"
    return (
        "aarch64-unknown-linux-gnu",
        [],
        {
            # The scripts of the linker name libraries from the root on.
            "CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUSTFLAGS": f"-Clink-arg=--sysroot={root}",
            "CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER": str(gcc),
            "CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER": f"{root}/usr/bin/qemu-aarch64 -L {sysroot}",
            "CC_aarch64_unknown_linux_gnu": str(gcc),
            "CFLAGS_aarch64_unknown_linux_gnu": f"-isystem {sysroot}/include",
        },
    )


def musl(root: Path) -> tuple[str, list[str], dict[str, str]]:
    """For x86-64 with the C library musl. Debian has no library of Rust for it: that is compiled from its source."""
    folder = root.parent / "musl"
    folder.mkdir(exist_ok=True)
    # The files of musl-tools name places from the root on.
    specs = (root / "usr/lib/x86_64-linux-musl/musl-gcc.specs").read_text(encoding="utf-8")
    (folder / "gcc.specs").write_text(re.sub(r"/usr/(lib|include)/", rf"{root}/usr/\1/", specs), encoding="utf-8")
    gcc = folder / "gcc"
    gcc.write_text(f'#!/bin/sh\nexec gcc "$@" -specs {folder}/gcc.specs\n', encoding="utf-8")
    gcc.chmod(0o755)
    # Rust asks for a library of that name to unwind with. That of gcc does, with a function that musl does not have.
    unwind = folder / "libunwind.a"
    found = subprocess.run(["gcc", "-print-file-name=libgcc_eh.a"], capture_output=True, text=True, check=True)
    shutil.copyfile(found.stdout.strip(), unwind)
    source, compiled = Path(__file__).with_name("find_object.c"), folder / "find_object.o"
    subprocess.run([str(gcc), "-O1", "-fPIC", "-c", str(source), "-o", str(compiled)], check=True)
    subprocess.run(["ar", "rcs", str(unwind), str(compiled)], check=True)
    return (
        "x86_64-unknown-linux-musl",
        ["-Zbuild-std=std,panic_unwind,test"],
        {
            # Only nightly compilers may compile Rust's library, and those that are told this.
            "RUSTC_BOOTSTRAP": "1",
            # The files of musl-tools know no static programs that can lie anywhere.
            "CARGO_TARGET_X86_64_UNKNOWN_LINUX_MUSL_RUSTFLAGS": " ".join(
                ("-Clink-self-contained=no", "-Crelocation-model=static", f"-Lnative={folder}")
            ),
            "CARGO_TARGET_X86_64_UNKNOWN_LINUX_MUSL_LINKER": str(gcc),
            "CC_x86_64_unknown_linux_musl": str(gcc),
        },
    )


MACHINES = {
    "aarch64": (aarch64, "qemu-user {qemu}, rustc {rustc}"),
    "musl": (musl, "static, rustc {rustc} with its library compiled from source"),
}


def main() -> int:
    if sys.argv[1:] not in [[name] for name in MACHINES]:
        print(f"name a machine: {', '.join(MACHINES)}", file=sys.stderr)
        return 2
    root, name = unpacked(), sys.argv[1]
    prepare, how = MACHINES[name]
    target, arguments, machine = prepare(root)
    tools = {
        **os.environ,
        "PATH": os.pathsep.join((str(root / "usr/bin"), os.environ["PATH"])),
        "LD_LIBRARY_PATH": os.pathsep.join(str(root / at / "x86_64-linux-gnu") for at in ("usr/lib", "lib")),
        "RUSTC": str(root / "usr/bin/rustc"),
        "CARGO_PROFILE_TEST_OPT_LEVEL": "1",
        "CARGO_PROFILE_DEV_OPT_LEVEL": "1",
        "PROPTEST_CASES": CASES,
        **machine,
    }

    def version(tool: str) -> str:
        said = subprocess.run([str(root / "usr/bin" / tool), "--version"], env=tools, capture_output=True, text=True)
        found = re.search(r"\d+\.\d+(\.\d+)?", said.stdout)
        return found[0] if found else "?"

    packages = [argument for package in PACKAGES for argument in ("--package", package)]
    command = [str(root / "usr/bin/cargo"), "test", "--locked", "--lib", "--tests", "--no-fail-fast", *packages]
    command += ["--target", target, "--target-dir", str(ROOT / "target" / name), *arguments]
    with subprocess.Popen(command, cwd=ROOT, env=tools, stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        lines = []
        for line in run.stdout:
            print(line, end="", flush=True)
            lines.append(line)
    said = re.findall(r"^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored", "".join(lines), re.MULTILINE)
    if not said:
        return run.returncode or 1  # it was not compiled
    passed, failed, ignored = (sum(int(row[column]) for row in said) for column in range(3))
    outcome = f"{passed} passed, {failed} failed, {ignored} left out"
    how = how.format(qemu=version("qemu-aarch64"), rustc=version("rustc"))
    note("machines", target, {"how": how, "outcome": outcome})
    print(f"{target}: {outcome}")
    return run.returncode


if __name__ == "__main__":
    sys.exit(main())
