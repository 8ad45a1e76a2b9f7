#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The packages (tools/package) on Debian 13's own kernel, in a virtual machine: pictures lie in its dma-heap, which
llvmpipe imports, as they do on a Raspberry Pi 5. DRM PRIME frames, downloaded by ffmpeg and by mpv as it is, and
imported by another Vulkan device, have to be stock's; 1000 frames hold no more memory and no more files than 100.
Neither scan-out nor an import by EGL can be had there: virtio-gpu shows XRGB alone and takes no buffer of others, and
llvmpipe of Mesa 25.0 imports one as a texture, but crashes when it is sampled."""

import shutil
import subprocess
import sys
from pathlib import Path

import root as fresh_root
from daedalus_tools import console, roots

NEEDED = ("ffmpeg", "mpv", "mesa-vulkan-drivers", "linux-image-amd64", "initramfs-tools", "busybox", "kmod", "udev",
          "gcc", "libc6-dev", "libavcodec-dev", "libavformat-dev", "libdrm-dev", "libvulkan-dev")
IMPORT = ("gcc -std=gnu11 -Wall -Wextra -Werror -O1 -I/usr/include/libdrm -o /test/import_frames /test/import_frames.c "
          "-lavformat -lavcodec -lavutil -lvulkan")
MODULES = "9p\n9pnet_virtio\nvirtio_pci\n"
SECONDS = 1200
END = "ok the end"

# Emulated: a nested KVM is not to be had everywhere. QEMU 7.2 errs in AVX2 code of dav1d, and llvmpipe without AVX
# breaks while it compiles kernels: boots with and without.
WITHOUT_AVX, WITH_AVX = "Nehalem", "max,la57=off"
MACHINE = ("qemu-system-x86_64", "-accel", "tcg,thread=multi", "-m", "4G", "-smp", "2", "-display", "none",
           "-serial", "stdio", "-no-reboot", "-device", "virtio-gpu-pci",
           "-device", "virtio-9p-pci,fsdev=root,mount_tag=root")
KERNEL = ("root=root rootfstype=9p rootflags=trans=virtio,version=9p2000.L,msize=512000 rw console=ttyS0 quiet panic=1 "
          "init=/test/init")
INIT = """\
#!/bin/sh
export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t tmpfs run /run
modprobe vgem
sh /test/run > /test/log 2>&1
busybox poweroff -f
"""

# check NAME EXPECTED FOUND; md5s of a program's framemd5.
COMMON = r"""
export DAEDALUS_DEVICE=llvmpipe
none="d41d8cd98f00b204e9800998ecf8427e  -"
check() {
    if [ -n "$2" ] && [ "$2" != "$none" ] && [ "$2" = "$3" ]; then
        echo "ok $1"
    else
        echo "failed $1: '$2' expected, '$3' found"
    fi
}
frames() { grep -v '^#' | grep -o '[0-9a-f]\{32\}$' | md5sum; }
card=$(ls /dev/dri/card* | head -n 1)
drm="-hwaccel drm -hwaccel_device $card"
prime="-hwaccel_output_format drm_prime"
"""

# Sizes that change are for mpv; long streams take the emulated machine minutes, and AV1's kernels to compile.
DOWNLOADS = r"""
for file in $(find $folder -type f -size -50k ! -name '*resize*'); do
    format=$(ffprobe -v error -select_streams v:0 -show_entries stream=pix_fmt -of csv=p=0 $file | tr -d ,)
    stock=$(ffmpeg -v error -i $file -an -f framemd5 - | frames)
    download="-vf hwdownload,format=$format"
    found=$(ffmpeg-daedalus -nostdin -v verbose $drm $prime -i $file $download -an -f framemd5 - 2>/run/log | frames)
    check "$file, plan $DAEDALUS_PLAN" "$stock" "$found"
    check "$file, plan $DAEDALUS_PLAN: DRM PRIME" 1 $(grep -c "pixfmt:drm_prime" /run/log)
done
"""

PLAYS = r"""
out="--vf=scale=352:288 --of=framemd5 --ovc=rawvideo --o=/run/frames"
play() {
    daedalus-run mpv --no-config -v --no-audio --untimed $out "$@" > /run/log 2>&1
    frames < /run/frames
}
for file in $(find /streams/vp9 -size -50k -name 'vp90*'); do
    for start in 0 50%; do
        stock=$(play --hwdec=no --start=$start $file)
        check "mpv, $file from $start" "$stock" "$(play --hwdec=drm-copy --hwdec-codecs=all --start=$start $file)"
        check "mpv, $file from $start: DRM" 1 $(grep -c "Using hardware decoding (drm-copy)" /run/log)
    done
