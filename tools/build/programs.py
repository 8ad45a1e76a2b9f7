#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Build ffmpeg and ffprobe with dav1d inside, from the pinned releases.

stock:   the releases as they are, into BUILD/stock/bin
patched: with both series of patches and the plugin staged in BUILD/install, into BUILD/install/bin; with --full, shared
libraries
         with all that FFmpeg finds on this machine, as meson installs them under PREFIX

Source trees lie in BUILD/src, objects in BUILD/obj, logs in BUILD/logs. A second run rebuilds only what changed.
"""

import argparse
import configparser
import hashlib
import os
import re
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import copy_tree
import sources

COMPONENTS = {
    "demuxer": "avi h264 image2 ivf m4v matroska mov mpegts obu rawvideo yuv4mpegpipe av1",
    "muxer": "avi framecrc framehash framemd5 hash ivf matroska md5 mov mp4 mpegts null obu rawvideo "
             "streamhash webm yuv4mpegpipe",
    "decoder": "aac h264 libdav1d mjpeg mpeg4 opus pcm_s16le rawvideo vorbis vp8 vp9 wrapped_avframe",
    "encoder": "mpeg4 pcm_s16le rawvideo wrapped_avframe",
    "parser": "aac av1 h264 mpeg4video opus vorbis vp8 vp9",
    "bsf": "av1_frame_merge av1_frame_split av1_metadata extract_extradata noise null setts trace_headers "
           "vp9_metadata vp9_raw_reorder vp9_superframe vp9_superframe_split",
    "protocol": "file pipe",
    "indev": "lavfi",
    "filter": "aformat anull aresample atrim color concat copy crop format fps framestep hwdownload hwmap hwupload "
              "mandelbrot noise null nullsrc pad psnr scale select setpts split ssim testsrc testsrc2 trim",
}

# Of --full: what Debian's FFmpeg has beyond what configure finds by itself, where pkg-config knows it, or a header is
# there.
LIBRARIES = {
    "gnutls": "gnutls", "libaom": "aom", "libass": "libass", "libbluray": "libbluray", "libfontconfig": "fontconfig",
    "libfreetype": "freetype2", "libfribidi": "fribidi", "libharfbuzz": "harfbuzz", "libmp3lame": "lame/lame.h",
    "libopenjpeg": "libopenjp2",
    "libopus": "opus", "libpulse": "libpulse", "librsvg": "librsvg-2.0", "libsnappy": "snappy-c.h", "libspeex": "speex",
    "libsrt": "srt",
    "libssh": "libssh", "libsvtav1": "SvtAv1Enc", "libtheora": "theoraenc", "libvorbis": "vorbisenc", "libvpx": "vpx",
    "libwebp": "libwebp libwebpmux", "libxml2": "libxml-2.0",
}
GPL_LIBRARIES = {"libx264": "x264", "libx265": "x265", "libxvid": "xvid.h", "libvidstab": "vidstab"}

# Of --only-decoders: for tests that are linked with libavcodec.
DECODERS = {"decoder": "libdav1d vp9"}

# $ORIGIN, past configure's eval, make and make's shell: the programs run wherever the prefix lies.
PROGRAMS_FIND_LIBRARIES = r"--extra-ldexeflags=-Wl,-rpath,\\\$\$ORIGIN/../lib"

# Of a build with sanitizers and --only-decoders, which takes a third of the time to compile: AddressSanitizer and the
# processor find what the checks that are left out would find.
FEW_FLAGS = ["-g1", "-fno-sanitize=null,alignment,object-size,pointer-overflow"]

COVERAGE = "fuzzer-no-link"  # what libFuzzer needs of every object

# What configure reads to find its components: a change of these calls for a new configure run.
CONFIGURE_INPUTS = (
    "configure", "libavcodec/allcodecs.c", "libavcodec/parsers.c", "libavcodec/bitstream_filters.c",
    "libavcodec/hwaccels.h", "libavformat/allformats.c", "libavformat/protocols.c",
    "libavdevice/alldevices.c", "libavfilter/allfilters.c",
)


@dataclass(frozen=True)
class Job:
    build: Path
    flavour: str
    sanitize: str
    cross: Path | None
    jobs: int
    only_decoders: bool = False
    full: bool = False
    gpl: bool = False
    final_prefix: str = "/usr/local"  # of an installed full build
    before: Path | None = None  # patches to FFmpeg that go ahead of the series
    configure: tuple[str, ...] = ()  # a full build's further options
    release: str = sources.DEFAULT

    @property
    def patched(self) -> bool:
        return self.flavour == "patched"

    @property
    def patches_before(self) -> list[Path]:
        return sources.patches_in(self.before) if self.before else []

    @property
    def prefix(self) -> Path:
        return self.build / ("install" if self.patched else "stock")

    @property
    def stage(self) -> Path:
        """What a full build installs, below its final prefix."""
        return self.build / "full"

    def tree(self, name: str) -> Path:
        return self.build / "src" / f"{name}-{self.flavour}"

    def objects(self, name: str) -> Path:
        return self.build / "obj" / f"{name}-{self.flavour}"

    @property
    def dav1d_prefix(self) -> Path:
        return self.build / "obj" / f"dav1d-{self.flavour}-prefix"


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def run(job: Job, name: str, command: list[str], cwd: Path, env: dict[str, str] | None = None) -> None:
    """Run a command into its log; on failure show the log's end."""
    log = job.build / "logs" / f"{name}-{job.flavour}.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    with open(log, "w") as out:
        out.write(" ".join(command) + "\n")
        out.flush()
        done = subprocess.run(command, cwd=cwd, stdout=out, stderr=subprocess.STDOUT, env={**os.environ, **(env or {})})
    if done.returncode:
        tail = "\n".join(log.read_text(errors="replace").splitlines()[-25:])
        raise SystemExit(f"{tail}\n{name} ({job.flavour}) failed with {done.returncode}; the whole log: {log}")


