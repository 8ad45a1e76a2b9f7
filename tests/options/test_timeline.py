# SPDX-License-Identifier: BSD-2-Clause
"""What the timeline of an AV1 stream says of its threads. Its frames adapt the probabilities of the ones before."""

import collections
import json
import subprocess
import tempfile
import unittest
from pathlib import Path

from program import DEVICE, decode, first_of, hwaccel, paths

AV1 = ("av1/fate/film_grain.mp4", "av1-aom-352x288.webm")


def timeline(threads: int) -> dict[str, dict[int, list[tuple[float, float]]]]:
    """Beginnings and ends of what was done, by name and frame."""
    with tempfile.TemporaryDirectory(prefix="dd-timeline-") as folder:
        trace = Path(folder, "trace.json")
        environment = {"DAEDALUS_PLAN": "gpu", "DAEDALUS_TRACE": str(trace)}
        subprocess.run([str(paths.PATCHED), "-nostdin", "-loglevel", "fatal",
                        *hwaccel(DEVICE, "-threads", str(threads)), "-i", str(first_of(AV1)), "-f", "null", "-"],
                       env={**decode.clean_environment(), **environment}, check=True, timeout=120)
        spans = json.loads(trace.read_text())
    found: dict[str,
                dict[int, list[tuple[float, float]]]] = collections.defaultdict(lambda: collections.defaultdict(list))
    for span in spans:
        if span["ph"] == "X" and "frame" in span.get("args", {}):
            found[span["name"]][span["args"]["frame"]].append((span["ts"], span["ts"] + span["dur"]))
    return found


class Timeline(unittest.TestCase):
    def test_one_thread(self):
        """Records while it parses."""
        spans = timeline(1)
        self.assertNotIn("record", spans)
        self.assertGreater(len(spans["parse"]), 4)
        for frame in spans["submit recon"]:
            with self.subTest(frame=frame):
                submitted = spans["submit recon"][frame][0]
                self.assertLessEqual(max(end for _, end in spans["parse"][frame]), submitted[0])
                self.assertGreaterEqual(min(begin for begin, _ in spans["predict on the CPU"][frame]), submitted[1])

    def test_threads(self):
        """Record what they have parsed, and the next frame may be parsed meanwhile."""
        spans = timeline(4)
        self.assertEqual(spans["record"].keys(), spans["submit recon"].keys())
        self.assertGreater(len(spans["record"]), 4)
        for frame, recorded in spans["record"].items():
            with self.subTest(frame=frame):
                self.assertLessEqual(min(end for _, end in spans["parse"][frame]), recorded[0][0])
                self.assertLessEqual(max(end for _, end in recorded), spans["submit recon"][frame][0][0])
                self.assertGreaterEqual(min(begin for begin, _ in spans["predict on the CPU"][frame]),
                                        spans["submit recon"][frame][0][1])
