# SPDX-License-Identifier: BSD-2-Clause
"""VP9 superframes (Annex B) and uncompressed headers (clause 6.2), as far as tests have to know or to change them."""

from dataclasses import dataclass, field

FRAME_MARKER = 2
SYNC_CODE = 0x498342


def frames_of(packet: bytes) -> list[bytes]:
    """The frames of a packet: one, or those of its superframe index."""
    sizes = superframe_sizes(packet)
    if not sizes:
        return [packet]
    frames, at = [], 0
    for size in sizes:
        frames.append(packet[at:at + size])
        at += size
    return [frame for frame in frames if frame]


def superframe_sizes(packet: bytes) -> list[int]:
    if not packet or packet[-1] & 0xE0 != 0xC0:
        return []
    count, width = (packet[-1] & 7) + 1, (packet[-1] >> 3 & 3) + 1
    length = 2 + count * width
    if len(packet) < length or packet[-length] != packet[-1]:
        return []
    index = packet[-length + 1:-1]
    return [int.from_bytes(index[i * width:(i + 1) * width], "little") for i in range(count)]


class Bits:
    def __init__(self, data: bytes):
        self.data, self.at = data, 0

    def get(self, count: int) -> int:
        value = 0
        for _ in range(count):
            byte = self.data[self.at >> 3] if self.at >> 3 < len(self.data) else 0
            value = value << 1 | byte >> (7 - (self.at & 7)) & 1
            self.at += 1
        return value


@dataclass
class FrameHeader:
    profile: int = 0
    show_existing: bool = False
    key: bool = False
    shown: bool = True
    error_resilient: bool = False
    intra_only: bool = False
    width: int = 0   # 0: taken from a reference
    height: int = 0
    size_at: int = 0  # bit at which width - 1 (16 bits) and height - 1 (16 bits) stand; 0: they don't
    refresh: int = 0
    filter_level: int = 0
    sharpness: int = 0
    end: int = 0  # bit behind what was read
    fields: dict = field(default_factory=dict)

    @property
    def inter(self) -> bool:
        return not (self.show_existing or self.key or self.intra_only)


def _colour(bits: Bits, profile: int) -> None:
    if profile >= 2:
        bits.get(1)
    if bits.get(3) != 7:  # CS_RGB
        bits.get(1)
        if profile & 1:
            bits.get(3)
    elif profile & 1:
        bits.get(1)


def _size(bits: Bits, header: FrameHeader) -> None:
    header.size_at = bits.at
    header.width, header.height = bits.get(16) + 1, bits.get(16) + 1


def _render_size(bits: Bits) -> None:
    if bits.get(1):
        bits.get(32)


def _size_with_refs(bits: Bits, header: FrameHeader) -> None:
    for _ in range(3):
        if bits.get(1):
            break
    else:
        _size(bits, header)
    _render_size(bits)


def _key_frame(bits: Bits, header: FrameHeader) -> None:
    if bits.get(24) != SYNC_CODE:
        raise ValueError("no sync code")
    _colour(bits, header.profile)
    _size(bits, header)
    _render_size(bits)
    header.refresh = 0xFF


def _intra_only_frame(bits: Bits, header: FrameHeader) -> None:
    if bits.get(24) != SYNC_CODE:
        raise ValueError("no sync code")
    if header.profile:
        _colour(bits, header.profile)
    header.refresh = bits.get(8)
    _size(bits, header)
    _render_size(bits)


def _inter_frame(bits: Bits, header: FrameHeader) -> None:
    header.refresh = bits.get(8)
    bits.get(3 * 4)  # references and their sign biases
    _size_with_refs(bits, header)
    bits.get(1)  # high precision vectors
    if not bits.get(1):
        bits.get(2)


def parse(frame: bytes) -> FrameHeader:
    """Raises ValueError where the frame has no VP9 header."""
    bits, header = Bits(frame), FrameHeader()
    if bits.get(2) != FRAME_MARKER:
        raise ValueError("no frame marker")
    header.profile = bits.get(1) | bits.get(1) << 1
    if header.profile == 3:
        bits.get(1)
    header.show_existing = bool(bits.get(1))
    if header.show_existing:
        bits.get(3)
        header.end = bits.at
        return header
    header.key, header.shown, header.error_resilient = not bits.get(1), bool(bits.get(1)), bool(bits.get(1))
    if header.key:
        _key_frame(bits, header)
    else:
        header.intra_only = bool(bits.get(1)) if not header.shown else False
        if not header.error_resilient:
            bits.get(2)
        (_intra_only_frame if header.intra_only else _inter_frame)(bits, header)
    if not header.error_resilient:
        bits.get(2)  # refresh and parallel-mode flags of the contexts
    bits.get(2)  # which context
    header.filter_level, header.sharpness = bits.get(6), bits.get(3)
    header.end = bits.at
    return header


def with_size(frame: bytes, width: int, height: int) -> bytes:
    """The frame, its header claiming another size. Unchanged where the size comes from a reference."""
    header = parse(frame)
    if not header.size_at:
        return frame
    length = len(frame) * 8
    value = int.from_bytes(frame, "big")
    shift = length - header.size_at - 32
    if shift < 0:
        return frame
    value &= ~(0xFFFFFFFF << shift)
    value |= (((width - 1) & 0xFFFF) << 16 | (height - 1) & 0xFFFF) << shift
    return value.to_bytes(len(frame), "big")
