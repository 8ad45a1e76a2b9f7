# SPDX-License-Identifier: BSD-2-Clause
"""AV1's open bitstream units (AV1 specification, clause 5.3), as far as tools take packets apart."""

HAS_SIZE, HAS_EXTENSION = 0x02, 0x04


def _leb128(data: bytes, at: int) -> tuple[int, int]:
    """The value, and where the next byte is."""
    value = 0
    for i in range(8):
        byte = data[at + i]
        value |= (byte & 0x7F) << 7 * i
        if byte < 0x80:
            return value, at + i + 1
    raise ValueError("a size of more than 8 bytes")


def split(packet: bytes) -> list[bytes]:
    """The units of a packet, each with its header; empty where one has no size or a wrong one."""
    units, at = [], 0
    try:
        while at < len(packet):
            header = packet[at]
            if not header & HAS_SIZE:
                return []
            size, payload = _leb128(packet, at + (2 if header & HAS_EXTENSION else 1))
            if payload + size > len(packet):
                return []
            units.append(packet[at:payload + size])
            at = payload + size
    except (IndexError, ValueError):
        return []
    return units