done
"""

# What a display's driver does. Frames of the CPU: both devices would be llvmpipe.
IMPORTS = r"""
for file in $(find /streams -type f -size -50k ! -name '*resize*'); do
    format=$(ffprobe -v error -select_streams v:0 -show_entries stream=pix_fmt -of csv=p=0 $file | tr -d ,)
    frames=$(ffprobe -v error -select_streams v:0 -count_frames -show_entries stream=nb_read_frames -of csv=p=0 $file |
             tr -d ,)
    check "$file, imported by Vulkan" "$format $frames 0" "$(daedalus-run /test/import_frames $card $file 2>/run/log)"
    [ $format = yuv420p10le ] || continue
    found=$(DAEDALUS_P010=1 daedalus-run /test/import_frames $card $file 2>/run/log)
    check "$file, as P010" "p010le $frames 0" "$found"
done
"""

LOOPS = r"""
loop="-nostdin -benchmark $drm $prime -stream_loop"
null="-an -fps_mode passthrough -f null -"
file=$(ls /streams/vp9/*351x287*)
# Most files of a decode of so many rounds of ten frames.
files() {
    ffmpeg-daedalus $loop $1 -i $file $null 2>/run/log &
    most=0
    while kill -0 $! 2>/dev/null; do
        count=$(ls /proc/$!/fd 2>/dev/null | wc -l)
        [ $count -le $most ] || most=$count
        sleep 0.1
    done
    echo $most
}
memory() { grep -o 'maxrss=[0-9]*' /run/log | grep -o '[0-9]*'; }
few=$(files 10)
short=$(memory)
many=$(files 100)
long=$(memory)
check "files of 100 and 1000 frames ($few, $many)" yes $([ "$many" -le $((few + 2)) ] && echo yes || echo no)
bounded=$([ "$long" -le $((short + 4096)) ] && echo yes || echo no)
check "memory of 100 and 1000 frames ($short, $long KiB)" yes $bounded
"""

BOOTS = ((WITHOUT_AVX, "export DAEDALUS_PLAN=cpu folder=/streams\n" + COMMON + DOWNLOADS + PLAYS + LOOPS),
         (WITHOUT_AVX, "export DAEDALUS_PLAN=cpu\n" + COMMON + IMPORTS),
         (WITH_AVX, "export DAEDALUS_PLAN=gpu folder=/streams/vp9\n" + COMMON + DOWNLOADS))


def prepare(root: Path) -> None:
    fresh_root.install(root, "/packages/*.deb")
    with open(root / "etc" / "initramfs-tools" / "modules", "a") as modules:
        modules.write(MODULES)
    if roots.run_in(root, "update-initramfs -u"):
        console.fail("the initial file system can't be made", 1)
    (root / "test").mkdir()
    shutil.copy(Path(__file__).with_name("import_frames.c"), root / "test")
    if roots.run_in(root, IMPORT):
        console.fail("import_frames can't be compiled", 1)
    (root / "test" / "init").write_text(INIT)
    (root / "test" / "init").chmod(0o755)


def boot(root: Path, cpu: str, script: str) -> list[str]:
    """What the script wrote: a line a check. That it comes to its end is one, too."""
    (root / "test" / "run").write_text(f"{script}echo '{END}'\n")
    (root / "test" / "log").unlink(missing_ok=True)
    kernel, = (root / "boot").glob("vmlinuz-*")
    initial, = (root / "boot").glob("initrd.img-*")
    command = [*MACHINE, "-cpu", cpu, "-fsdev", f"local,id=root,path={root},security_model=none", "-kernel",
               str(kernel), "-initrd", str(initial), "-append", KERNEL]
    try:
        subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        print(f"failed: the machine ran longer than {SECONDS} s")
    log = root / "test" / "log"
    lines = log.read_text(errors="replace").splitlines() if log.exists() else []
    return lines if lines[-1:] == [END] and len(lines) > 1 else [*lines,
                                                                 "failed: the script makes no check, or doesn't end"]


def main() -> None:
    with fresh_root.fresh("amd64", *NEEDED) as root:
        prepare(root)
        lines = [line for cpu, script in BOOTS for line in boot(root, cpu, script)]
    print("\n".join(lines))
    passed, failed = (sum(line.startswith(word) for line in lines) for word in ("ok ", "failed"))
    print(f"{passed} passed, {failed} failed, 0 skipped")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
