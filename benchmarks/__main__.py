"""``make bench``: every benchmark, one after the other; ``make bench ARGS=click`` for one."""

from __future__ import annotations

import sys

from benchmarks import board, click

ALL = {"click": click.main, "board": board.main}


def main() -> None:
    names = sys.argv[1:] or list(ALL)
    unknown = [name for name in names if name not in ALL]
    if unknown:
        sys.exit(f"There is no benchmark {unknown[0]!r}; choose from {', '.join(ALL)}.")
    for name in names:
        ALL[name]()


if __name__ == "__main__":
    main()
