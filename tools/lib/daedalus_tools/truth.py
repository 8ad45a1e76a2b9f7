# SPDX-License-Identifier: BSD-2-Clause
"""What a VP9 stream asks of each stage, read from its headers without any decoder."""

import struct
import subprocess
from dataclasses import dataclass

from . import ivf, manifest, vp9_header


@dataclass(frozen=True)
class Truth:
    frames: int    # coded frames, hidden ones included
    inter: int     # frames that may hold inter blocks
    filtered: int  # frames with a loop filter


def of(stream: manifest.Stream) -> Truth | None:
    """None where the stream is no VP9 or its headers can't be read."""
    if stream.codec not in ("vp9", ""):  # "": no manifest lists it
        return None
    try:
        file, packets = ivf.read(ivf.remuxed(stream.path))
        if file.fourcc != b"VP90":
            return None
        headers = [vp9_header.parse(frame) for packet in packets for frame in vp9_header.frames_of(packet.data)]
    except (ValueError, struct.error, subprocess.CalledProcessError):
        return None
    coded = [header for header in headers if not header.show_existing]
    return Truth(len(coded), sum(header.inter for header in coded), sum(header.filter_level > 0 for header in coded))
