# SPDX-License-Identifier: BSD-2-Clause
"""Broken AV1 streams with frame threads: what comes of them depends on how many frames dav1d has in flight, and with a
GPU these are more. The frames are those of stock FFmpeg all the same."""

import functools
import os
import random
import sys
import tempfile
from pathlib import Path

from daedalus_tools import ivf, paths
from program import DEVICE, DecodeCase, first_of, hwaccel, run

sys.path.insert(0, str(paths.ROOT / "tests" / "stress"))

import mutate

AV1 = ("av1/dav1d/8-bit/data/00000578.ivf", "av1-aom-352x288.webm")
GPU = {"DAEDALUS_PLAN": "gpu"}
LATE = {**GPU, "DAEDALUS_OPEN_LATE": "30"}


class Broken(DecodeCase):
    STREAMS = 12
    SEED = int(os.environ.get("DAEDALUS_TEST_SEED", "0"))  # of the first one

    @functools.cached_property
    def thrice(self) -> mutate.Source:
        """The stream, three times one behind the other."""
        source = mutate.load(first_of(AV1), most=100)
        return mutate.Source(source.header, source.packets * 3)

    def broken(self, folder: str, seed: int) -> Path:
        header, packets, _ = mutate.case(random.Random(seed), [self.thrice])
        path = Path(folder, f"{seed}.ivf")
        ivf.write(path, header, [ivf.Packet(packet, i) for i, packet in enumerate(packets)])
        return path

    def test_frames_are_those_of_stock(self):
        delayed = 0
        with tempfile.TemporaryDirectory(prefix="dd-broken-") as folder:
            for seed in range(self.SEED, self.SEED + self.STREAMS):
                stream = ["-threads", "4", "-i", str(self.broken(folder, seed))]
                stock = run(stream, program=paths.STOCK)
                delayed += run(["-max_frame_delay", "4", *stream], program=paths.STOCK).frames != stock.frames
                for environment in (GPU, LATE):
                    with self.subTest(seed=seed, late=environment is LATE):
                        ours = run([*hwaccel(DEVICE), *stream], environment)
                        self.assertEqual((ours.code, ours.frames), (stock.code, stock.frames), ours.log[-2000:])
        self.assertGreater(delayed, 0, "none of these streams depends on the number of frames in flight")
