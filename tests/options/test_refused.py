# SPDX-License-Identifier: BSD-2-Clause
"""Residuals that are refused in the middle of a frame: the CPU does the frame, with the coefficients that were taken
already."""

import re

from daedalus_tools import paths
from program import DecodeCase, first_of, hwaccel, long

AV1 = ("av1/dav1d/8-bit/mfmv/av1-1-b8-06-mfmv.ivf", "av1-aom-352x288.webm")
AV1_10_BITS = ("av1/dav1d/10-bit/quantizer/av1-1-b10-00-quantizer-20.ivf", "av1-aom-10bit.webm")
REFUSES = paths.BUILD / "tests" / "options" / "librefuse_residuals.so"


class Refused(DecodeCase):
    def goes_on(self, stream, **environment):
        # Where the GPU has filters, too, a frame of AV1 is decoded from its bitstream; else its second pass needs the
        # coefficients.
        for plan, threads, every in (("gpu", 1, 100), ("mc=gpu,itx=gpu", 1, 100), ("mc=gpu,itx=gpu", 1, 3000),
                                     ("mc=gpu,itx=gpu", 3, 300)):
            with self.subTest(plan=plan, threads=threads, every=every):
                done = self.decodes(hwaccel(None, "-threads", str(threads)),
                                    {"DAEDALUS_PLAN": plan, "DAEDALUS_DEVICE": "llvmpipe", "LD_PRELOAD": str(REFUSES),
                                     "DAEDALUS_TEST_REFUSE": str(every), **environment}, stream)
                again = sum(map(int, re.findall(r"(\d+) run again on the CPU", done.log)))
                self.assertGreater(again, 0, done.log[-2000:])
                self.assertEqual(done.ours("warning", "error", "fatal"), [])

    def test_av1(self):
        self.goes_on(first_of(AV1))

    def test_av1_with_10_bits(self):
        self.goes_on(first_of(AV1_10_BITS))

    def test_vp9(self):
        self.goes_on(long())

    def test_vp9_with_intra_blocks_on_the_gpu(self):
        self.goes_on(long(), DAEDALUS_PROFILE="wide")
