# SPDX-License-Identifier: BSD-2-Clause
"""Progress on stderr, results on stdout."""

import sys
import time


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def fail(text: str, code: int = 2) -> None:
    """End the program: it can't do what was asked."""
    say(text)
    sys.exit(code)


class Progress:
    """`done/total` on one line of a terminal; elsewhere a line every few seconds."""

    def __init__(self, total: int, what: str):
        self.total, self.what, self.done = total, what, 0
        self.start = self.shown = time.monotonic()
        self.terminal = sys.stderr.isatty()

    def step(self, note: str = "") -> None:
        self.done += 1
        now = time.monotonic()
        if now - self.shown < (0.2 if self.terminal else 10) and self.done < self.total:
            return
        self.shown = now
        line = f"{self.what}: {self.done}/{self.total}, {now - self.start:.0f} s {note}"
        if self.terminal:
            sys.stderr.write(f"\r{line[:110]:<110}" + ("\n" if self.done == self.total else ""))
            sys.stderr.flush()
        else:
            say(line)
