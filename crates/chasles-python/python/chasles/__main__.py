"""The program ``chasles``: the same arguments, output and exit status."""

from __future__ import annotations

import signal
import sys

from chasles._chasles import run_program


def main() -> int:
    # Python would handle Ctrl-C only after the program has ended.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return run_program(["chasles", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
