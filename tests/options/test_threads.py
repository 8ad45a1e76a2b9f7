# SPDX-License-Identifier: BSD-2-Clause
"""-threads, -thread_type, -hwaccel_output_format, low delay: the same frames whatever they say."""

from program import DEVICE, DecodeCase, hwaccel, long, run, stock_frames

GPU = {"DAEDALUS_PLAN": "gpu"}


class Threads(DecodeCase):
    def test_any_number_of_threads(self):
        for kind in ("frame", "slice", "frame+slice"):
            for count in ("0", "1", "2", "3", "4", "8", "16", "64"):
                with self.subTest(threads=count, kind=kind):
                    self.decodes(hwaccel(None, "-threads", count, "-thread_type", kind), {**GPU, "DAEDALUS_DEVICE": DEVICE})

    def test_default(self):
        self.decodes(hwaccel(), GPU, long())

    def test_low_delay(self):
        self.decodes(hwaccel(None, "-flags", "low_delay"), {**GPU, "DAEDALUS_DEVICE": DEVICE})

    def test_output_format_of_system_memory(self):
        self.decodes(hwaccel(None, "-hwaccel_output_format", "yuv420p"), {**GPU, "DAEDALUS_DEVICE": DEVICE})

    def test_seek(self):
        from daedalus_tools import paths
        plain = run(["-ss", "3.2", "-i", str(long())], program=paths.STOCK)
        for threads in ("1", "4"):
            ours = run([*hwaccel(None, "-threads", threads), "-ss", "3.2", "-i", str(long())],
                       {**GPU, "DAEDALUS_DEVICE": DEVICE})
            self.assertEqual((ours.code, ours.frames), (0, plain.frames))

    def test_looped(self):
        ours = run([*hwaccel(None, "-stream_loop", "2"), "-i", str(long())], {**GPU, "DAEDALUS_DEVICE": DEVICE})
        self.assertEqual(ours.code, 0, ours.log[-2000:])
        sums = [row.rsplit(",", 1)[1] for row in ours.frames]
        self.assertEqual(sums, 3 * [row.rsplit(",", 1)[1] for row in stock_frames(long())])
