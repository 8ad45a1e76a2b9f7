# SPDX-License-Identifier: BSD-2-Clause
"""tools/play: which player it starts, with what, and what it says where there is none."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from program import paths, small

PLAYER = '#!/bin/sh\necho "$(basename "$0")" "$@" "[$LD_LIBRARY_PATH]" "[$DAEDALUS_THREADS]"\n'


class Play(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="dd-play-")
        self.addCleanup(folder.cleanup)
        self.prefix, self.path = Path(folder.name, "prefix"), Path(folder.name, "path")
        for where in (self.prefix / "bin", self.prefix / "lib", self.path):
            where.mkdir(parents=True)
        self.player(self.prefix / "bin" / "ffplay")
        (self.prefix / "lib" / "libdaedalus.so").touch()

    def player(self, path: Path) -> None:
        path.write_text(PLAYER)
        path.chmod(0o755)

    def play(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("DAEDALUS_")}
        return subprocess.run([str(paths.ROOT / "tools" / "play"), *arguments], capture_output=True, text=True,
                              env={**kept, "DAEDALUS_PREFIX": str(self.prefix), "PATH": f"{self.path}:/usr/bin:/bin",
                                   "DISPLAY": ":0", **environment})

    def test_ffplay(self):
        done = self.play("--ffplay", str(small()), "-loop", "2")
        self.assertEqual(done.stdout.split(), ["ffplay", "-autoexit", "-hwaccel", "daedalus", "-loop", "2",
                                               str(small()), "[]", "[]"])

    def test_mpv(self):
        self.player(self.path / "mpv")
        done = self.play(str(small()), "--mute")
        self.assertEqual(done.stdout.split(), ["mpv", "--hwdec=daedalus-copy", "--mute", str(small()),
                                               f"[{self.prefix.resolve()}/lib]", "[0]"])
        self.assertIn("[3]", self.play(str(small()), DAEDALUS_THREADS="3").stdout)

    def test_no_build(self):
        done = self.play(str(small()), DAEDALUS_PREFIX="/nonexistent")
        if done.returncode == 0:
            self.skipTest("this machine has a full build")
        self.assertIn("there is no full build", done.stderr)

    def test_no_file(self):
        self.assertEqual(self.play("/nonexistent").returncode, 2)
        self.assertEqual(self.play().returncode, 2)


if __name__ == "__main__":
    unittest.main()