def digest(*parts: object) -> str:
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def once_per_key(stamp: Path, key: str) -> bool:
    """True if the step that `stamp` stands for has to run; the caller writes the stamp afterwards."""
    return not (stamp.is_file() and stamp.read_text() == key)


def cross_binaries(cross: Path) -> dict[str, str]:
    """The [binaries], [host_machine] and [properties] of a meson cross file, unquoted."""
    parser = configparser.ConfigParser(interpolation=None)
    parser.read(cross)
    values: dict[str, str] = {}
    for section in ("constants", "binaries", "host_machine", "properties"):
        if parser.has_section(section):
            values.update({k: v.strip("[]'\" ") for k, v in parser[section].items()})
    return values


def debug_flags(job: Job) -> list[str]:
    """Of a build with sanitizers: reports name lines."""
    return FEW_FLAGS if job.only_decoders else ["-g1"]


def build_dav1d(job: Job) -> None:
    tree, objects = job.tree("dav1d"), job.objects("dav1d")
    sources.prepare_tree("dav1d", job.patched, tree, job.release)
    options = [
        "--buildtype=release", f"--default-library={'shared' if job.full else 'static'}", "--libdir=lib",
        f"--prefix={job.dav1d_prefix}",
        "-Denable_tools=false", "-Denable_tests=false", "-Denable_examples=false", "-Denable_docs=false",
        "-Dxxhash_muxer=disabled",
    ]
    if job.sanitize:
        sanitizers = job.sanitize.replace(f",{COVERAGE}", "")
        flags = [*debug_flags(job), *([f"-fsanitize={COVERAGE}"] if COVERAGE in job.sanitize else [])]
        options += [f"-Db_sanitize={sanitizers}", "-Db_lundef=false", "--buildtype=debugoptimized", "-Doptimization=1",
                    f"-Dc_args={flags}"]
    if job.cross:
        options += [f"--cross-file={job.cross}"]
    if job.patched and "'daedalus'" in (tree / "meson_options.txt").read_text():
        options.append("-Ddaedalus=enabled")
    key = digest(options, (tree / "meson.build").read_bytes())
    stamp = objects.with_suffix(".key")
    if once_per_key(stamp, key):
        shutil.rmtree(objects, ignore_errors=True)
        env = {"PKG_CONFIG_PATH": str(job.prefix / "lib" / "pkgconfig")} if job.patched else {}
        run(job, "dav1d-setup", ["meson", "setup", *options, str(objects), str(tree)], tree, env)
        stamp.write_text(key)
    run(job, "dav1d-build", ["ninja", "-C", str(objects), f"-j{job.jobs}"], tree)
    run(job, "dav1d-install", ["meson", "install", "--only-changed", "-C", str(objects)], tree)


