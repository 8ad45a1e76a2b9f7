# SPDX-License-Identifier: BSD-2-Clause
"""IVF files: a 32-byte header, then packets of size (4 bytes), time stamp (8 bytes), data."""

import struct
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from . import manifest, paths

HEADER = struct.Struct("<4sHH4sHHIIII")
PACKET = struct.Struct("<IQ")


@dataclass(frozen=True)
class Header:
    fourcc: bytes
    width: int
    height: int
    rate: int = 25
    scale: int = 1


@dataclass(frozen=True)
class Packet:
    data: bytes
    pts: int


def read(path: Path) -> tuple[Header, list[Packet]]:
    raw = path.read_bytes()
    magic, _, header_size, fourcc, width, height, rate, scale, _, _ = HEADER.unpack_from(raw)
    if magic != b"DKIF":
        raise ValueError(f"{path} is no IVF file")
    packets, at = [], header_size
    while at + PACKET.size <= len(raw):
        size, pts = PACKET.unpack_from(raw, at)
        at += PACKET.size
        packets.append(Packet(raw[at:at + size], pts))
        at += size
    return Header(fourcc, width, height, rate, scale), packets


def write(path: Path, header: Header, packets: list[Packet]) -> None:
    with open(path, "wb") as out:
        out.write(HEADER.pack(b"DKIF", 0, HEADER.size, header.fourcc, header.width, header.height, header.rate,
                              header.scale, len(packets), 0))
        for packet in packets:
            out.write(PACKET.pack(len(packet.data), packet.pts) + packet.data)


def _made_once(name: str, make: Callable[[Path], None]) -> Path:
    """A file of the cache, made where it is missing. Where others make it at the same time, it is always a whole
    one."""
    kept = paths.CACHE / "streams" / name
    if not kept.is_file():
        kept.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=kept.parent, prefix=".new-") as folder:
            scratch = Path(folder, name)
            make(scratch)
            scratch.rename(kept)
    return kept


def with_frame_rate(path: Path) -> Path:
    """The stream itself, or where its header says 0 frames a second, which FFmpeg refuses, a copy that says 25."""
    with open(path, "rb") as file:
        head = file.read(HEADER.size)
    if len(head) < HEADER.size or head[:4] != b"DKIF" or all(HEADER.unpack(head)[6:8]):
        return path

    def make(target: Path) -> None:
        header, packets = read(path)
        write(target, replace(header, rate=25, scale=1), packets)

    return _made_once(f"{manifest.sha256(path)[:24]}.rate.ivf", make)


def remuxed(path: Path, program: Path = paths.STOCK) -> Path:
    """The stream as an IVF file, whatever holds it."""
    if path.suffix == ".ivf":
        return with_frame_rate(path)

    def make(target: Path) -> None:
        subprocess.run([str(program), "-nostdin", "-loglevel", "error", "-i", str(path), "-map", "0:v:0", "-c", "copy",
                        "-copyinkf", "-f", "ivf", str(target)], check=True)

    return _made_once(f"{manifest.sha256(path)[:24]}.ivf", make)
