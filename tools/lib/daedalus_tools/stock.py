# SPDX-License-Identifier: BSD-2-Clause
"""What stock FFmpeg makes of a stream. Kept by the hashes of both, so that each stream is decoded once."""

import functools
import json
import os
from pathlib import Path

from . import decode, manifest, paths

VERSION = 1  # of the kept form


@functools.cache
def program_hash(program: Path) -> str:
    return manifest.sha256(program)


def result(stream: Path, program: Path = paths.STOCK, timeout: float = 900) -> decode.Decoded:
    key = f"{VERSION}-{program_hash(program)[:16]}-{manifest.sha256(stream)}"
    kept = paths.CACHE / "stock-frames" / f"{key}.json"
    if kept.is_file():
        return decode.Decoded(**json.loads(kept.read_text()))
    found = decode.decode(program, stream, level="error", timeout=timeout)
    if not found.timed_out:
        kept.parent.mkdir(parents=True, exist_ok=True)
        scratch = kept.with_suffix(f".{os.getpid()}-{id(found)}")
        scratch.write_text(json.dumps(found.as_json()))
        scratch.rename(kept)
    return found