def pkg_config(cross: Path | None) -> str:
    return cross_binaries(cross).get("pkg-config", "pkg-config") if cross else "pkg-config"


def is_here(probe: str, cross: Path | None = None) -> bool:
    if probe.endswith(".h"):
        return any((folder / probe).is_file() for folder in (Path("/usr/include"), Path("/usr/local/include")))
    return subprocess.run([pkg_config(cross), "--exists", *probe.split()], stderr=subprocess.DEVNULL).returncode == 0


def full_options(job: Job) -> list[str]:
    libraries = {**LIBRARIES, **(GPL_LIBRARIES if job.gpl else {})}
    found = [name for name, probe in libraries.items() if is_here(probe, job.cross)]
    say(f"{job.flavour}: with {', '.join(found) or 'none of the optional libraries'}")
    # configure's test programs need libraries of a private prefix, which -rpath-link finds; installed ones are beside
    # each other. The programs show their configuration, which names no folder of the build.
    folders = (os.path.relpath(prefix / "lib", job.objects("ffmpeg")) for prefix in (job.dav1d_prefix, job.prefix))
    beside = "-Wl,-rpath-link," + ":".join(folders)
    return [f"--prefix={job.final_prefix}", f"--libdir={job.final_prefix}/lib", f"--shlibdir={job.final_prefix}/lib",
            "--enable-shared",
            "--disable-static", "--disable-doc", "--disable-debug", "--toolchain=hardened", "--enable-libdav1d",
            f"--extra-ldflags={beside}", r"--extra-ldsoflags=-Wl,-rpath,\\\$\$\$\$ORIGIN", PROGRAMS_FIND_LIBRARIES,
            *(["--enable-gpl"] if job.gpl else []), *(f"--enable-{name}" for name in found),
            *sanitizer_options(job), *cross_options(job.cross), *job.configure]


def component_options(job: Job) -> list[str]:
    components = DECODERS if job.only_decoders else COMPONENTS
    parts = ["--disable-programs", "--disable-avformat", "--disable-avfilter", "--disable-avdevice",
             "--disable-swscale"]
    return [*(parts if job.only_decoders else []),
            *(f"--enable-{kind}={','.join(names.split())}" for kind, names in components.items())]


def sanitizer_options(job: Job) -> list[str]:
    if not job.sanitize:
        return []
    compiler = [f"--cc={os.environ['CC']}"] if "CC" in os.environ else []
    flags = f"-fsanitize={job.sanitize} -fno-omit-frame-pointer {' '.join(debug_flags(job))} -O1"
    return [*compiler, f"--extra-cflags={flags}", f"--extra-ldflags=-fsanitize={job.sanitize}", "--disable-stripping",
            "--disable-optimizations" if job.sanitize == "memory" else "--enable-optimizations"]


