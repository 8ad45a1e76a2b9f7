# SPDX-License-Identifier: BSD-2-Clause
"""Damage to streams, from a seed: packets lost, doubled, swapped, cut, with bits flipped, repeated from the middle on,
and streams joined in the middle of a group of pictures. Says which pictures it can't reach."""

import random
import sys
from dataclasses import dataclass, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "lib"))

from daedalus_tools import ivf, vp9_header

AV1_SEQUENCE_HEADER, AV1_TEMPORAL_DELIMITER = 1, 2
JOINT = 1000  # added to the time stamps of what is joined to a stream


@dataclass(frozen=True)
class Source:
    name: str
    header: ivf.Header
    packets: tuple[ivf.Packet, ...]

    @property
    def size(self) -> tuple[int, int]:
        return self.header.width, self.header.height


@dataclass(frozen=True)
class Piece:
    """A packet of a damaged stream; whole: as its encoder wrote it, in its place."""
    packet: ivf.Packet
    source: Source
    whole: bool = True


@dataclass(frozen=True)
class Damaged:
    kind: str
    header: ivf.Header
    pieces: list[Piece]

    def unreached(self) -> dict[int, tuple[Source, int]]:
        """Time stamps of pictures that no damage reaches, and the source's own: those before the first damage, and
        those from a whole key frame on that has none behind it, up to the next damage."""
        found, intact = {}, True
        for piece in self.pieces:
            if not piece.whole:
                intact = False
            elif is_key(piece.source.header.fourcc, piece.packet.data):
                intact = True
            if intact:
                found[piece.packet.pts] = piece.source, piece.packet.pts % JOINT
        return found


def load(path: Path) -> Source:
    header, packets = ivf.read(ivf.remuxed(path))
    return Source(path.name, header, tuple(replace(packet, pts=i) for i, packet in enumerate(packets)))


def is_key(fourcc: bytes, data: bytes) -> bool:
    """Whether decoding may start at a packet."""
    if fourcc == b"AV01":
        first = 2 if len(data) > 2 and data[0] >> 3 & 15 == AV1_TEMPORAL_DELIMITER else 0
        return len(data) > first and data[first] >> 3 & 15 == AV1_SEQUENCE_HEADER
    try:
        return vp9_header.parse(vp9_header.frames_of(data)[0]).key
    except (ValueError, IndexError):
        return False


def _pieces(source: Source, begin: int = 0, end: int | None = None, later: int = 0) -> list[Piece]:
    return [Piece(replace(packet, pts=packet.pts + later), source) for packet in source.packets[begin:end]]


def _place(rng: random.Random, source: Source) -> int:
    """Not the first packet, where there are others: without it nothing decodes up to the next key frame."""
    return rng.randrange(1 if rng.random() < 0.9 else 0, len(source.packets) - 1)


def _broken(piece: Piece, data: bytes | None = None) -> Piece:
    return replace(piece, packet=replace(piece.packet, data=piece.packet.data if data is None else data), whole=False)


def _drop(rng: random.Random, source: Source, _: list[Source]) -> list[Piece]:
    pieces, place = _pieces(source), _place(rng, source)
    count = rng.choice((1, 1, 2, 3))
    del pieces[place:place + count]
    if place < len(pieces) and not is_key(source.header.fourcc, pieces[place].packet.data):
        pieces[place] = _broken(pieces[place])
    return pieces


def _double(rng: random.Random, source: Source, _: list[Source]) -> list[Piece]:
    pieces, place = _pieces(source), _place(rng, source)
    pieces.insert(place, _broken(pieces[place]))
    pieces[place + 1] = _broken(pieces[place + 1])
    return pieces


def _swap(rng: random.Random, source: Source, _: list[Source]) -> list[Piece]:
    pieces, place = _pieces(source), _place(rng, source)
    pieces[place:place + 2] = [_broken(pieces[place + 1]), _broken(pieces[place])]
    return pieces


def _cut(rng: random.Random, source: Source, _: list[Source]) -> list[Piece]:
    pieces = _pieces(source)
    for place in {_place(rng, source) for _ in range(rng.choice((1, 1, 2, 3)))}:
        data = pieces[place].packet.data
        pieces[place] = _broken(pieces[place], data[:rng.randrange(1, max(2, len(data)))])
    return pieces


def _flip(rng: random.Random, source: Source, _: list[Source]) -> list[Piece]:
    pieces = _pieces(source)
    for place in {_place(rng, source) for _ in range(rng.choice((1, 1, 2, 3)))}:
        data = bytearray(pieces[place].packet.data)
        reach = len(data) if rng.random() < 0.7 else min(len(data), 20)
        for _ in range(rng.choice((1, 1, 2, 8))):
            data[rng.randrange(reach)] ^= 1 << rng.randrange(8)
        pieces[place] = _broken(pieces[place], bytes(data))
    return pieces


def _repeat(rng: random.Random, source: Source, _: list[Source]) -> list[Piece]:
    """Once more from somewhere in the middle, as after a jump without a flush."""
    place = _place(rng, source)
    again = _pieces(source, place, later=JOINT)
    if not is_key(source.header.fourcc, again[0].packet.data):
        again[0] = _broken(again[0])
    return _pieces(source, 0, rng.randrange(place, len(source.packets)) + 1) + again


def _join(rng: random.Random, source: Source, others: list[Source]) -> list[Piece]:
    other = rng.choice(others)
    place = _place(rng, other)
    joined = _pieces(other, place, later=JOINT)
    if not is_key(other.header.fourcc, joined[0].packet.data):
        joined[0] = _broken(joined[0])
    return _pieces(source, 0, _place(rng, source) + 1) + joined


def _join_same_size(rng: random.Random, source: Source, sources: list[Source]) -> list[Piece]:
    return _join(rng, source, [other for other in sources if other.size == source.size])


def _join_other_size(rng: random.Random, source: Source, sources: list[Source]) -> list[Piece]:
    return _join(rng, source, [other for other in sources if other.size != source.size] or sources)


KINDS = {"drop": _drop, "double": _double, "swap": _swap, "cut": _cut, "flip": _flip, "repeat": _repeat,
         "join": _join_same_size, "join at another size": _join_other_size}


def damaged(rng: random.Random, number: int, sources: list[Source]) -> Damaged:
    """The kinds and the sources take turns."""
    kind = list(KINDS)[number % len(KINDS)]
    source = sources[number // len(KINDS) % len(sources)]
    return Damaged(kind, source.header, KINDS[kind](rng, source, sources))
