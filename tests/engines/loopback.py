"""Runs a command where the loopback is the only network interface, if this process may do that.

Engines open ports, some of them on every interface. What cannot be reached from outside needs no trust.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

UP = 'ip link set lo up && exec "$@"'


def main() -> None:
    command = sys.argv[1:]
    inside = ["unshare", "--net", "sh", "-c", UP, "sh"]
    tools = all(shutil.which(name) for name in ("unshare", "ip"))
    if tools and subprocess.run([*inside, "true"], capture_output=True, check=False).returncode == 0:
        command = [*inside, *command]
    else:
        print("this process cannot have a network of its own: the engines use that of the machine", file=sys.stderr)
    os.execvp(command[0], command)


if __name__ == "__main__":
    main()