def cross_options(cross: Path | None) -> list[str]:
    if not cross:
        return []
    b = cross_binaries(cross)
    options = ["--enable-cross-compile", "--target-os=linux", f"--arch={b['cpu_family']}", f"--cc={b['c']}",
               f"--ld={b['c']}", f"--pkg-config={pkg_config(cross)}"]
    options += [f"--{tool}={b[tool]}" for tool in ("ar", "nm", "ranlib", "strip") if tool in b]
    options += [f"--sysroot={b['sys_root']}"] if "sys_root" in b else []
    return options


def exports_frames(job: Job) -> bool:
    """Frames as DRM PRIME: --full finds the library itself."""
    return not job.full and not job.only_decoders and not job.cross and is_here("libdrm")


def configure_options(job: Job, tree: Path) -> list[str]:
    options = full_options(job) if job.full else [
        f"--prefix={job.prefix}", "--disable-everything", "--disable-autodetect", "--disable-doc",
        "--disable-network", "--disable-ffplay", "--disable-debug", "--enable-pthreads", "--enable-libdav1d",
        "--pkg-config-flags=--static",
        PROGRAMS_FIND_LIBRARIES,
        *component_options(job), *sanitizer_options(job), *cross_options(job.cross),
    ]
    if job.patched and "libdaedalus" in (tree / "configure").read_text():
        options.append("--enable-libdaedalus")
        if exports_frames(job):
            options.append("--enable-libdrm")
    return options


def configure_ffmpeg(job: Job, tree: Path, objects: Path) -> None:
    options = configure_options(job, tree)
    staged = job.prefix / "lib" / "pkgconfig" / "daedalus.pc"
    pc = [staged.read_bytes()] if job.patched and staged.is_file() else []
    key = digest(options, [(tree / f).read_bytes() for f in CONFIGURE_INPUTS], pc)
    stamp = objects.with_suffix(".key")
    if not once_per_key(stamp, key):
        return
    objects.mkdir(parents=True, exist_ok=True)
    paths = [job.dav1d_prefix / "lib" / "pkgconfig", job.prefix / "lib" / "pkgconfig"]
    env = {"PKG_CONFIG_PATH": ":".join(map(str, paths))}
    run(job, "ffmpeg-configure", [str(tree / "configure"), *options], objects, env)
    stamp.write_text(key)


def relink_if_older(objects: Path, library: Path) -> None:
    """FFmpeg's make does not know that the programs contain libdav1d.a."""
    for program in ("ffmpeg_g", "ffprobe_g"):
        built = objects / program
        if built.exists() and built.stat().st_mtime < library.stat().st_mtime:
            built.unlink()


def build_ffmpeg(job: Job) -> None:
    tree, objects = job.tree("ffmpeg"), job.objects("ffmpeg")
    sources.prepare_tree("ffmpeg", job.patched, tree, job.release, job.patches_before)
    configure_ffmpeg(job, tree, objects)
    if job.only_decoders or job.full:
        run(job, "ffmpeg-build", ["make", f"-j{job.jobs}"], objects)
        if job.full:
            install_full(job, objects)
        return
    relink_if_older(objects, job.dav1d_prefix / "lib" / "libdav1d.a")
    run(job, "ffmpeg-build", ["make", f"-j{job.jobs}", "ffmpeg", "ffprobe"], objects)
    (job.prefix / "bin").mkdir(parents=True, exist_ok=True)
    for program in ("ffmpeg", "ffprobe"):
        install(objects / program, job.prefix / "bin" / program)


def install_full(job: Job, objects: Path) -> None:
    """Into the stage, and from there into the build's own prefix, where it runs as well."""
    shutil.rmtree(job.stage, ignore_errors=True)
    run(job, "ffmpeg-install", ["make", "install", f"DESTDIR={job.stage}"], objects)
    staged = job.stage / job.final_prefix.lstrip("/")
    for folder in ("lib", "include"):
        shutil.copytree(job.dav1d_prefix / folder, staged / folder, symlinks=True, dirs_exist_ok=True)
    for pc in (staged / "lib" / "pkgconfig").glob("*.pc"):  # the build's own folders are the final ones there
        text = re.sub(rf"-L{re.escape(str(job.build))}\S*", "-L${libdir}", pc.read_text())
        pc.write_text(text.replace(str(job.dav1d_prefix), job.final_prefix))
    copy_tree.copy(staged, job.prefix)


