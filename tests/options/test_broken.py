# SPDX-License-Identifier: BSD-2-Clause
"""Broken AV1 streams with frame threads: what comes of them depends on how many frames dav1d has in flight, and with a GPU these are
more. The frames are those of stock FFmpeg all the same."""

import random
import tempfile
from pathlib import Path

from daedalus_tools import ivf, paths
from program import DEVICE, DecodeCase, first_of, hwaccel, run

AV1 = ("av1/dav1d/8-bit/data/00000578.ivf", "av1-aom-352x288.webm")
GPU = {"DAEDALUS_PLAN": "gpu"}
LATE = {**GPU, "DAEDALUS_OPEN_LATE": "30"}


class Broken(DecodeCase):
    STREAMS = 12

    def broken(self, folder: str, seed: int) -> Path:
        """Three times the stream, in which some bits are turned."""
        chance = random.Random(seed)
        header, packets = ivf.read(ivf.remuxed(first_of(AV1)))
        frames = [bytearray(packet.data) for packet in packets * 3]
        for frame in chance.sample(frames, chance.choice((1, 3, 8))):
            frame[chance.randrange(2, len(frame))] ^= 1 << chance.randrange(8)
        path = Path(folder, f"{seed}.ivf")
        ivf.write(path, header, [ivf.Packet(bytes(frame), i) for i, frame in enumerate(frames)])
        return path

    def test_frames_are_those_of_stock(self):
        delayed = 0
        with tempfile.TemporaryDirectory(prefix="dd-broken-") as folder:
            for seed in range(self.STREAMS):
                stream = ["-threads", "4", "-i", str(self.broken(folder, seed))]
                stock = run(stream, program=paths.STOCK)
                delayed += run(["-max_frame_delay", "4", *stream], program=paths.STOCK).frames != stock.frames
                for environment in (GPU, LATE):
                    with self.subTest(seed=seed, late=environment is LATE):
                        ours = run([*hwaccel(DEVICE), *stream], environment)
                        self.assertEqual((ours.code, ours.frames), (stock.code, stock.frames), ours.log[-2000:])
        self.assertGreater(delayed, 0, "none of these streams depends on the number of frames in flight")
