#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Players of Debian 13 as they are, with the libraries of the packages (tools/package): every frame that mpv and
GStreamer get has to be the one that they get from the system's libraries. Also a seek in each stream, and ffplay."""

import re
import sys
from dataclasses import dataclass
from pathlib import Path

import root as fresh_root
from daedalus_tools import apt, roots

NEEDED = ("ffmpeg", "mpv", "mesa-vulkan-drivers", "gstreamer1.0-tools", "gstreamer1.0-libav",
          "gstreamer1.0-plugins-base", "gstreamer1.0-plugins-good", "gstreamer1.0-plugins-bad")
# Its encoder can't follow a change of size.
MPV = ("mpv --no-config --no-audio --untimed -v --vf=scale=352:288 --of=framemd5 --ovc=rawvideo --o=/run/frames "
       "{options} {path} 2>&1; cat /run/frames >&2")
GSTREAMER = ("sh -c 'GST_PLUGIN_FEATURE_RANK=vp9dec:NONE GST_DEBUG=libav:5 gst-launch-1.0 -q "
             "filesrc location={path} ! decodebin ! %s'")
# checksumsink hashes padding, too, and y4menc takes 8 bits alone.
Y4M = GSTREAMER % ("y4menc ! filesink location=/run/frames && test -s /run/frames && "
                   "md5sum < /run/frames | cut -c1-32 >&2")
CHECKSUMS = GSTREAMER % "checksumsink hash=md5 >&2"
FFPLAY = ("DAEDALUS_DEVICE=llvmpipe DAEDALUS_PLAN=gpu SDL_VIDEODRIVER=dummy ffplay-daedalus -v verbose -autoexit -an "
          "-hwaccel daedalus {path}")


@dataclass(frozen=True)
class Way:
    name: str
    command: str
    options: str = ""  # without which the system's libraries play
    environment: str = ""
    streams: str = "vp9/|av1/"  # a pattern of their paths
    start: str = ""
    sign: str = ""  # what the log says where Daedalus decodes


ENABLED = "DAEDALUS_DEVICE=llvmpipe DAEDALUS_PLAN=gpu daedalus-run "
WAYS = (
    Way("mpv, no option", MPV, environment=ENABLED, sign="llvmpipe"),
    Way("mpv --hwdec=daedalus-copy", MPV, "--hwdec=daedalus-copy --hwdec-codecs=all", ENABLED,
        sign="Using hardware decoding (daedalus-copy)"),
    Way("mpv, threads of the device", MPV, "--hwdec=daedalus-copy --hwdec-codecs=all", "DAEDALUS_THREADS=0 " + ENABLED,
        sign="Using hardware decoding (daedalus-copy)"),
    Way("mpv, a seek", MPV, start="--start=50%", environment=ENABLED, sign="llvmpipe"),
    # It has no 4:4:0, and no file for 12 bits.
    Way("GStreamer", Y4M, environment=ENABLED, streams=r"vp9/(?!.*(1[02]-?bit|440))", sign="DAEDALUS_ENABLE is set"),
    Way("GStreamer, 10 bits", CHECKSUMS, environment=ENABLED, streams=r"vp9/.*10-?bit", sign="DAEDALUS_ENABLE is set"),
)


def play(root: Path, way: Way, path: str, ours: bool) -> tuple[list[str], str]:
    environment, options = (way.environment, f"{way.options} {way.start}") if ours else ("", way.start)
    done = roots.output_of(root, f"rm -f /run/frames; {environment}" + way.command.format(options=options, path=path))
    return fresh_root.md5s(done.stderr), done.stdout + done.stderr


def problem(root: Path, way: Way, path: str) -> str:
    wanted, log = play(root, way, path, ours=False)
    if not wanted:
        return f"no frame from the system's libraries: {log.strip()[-500:]}"
    found, log = play(root, way, path, ours=True)
    if found != wanted:
        differing = next((i for i, pair in enumerate(zip(found, wanted)) if pair[0] != pair[1]),
                         min(len(found), len(wanted)))
        return f"{len(found)} frames, {len(wanted)} wanted; frame {differing} differs: {log.strip()[-300:]}"
    return "" if way.sign in log else f"the log doesn't say {way.sign!r}"


def ffplay(root: Path, path: str) -> str:
    done = roots.output_of(root, FFPLAY.format(path=path))
    return "" if done.returncode == 0 and "llvmpipe" in done.stderr else done.stderr.strip()[-500:]


def main() -> None:
    passed = failed = 0
    with fresh_root.fresh(apt.host_architecture(), *NEEDED) as root:
        fresh_root.install(root, "/packages/*.deb")
        for path in sorted((root / "streams").rglob("*.*")):
            inside = str(Path("/") / path.relative_to(root))
            results = {way.name: problem(root, way, inside) for way in WAYS if re.search(way.streams, inside)}
            results["ffplay"] = ffplay(root, inside)
            for name, why in results.items():
                passed, failed = passed + (not why), failed + bool(why)
                if why:
                    print(f"failed: {name}: {path.name}: {why}", flush=True)
    print(f"{passed} passed, {failed} failed, 0 skipped")
    sys.exit(1 if failed or not passed else 0)


if __name__ == "__main__":
    main()
