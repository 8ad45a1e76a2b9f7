# SPDX-License-Identifier: BSD-2-Clause
"""Mutations of VP9 and AV1 packets, from a seed: the same seed over the same streams makes the same bytes."""

import random
import sys
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "lib"))

from daedalus_tools import ivf, obu, vp9_header

SIZES = (1, 2, 3, 7, 8, 9, 15, 16, 33, 63, 64, 65, 127, 128, 176, 255, 288, 352, 500, 1024, 2048)


@dataclass
class Source:
    """A stream to take packets from."""
    header: ivf.Header
    packets: list[bytes]


def load(path: Path, most: int) -> Source:
    header, packets = ivf.read(ivf.remuxed(path))
    return Source(header, [packet.data for packet in packets[:most]])


def flip_bits(rng: random.Random, packet: bytes, _: list[Source]) -> bytes:
    """Anywhere, or with a preference for the headers at the start."""
    data = bytearray(packet)
    reach = len(data) if rng.random() < 0.5 else min(len(data), 24)
    for _ in range(rng.choice((1, 1, 2, 4, 16))):
        bit = rng.randrange(reach * 8)
        data[bit >> 3] ^= 1 << (bit & 7)
    return bytes(data)


def truncate(rng: random.Random, packet: bytes, _: list[Source]) -> bytes:
    return packet[:rng.randrange(1, len(packet))] if len(packet) > 1 else packet


def splice_header(rng: random.Random, packet: bytes, sources: list[Source]) -> bytes:
    """The start of another stream's packet before this one's rest."""
    other = rng.choice(rng.choice(sources).packets)
    cut = rng.choice((3, 8, 12, 20, 40, rng.randrange(1, len(other) + 1)))
    return other[:cut] + packet[rng.choice((cut, min(cut, len(packet)), 0)):]


def foreign_packet(rng: random.Random, _: bytes, sources: list[Source]) -> bytes:
    return rng.choice(rng.choice(sources).packets)


def other_size(rng: random.Random, packet: bytes, _: list[Source]) -> bytes:
    """Another size in the header of a key or intra-only frame; where there is none, its bits flipped."""
    try:
        frame = vp9_header.frames_of(packet)[0]
        if vp9_header.parse(frame).size_at:
            return vp9_header.with_size(frame, rng.choice(SIZES), rng.choice(SIZES)) + packet[len(frame):]
    except (ValueError, IndexError):
        pass
    return flip_bits(rng, packet, [])


def overwrite(rng: random.Random, packet: bytes, _: list[Source]) -> bytes:
    """A run of zeros, ones or noise."""
    data = bytearray(packet)
    start = rng.randrange(len(data))
    length = min(rng.choice((1, 4, 16, 64, 400)), len(data) - start)
    kind = rng.randrange(3)
    noise = bytes(length) if kind == 0 else b"\xff" * length if kind == 1 else rng.randbytes(length)
    data[start:start + length] = noise
    return bytes(data)


def superframe_index(rng: random.Random, packet: bytes, sources: list[Source]) -> bytes:
    """An index with wrong sizes behind the packet, in front of it a second frame."""
    frames = [packet, rng.choice(rng.choice(sources).packets)][:rng.randrange(1, 3)]
    sizes = [max(0, len(frame) + rng.choice((-3, -1, 0, 0, 1, 5, 60000))) & 0xFFFF for frame in frames]
    marker = bytes((0xC0 | 1 << 3 | len(frames) - 1,))
    return b"".join(frames) + marker + b"".join(size.to_bytes(2, "little") for size in sizes) + marker


def grow(rng: random.Random, packet: bytes, _: list[Source]) -> bytes:
    return packet + rng.randbytes(rng.choice((1, 7, 100)))


def flip_tile_bits(rng: random.Random, packet: bytes, _: list[Source]) -> bytes:
    """Bits behind the headers, so that what the parser says of blocks is wrong and not that there are any."""
    data = bytearray(packet)
    start = min(len(data) - 1, rng.choice((30, 60, len(data) // 2)))
    for _ in range(rng.choice((1, 2, 4, 16))):
        data[rng.randrange(start, len(data))] ^= 1 << rng.randrange(8)
    return bytes(data)


def shuffle_obus(rng: random.Random, packet: bytes, sources: list[Source]) -> bytes:
    """An OBU is lost, repeated, out of order or another stream's; all have right sizes."""
    units = obu.split(packet)
    if not units:
        return flip_bits(rng, packet, sources)
    place = rng.randrange(len(units))
    kind = rng.randrange(4)
    if kind == 0 and len(units) > 1:
        del units[place]
    elif kind == 1:
        units.insert(rng.randrange(len(units) + 1), units[place])
    elif kind == 2:
        rng.shuffle(units)
    elif others := obu.split(rng.choice(rng.choice(sources).packets)):
        units[place] = rng.choice(others)
    return b"".join(units)


ANY_KINDS = (flip_bits, flip_bits, flip_bits, truncate, truncate, splice_header, foreign_packet, overwrite, grow)
KINDS = {b"VP90": (*ANY_KINDS, other_size, superframe_index),
         b"AV01": (*ANY_KINDS, flip_tile_bits, flip_tile_bits, flip_tile_bits, shuffle_obus)}


def case(rng: random.Random, sources: list[Source]) -> tuple[ivf.Header, list[bytes], int]:
    """A stream with one to four packets mutated; says how many."""
    base = rng.choice(sources)
    packets = list(base.packets)
    count = min(len(packets), rng.choice((1, 2, 2, 3, 4)))
    places = rng.sample(range(len(packets)), count)
    for place in places:
        packets[place] = rng.choice(KINDS[base.header.fourcc])(rng, packets[place], sources)
    if rng.random() < 0.15:  # lost or repeated
        place = rng.randrange(len(packets))
        packets[place:place + 1] = [] if rng.random() < 0.5 and len(packets) > 1 else [packets[place]] * 2
    return base.header, packets, count
