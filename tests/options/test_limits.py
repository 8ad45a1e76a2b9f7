# SPDX-License-Identifier: BSD-2-Clause
"""Frames that ask for more than a device may be given are the CPU's, each for itself: the GPU keeps the others."""

import unittest

from program import DecodeCase, hwaccel, small

TOO_MUCH = "more work than the device may be given at once"


class Limits(DecodeCase):
    def refuses(self, limits, *arguments):
        for profile in ("wide", "v3d"):
            with self.subTest(profile=profile):
                done = self.decodes(hwaccel("llvmpipe", *arguments),
                                    {"DAEDALUS_PLAN": "gpu", "DAEDALUS_PROFILE": profile, "DAEDALUS_LIMITS": limits}, small())
                self.assertEqual(done.said(TOO_MUCH), 1, done.log[-3000:])
                self.assertEqual(done.ours("warning", "error"), [])
                self.assertNotIn("given up", done.log)

    def test_workgroups(self):
        self.refuses("groups:0")

    def test_uploads(self):
        self.refuses("upload:2000")

    def test_time(self):
        self.refuses("time:20000", "-threads", "3")

    def test_without_them_nothing_is_refused(self):
        done = self.decodes(hwaccel("llvmpipe"), {"DAEDALUS_PLAN": "gpu"}, small())
        self.assertEqual(done.said(TOO_MUCH), 0)


if __name__ == "__main__":
    unittest.main()