def install(built: Path, target: Path) -> None:
    if target.exists() and target.stat().st_mtime >= built.stat().st_mtime:
        return
    copy_tree.replace(built, target)


def write_depfile(job: Job, depfile: Path, stamp: Path) -> None:
    inputs = [Path(__file__), Path(sources.__file__)]
    for name in ("dav1d", "ffmpeg"):
        inputs += sources.inputs_of(name, job.patched, job.release)
    escaped = (str(path).replace(" ", "\\ ") for path in inputs)
    inputs += job.patches_before
    depfile.write_text(f"{stamp}: {' '.join(escaped)}\n")


def write_header(job: Job, header: Path) -> None:
    """It changes with the sources: what includes it is compiled again in the same run, where ninja has looked at the
    sources' own headers before they were patched."""
    keys = [sources.key_file(job.tree(name)).read_text().strip() for name in ("ffmpeg", "dav1d")]
    text = f"/* {job.flavour} FFmpeg and dav1d are built: {keys[0]}, {keys[1]} */\n"
    if once_per_key(header, text):
        header.write_text(text)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("flavour", choices=("stock", "patched"))
    parser.add_argument("--build", type=Path, required=True, help="build folder")
    parser.add_argument("--release", choices=tuple(sources.RELEASES), default=sources.DEFAULT, help="of FFmpeg")
    parser.add_argument("--sanitize", default="none", metavar="LIST",
                        help=f"address,undefined or thread, and {COVERAGE}: compile everything with these sanitizers")
    parser.add_argument("--cross", type=Path, metavar="FILE", help="a meson cross file")
    parser.add_argument("--only-decoders", action="store_true", help="libavcodec and what it needs, with VP9 and AV1; "
                                                                     "no programs")
    parser.add_argument("--full", metavar="PREFIX", help="shared libraries, all components, to be installed there")
    parser.add_argument("--gpl", action="store_true", help="with --full: libraries that make FFmpeg GPL, too")
    parser.add_argument("--before", type=Path, metavar="DIR", help="patches to FFmpeg that go ahead of the series, by "
                                                                   "a file `series`")
    parser.add_argument("--configure", action="append", default=[], metavar="OPTION",
                        help="with --full: one more of FFmpeg's configure")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--stamp", type=Path, help="write this file at the end")
    parser.add_argument("--header", type=Path, help="write this header at the end")
    parser.add_argument("--depfile", type=Path, help="write what the stamp depends on")
    return parser.parse_args()


def main() -> None:
    args = parse()
    sanitize = "" if args.sanitize == "none" else args.sanitize
    job = Job(args.build.resolve(), args.flavour, sanitize, args.cross and args.cross.resolve(), args.jobs,
              args.only_decoders, bool(args.full) and args.flavour == "patched", args.gpl, args.full or "/usr/local",
              args.before if args.flavour == "patched" else None, tuple(args.configure), args.release)
    start = time.monotonic()
    say(f"{job.flavour}: dav1d {sources.read_wrap('dav1d', job.release).version} …")
    build_dav1d(job)
    say(f"{job.flavour}: FFmpeg {sources.read_wrap('ffmpeg', job.release).version} (log: {job.build / 'logs'}) …")
    build_ffmpeg(job)
    say(f"{job.flavour}: {job.objects('ffmpeg') if job.only_decoders else job.prefix / 'bin' / 'ffmpeg'} in "
        f"{time.monotonic() - start:.0f} s")
    if args.header:
        write_header(job, args.header)
    if args.depfile:
        write_depfile(job, args.depfile, args.stamp)
    if args.stamp:
        args.stamp.write_text(time.strftime("%FT%T\n"))


if __name__ == "__main__":
    main()
