#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The example in the public header: compiled as C and run against the library, as a stranger would.

  example.py LIBRARY HEADER
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

EXAMPLE = re.compile(r"^ \* @code\n(.*?)^ \* @endcode$", re.M | re.S)

HEAD = "#include <daedalus/daedalus.h>\n#include <stdio.h>\n#include <string.h>\n"
MAIN = """
static DdPicture *picture_of(DdSession *session, int value) {
    DdPictureFormat format = {.size = sizeof(format), .width = 64, .height = 64, .bit_depth = 8, .ss_h = 1, .ss_v = 1};
    DdPicture *picture = NULL;
    if (dd_picture_alloc(session, &format, &picture) < 0)
        return NULL;
    uint8_t *data[3];
    ptrdiff_t stride[3];
    dd_picture_planes(picture, data, stride);
    for (int plane = 0; plane < 3; plane++)
        memset(data[plane], value + plane, (size_t)stride[plane] * (plane ? 32 : 64));
    return picture;
}

static int holds(const DdPicture *picture, int value) {
    uint8_t *data[3];
    ptrdiff_t stride[3];
    dd_picture_planes(picture, data, stride);
    for (int plane = 0; plane < 3; plane++)
        for (int y = 0; y < (plane ? 32 : 64); y++)
            for (int x = 0; x < (plane ? 32 : 64); x++)
                if (data[plane][y * stride[plane] + x] != value + plane)
                    return 0;
    return 1;
}

int main(void) {
    DdDeviceOptions device_options = {.size = sizeof(device_options), .plan = "gpu"};
    DdSessionOptions session_options = {.size = sizeof(session_options), .codec = DD_CODEC_VP9};
    DdDevice *device = NULL;
    DdSession *session = NULL;
    if (dd_device_open(&device, &device_options) < 0 || !dd_device_has_gpu(device) ||
        dd_session_open(&session, device, &session_options) < 0)
        return 2;
    DdPicture *reference = picture_of(session, 100), *dst = picture_of(session, 7);
    const int result = reference && dst ? copy_frame(session, reference, dst) : DD_ERR_NO_MEMORY;
    DdStats stats = {.size = sizeof(stats)};
    dd_session_stats(session, &stats);
    const int good = result == DD_OK && holds(dst, 100) && stats.gpu_frames == 1;
    printf("%s, %s: %s\\n", dd_device_name(device), dd_result_text(result), good ? "copied" : "not copied");
    dd_picture_unref(&reference);
    dd_picture_unref(&dst);
    dd_session_unref(&session);
    dd_device_unref(&device);
    return good ? 0 : 1;
}
"""


def example_of(header: str) -> str:
    found = EXAMPLE.search(header)
    return re.sub(r"^ \* ?", "", found[1], flags=re.M) if found else sys.exit("the header has no example")


def main() -> None:
    library, header = (Path(argument).resolve() for argument in sys.argv[1:3])
    with tempfile.TemporaryDirectory(prefix="dd-example-") as name:
        source, program = Path(name, "example.c"), Path(name, "example")
        source.write_text(HEAD + example_of(header.read_text()) + MAIN)
        subprocess.run([os.environ.get("CC", "cc"), "-std=c11", "-Wall", "-Wextra", "-Werror", f"-I{header.parents[1]}",
                        str(source), "-o", str(program), str(library), f"-Wl,-rpath,{library.parent}"], check=True)
        environment = {"DAEDALUS_DEVICE": os.environ.get("DAEDALUS_TEST_DEVICE", "llvmpipe"), **os.environ}
        sys.exit(subprocess.run([str(program)], env=environment).returncode)


if __name__ == "__main__":
    main()
